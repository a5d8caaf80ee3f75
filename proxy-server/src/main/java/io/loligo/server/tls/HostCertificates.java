package io.loligo.server.tls;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The certificates that one port makes for decrypted tunnels, and what it knows about their
 * servers. A certificate is made once and kept for up to an hour. Thread-safe: any thread; the work
 * runs on an executor.
 */
public final class HostCertificates {
  /** Bytes that a kept certificate takes, with the context of its handshakes, about. */
  public static final int BYTES_EACH = 16 << 10;

  /** After this time the server is asked again. */
  private static final Duration KEPT = Duration.ofHours(1);

  private static final int MOST_SERVERS = 10_000;

  /** A certificate that is made once. */
  private record Key(ServerIdentity server, boolean ecdsa) {}

  private final KeyPair authority;
  private final CertificateMaker maker;
  private final TlsProvider provider;
  private final TlsOptions options;
  private final List<String> alpn;
  private final int refusals;
  private final Supplier<Instant> clock;
  private final AsyncCache<Key, ServerTls> made;
  private final Cache<String, X509Certificate> known;
  private final Cache<String, Integer> refused;

  /**
   * No certificate is made yet.
   *
   * @param authority signs certificates; its own certificate is one of an authority
   * @param options of the handshakes with clients; its certificates do not count
   * @param alpn the protocols in decrypted tunnels, in order of preference
   * @param bytes most memory of kept certificates
   * @param refusals a server is refused from this number of refusals on; 0: never
   * @param worker makes the certificates
   * @param clock of validity
   */
  public HostCertificates(
      KeyPair authority,
      TlsProvider provider,
      TlsOptions options,
      List<String> alpn,
      long bytes,
      int refusals,
      Executor worker,
      Supplier<Instant> clock)
      throws TlsFileException {
    this.authority = authority;
    this.provider = provider;
    this.options = options;
    this.alpn = List.copyOf(alpn);
    this.refusals = refusals;
    this.clock = clock;
    try {
      maker = new CertificateMaker(authority);
    } catch (GeneralSecurityException e) {
      throw new TlsFileException(authority.files().toString(), e);
    }
    Ticker ticker = () -> Duration.ofMillis(clock.get().toEpochMilli()).toNanos();
    made =
        Caffeine.newBuilder()
            .maximumSize(Math.max(1, bytes / BYTES_EACH))
            .expireAfterWrite(KEPT)
            .ticker(ticker)
            .executor(worker)
            .buildAsync();
    known = servers(ticker, worker);
    refused = servers(ticker, worker);
  }

  private static <V> Cache<String, V> servers(Ticker ticker, Executor worker) {
    return Caffeine.newBuilder()
        .maximumSize(MOST_SERVERS)
        .expireAfterWrite(KEPT)
        .ticker(ticker)
        .executor(worker)
        .build();
  }

  /** The key pair that signs. */
  public KeyPair authority() {
    return authority;
  }

  /**
   * The TLS of handshakes in the place of {@code server}, which completes on the executor or at
   * once.
   *
   * @param ecdsa whether the client accepts a certificate of ECDSA
   */
  public CompletableFuture<ServerTls> of(ServerIdentity server, boolean ecdsa) {
    return made.get(new Key(server, ecdsa), this::make);
  }

  private ServerTls make(Key key) {
    try {
      KeyPair pair = maker.make(key.server(), key.ecdsa(), clock.get());
      return ServerTls.collected(provider, options, pair, alpn);
    } catch (GeneralSecurityException | TlsFileException e) {
      throw new CompletionException(e);
    }
  }

  /**
   * The certificate that the server at {@code authority} has shown within the last hour; null:
   * none, so it has to be asked.
   *
   * @param place name and port
   */
  public @Nullable X509Certificate known(String place) {
    return known.getIfPresent(place);
  }

  /** The server at {@code place} has shown {@code certificate}, which is verified. */
  public void learn(String place, X509Certificate certificate) {
    known.put(place, certificate);
  }

  /**
   * A client has refused the certificate for the server {@code name}.
   *
   * @return how often that has happened within the last hour
   */
  public int refuse(String name) {
    return refused.asMap().merge(name, 1, Integer::sum);
  }

  /** Whether clients have refused certificates for the server {@code name} too often. */
  public boolean isRefused(String name) {
    Integer count = refusals == 0 ? null : refused.getIfPresent(name);
    return count != null && count >= refusals;
  }
}
