package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.port.PortTls;
import io.loligo.server.tls.Authorities;
import io.loligo.server.tls.CertificateFiles;
import io.loligo.server.tls.KeyPair;
import io.loligo.server.tls.KeyPairFile;
import io.loligo.server.tls.ServerTls;
import io.loligo.server.tls.TlsFileException;
import io.loligo.server.tls.TlsProvider;
import io.netty.handler.ssl.ClientAuth;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the certificates of the ports, and makes their TLS. Immutable; any thread but an event
 * loop, because files are read.
 */
final class PortCertificates {
  private static final Logger LOG = LoggerFactory.getLogger(PortCertificates.class);

  private final Supplier<TlsProvider> provider;
  private final List<String> alpn;
  private final Supplier<Instant> clock;

  /**
   * @param provider asked when the first port has TLS
   * @param alpn protocols of all ports, in order of preference
   * @param clock tells which certificates have expired
   */
  PortCertificates(Supplier<TlsProvider> provider, List<String> alpn, Supplier<Instant> clock) {
    this.provider = provider;
    this.alpn = List.copyOf(alpn);
    this.clock = clock;
  }

  /**
   * The TLS of all ports of {@code config} that have it, owned by the caller.
   *
   * @param before in force until now: a pair of the same files stays in use if they have become
   *     unusable
   * @throws IOException if a certificate cannot be used, with the port's line and the reason
   */
  Map<HttpPort, ServerTls> read(ProxyConfig config, Map<HttpPort, ServerTls> before)
      throws IOException {
    Map<HttpPort, ServerTls> all = new HashMap<>();
    try {
      for (HttpPort port : PortDirectives.ports(config)) {
        PortTls tls = port.tls();
        if (tls != null) {
          all.put(port, read(port, tls, before));
        }
      }
      return Map.copyOf(all);
    } catch (IOException | RuntimeException | Error e) {
      all.values().forEach(ServerTls::close);
      throw e;
    }
  }

  private ServerTls read(HttpPort port, PortTls tls, Map<HttpPort, ServerTls> before)
      throws IOException {
    try {
      List<KeyPair> pairs = new ArrayList<>();
      for (CertificateFiles files : tls.options().certificates()) {
        pairs.add(pair(port, files, before));
      }
      ServerTls made =
          new ServerTls(provider.get(), tls.options(), pairs, auth(tls), authorities(tls), alpn);
      ServerTls old = like(port, before);
      if (old != null && !tls.requests()) {
        made.continueTickets(old);
      }
      return made;
    } catch (TlsFileException e) {
      throw new IOException(port.source() + ": " + e.getMessage(), e);
    }
  }

  private KeyPair pair(HttpPort port, CertificateFiles files, Map<HttpPort, ServerTls> before)
      throws TlsFileException {
    try {
      return KeyPairFile.read(files, null, clock.get());
    } catch (TlsFileException e) {
      for (ServerTls tls : before.values()) {
        for (KeyPair pair : tls.pairs()) {
          if (pair.files().equals(files)) {
            LOG.error("{}: {}; the old pair stays in use", port.source(), e.getMessage());
            return pair;
          }
        }
      }
      throw e;
    }
  }

  private static ClientAuth auth(PortTls tls) {
    if (!tls.requests()) {
      return ClientAuth.NONE;
    }
    return tls.required() ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL;
  }

  private static @Nullable Authorities authorities(PortTls tls) throws TlsFileException {
    if (!tls.requests()) {
      return null;
    }
    List<String> given = tls.options().caFiles();
    return Authorities.read(tls.options(), given.isEmpty() ? tls.clientCa() : given, false);
  }

  /** The TLS of the same words, which a client may have a ticket of; null: there is none. */
  private static @Nullable ServerTls like(HttpPort port, Map<HttpPort, ServerTls> before) {
    for (Map.Entry<HttpPort, ServerTls> entry : before.entrySet()) {
      HttpPort other = entry.getKey();
      if (other.port() == port.port()
          && other.address().equals(port.address())
          && port.tls() != null
          && port.tls().equals(other.tls())) {
        return entry.getValue();
      }
    }
    return null;
  }
}
