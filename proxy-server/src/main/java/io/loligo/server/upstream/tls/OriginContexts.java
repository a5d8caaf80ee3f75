package io.loligo.server.upstream.tls;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.adapt.AdaptationSettings;
import io.loligo.server.tls.Authorities;
import io.loligo.server.tls.TlsDirectives;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tls.TlsProvider;
import io.loligo.server.upstream.OutgoingTlsDirectives;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerDirectives;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The contexts of handshakes with origins, parents and ICAP services under one configuration.
 * Immutable; thread-safe.
 *
 * <p>A reload makes new ones where files may have changed. Connections that are kept under an old
 * context serve no further request.
 */
public final class OriginContexts {
  private final Map<TlsOptions, OriginContext> byOptions;

  private OriginContexts(Map<TlsOptions, OriginContext> byOptions) {
    this.byOptions = Map.copyOf(byOptions);
  }

  /** None: for code that opens connections in clear text only. */
  public static OriginContexts none() {
    return new OriginContexts(Map.of());
  }

  /**
   * The contexts that {@code config} needs. Reads the files that it names; blocks.
   *
   * @param before the contexts until now: one whose options name no file stays
   * @param files runs tasks that read the authorities of the system
   * @throws IOException if a file cannot be used; names it and the reason
   */
  public static OriginContexts of(ProxyConfig config, OriginContexts before, Executor files)
      throws IOException {
    return of(config, List.of(), before, files);
  }

  /**
   * The same.
   *
   * @param more options that are needed too
   */
  public static OriginContexts of(
      ProxyConfig config, Collection<TlsOptions> more, OriginContexts before, Executor files)
      throws IOException {
    String setting = config.get(TlsDirectives.TLS_PROVIDER);
    Supplier<TlsProvider> provider = () -> TlsProvider.choose(setting);
    boolean rules = !config.get(OutgoingTlsDirectives.SSLPROXY_CERT_ERROR).isEmpty();
    OriginContext.Sessions sessions =
        new OriginContext.Sessions(
            config.get(OutgoingTlsDirectives.SSLPROXY_SESSION_TTL),
            config.get(OutgoingTlsDirectives.SSLPROXY_SESSION_CACHE_SIZE));
    String file = config.get(OutgoingTlsDirectives.SSLPROXY_FOREIGN_INTERMEDIATE_CERTS);
    List<X509Certificate> intermediates =
        file.isEmpty() ? List.of() : Authorities.certificates(file);
    Set<TlsOptions> needed = new HashSet<>(more);
    needed.add(config.get(OutgoingTlsDirectives.TLS_OUTGOING_OPTIONS).options());
    for (Peer peer : config.get(PeerDirectives.CACHE_PEER)) {
      TlsOptions options = peer.tls();
      if (options != null) {
        needed.add(options);
      }
    }
    needed.addAll(AdaptationSettings.tls(config));
    Map<TlsOptions, OriginContext> contexts = new HashMap<>();
    for (TlsOptions options : needed) {
      OriginContext context = before.byOptions.get(options);
      if (context == null || !context.staysFor(rules, sessions, intermediates)) {
        context = new OriginContext(options, rules, sessions, intermediates, provider, files);
      }
      context.check();
      contexts.put(options, context);
    }
    return new OriginContexts(contexts);
  }

  /** The context of {@code options}, which the configuration has. */
  public OriginContext of(TlsOptions options) {
    OriginContext context = byOptions.get(options);
    if (context == null) {
      throw new IllegalArgumentException("no such options: " + options);
    }
    return context;
  }
}
