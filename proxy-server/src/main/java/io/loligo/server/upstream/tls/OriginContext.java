package io.loligo.server.upstream.tls;

import io.loligo.server.tls.Authorities;
import io.loligo.server.tls.CertificateFiles;
import io.loligo.server.tls.KeyPair;
import io.loligo.server.tls.KeyPairFile;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.tls.TlsFileException;
import io.loligo.server.tls.TlsFlag;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tls.TlsProvider;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * The context of handshakes under one line of the configuration: files that were read, and the
 * sessions that servers offered for resumption. Two connections are equally safe only if they have
 * the same context. Thread-safe: any thread.
 *
 * <p>The files are read when the first connection needs them, on a thread of their own.
 */
public final class OriginContext {
  /** HTTP/1.1 only, for ALPN. */
  public static final List<String> HTTP_1 = List.of("http/1.1");

  /** HTTP/2 or HTTP/1.1, for ALPN, in order of preference. */
  public static final List<String> WITH_HTTP_2 = List.of("h2", "http/1.1");

  /** Memory of one session, about. */
  private static final int SESSION_BYTES = 2_048;

  private static final List<String> SUITES_OF_1_3 =
      List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");

  /**
   * Sessions with servers that may be resumed.
   *
   * @param seconds how long; 0: none is resumed
   * @param bytes memory of all; 0: none is resumed
   */
  record Sessions(int seconds, long bytes) {
    int most() {
      return (int) Math.min(Integer.MAX_VALUE, bytes / SESSION_BYTES);
    }

    boolean areResumed() {
      return seconds > 0 && most() > 0;
    }
  }

  private final TlsOptions options;
  private final Supplier<TlsProvider> provider;
  private final Executor files;
  private final boolean rules;
  private final Sessions sessions;
  private final List<X509Certificate> intermediates;
  private final AtomicInteger unique = new AtomicInteger();

  /** The tolerance of each handshake in progress, if there is any tolerance. */
  private final ConcurrentHashMap<Integer, Tolerance> tolerances = new ConcurrentHashMap<>();

  /** Written under the lock of this. */
  private volatile @Nullable CompletableFuture<OfferedContexts> loaded;

  /**
   * A context whose files are not read yet.
   *
   * @param rules whether rules may tolerate faults of certificates for some requests
   * @param sessions that may be resumed
   * @param intermediates complete the chains that servers send
   * @param provider of TLS; may block
   * @param files runs tasks that read files
   */
  OriginContext(
      TlsOptions options,
      boolean rules,
      Sessions sessions,
      List<X509Certificate> intermediates,
      Supplier<TlsProvider> provider,
      Executor files) {
    this.rules = rules;
    this.sessions = sessions;
    this.intermediates = intermediates;
    this.options = options;
    this.provider = provider;
    this.files = files;
  }

  /** The words of the line. */
  public TlsOptions options() {
    return options;
  }

  /** Whether the options tolerate {@code fault} of a certificate, for every request. */
  public boolean tolerates(TlsFault fault) {
    return options.tolerates(fault);
  }

  /** Whether a fault may be tolerated. Then no session is resumed: each is verified. */
  private boolean isTolerant() {
    return rules
        || options.has(TlsFlag.DONT_VERIFY_PEER)
        || options.has(TlsFlag.DONT_VERIFY_DOMAIN);
  }

  /** Whether this context serves as well as a new one. */
  boolean staysFor(
      boolean withRules, Sessions withSessions, List<X509Certificate> withIntermediates) {
    return rules == withRules
        && sessions.equals(withSessions)
        && intermediates.equals(withIntermediates)
        && !namesFiles();
  }

  /**
   * Whether handshakes are possible now. It fails with the reason if a file cannot be read; later
   * connections then try again.
   */
  public CompletableFuture<OfferedContexts> ready() {
    CompletableFuture<OfferedContexts> known = loaded;
    return known == null || known.isCompletedExceptionally() ? loading() : known;
  }

  private synchronized CompletableFuture<OfferedContexts> loading() {
    CompletableFuture<OfferedContexts> known = loaded;
    if (known == null || known.isCompletedExceptionally()) {
      known = CompletableFuture.supplyAsync(this::load, files);
      loaded = known;
    }
    return known;
  }

  /**
   * A handler that begins the handshake when it is added to an open channel. Its timeouts are the
   * caller's.
   *
   * @param context one that is {@link #ready}
   * @param tolerance asked about faults of the certificate
   */
  public SslHandler handler(
      SslContext context,
      ByteBufAllocator allocator,
      String serverName,
      int port,
      Tolerance tolerance) {
    boolean tolerant = isTolerant();
    // a session is resumed only for the same name and port: another number for each is none
    boolean resumes = options.resumes() && sessions.areResumed() && !tolerant;
    int number = resumes ? port : unique.incrementAndGet();
    SslHandler handler = context.newHandler(allocator, serverName, number);
    handler.setHandshakeTimeoutMillis(0);
    nameSingleLabel(handler.engine(), serverName);
    if (tolerant) {
      tolerances.put(number, tolerance);
      handler.handshakeFuture().addListener(over -> tolerances.remove(number));
    }
    return handler;
  }

  /** Whether the options name files. */
  boolean namesFiles() {
    return !options.certificates().isEmpty()
        || !options.caFiles().isEmpty()
        || options.caPath() != null
        || options.crlFile() != null;
  }

  /**
   * Puts a name of one label into the handshake (RFC 6066 section 3). Engines do so themselves for
   * longer names only.
   */
  private static void nameSingleLabel(SSLEngine engine, String serverName) {
    if (serverName.indexOf('.') >= 0 || serverName.indexOf(':') >= 0) {
      return;
    }
    try {
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setServerNames(List.of(new SNIHostName(serverName)));
      engine.setSSLParameters(parameters);
    } catch (IllegalArgumentException e) {
      return; // it has characters that no server name has
    }
  }

  private OfferedContexts load() {
    try {
      return build();
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  /** Reads the files. Blocks. */
  private OfferedContexts build() throws IOException, GeneralSecurityException {
    ServerVerifier verifier = verifier();
    KeyPair own = own();
    return new OfferedContexts(
        build(verifier, own, WITH_HTTP_2), build(verifier, own, HTTP_1), verifier);
  }

  private SslContext build(ServerVerifier verifier, @Nullable KeyPair own, List<String> offer)
      throws IOException {
    // a context of this kind is released when nothing refers to it
    SslProvider netty =
        provider.get() == TlsProvider.BORINGSSL ? SslProvider.OPENSSL : SslProvider.JDK;
    List<String> suites = new ArrayList<>(SUITES_OF_1_3);
    suites.addAll(options.suites());
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(netty)
            .protocols(options.protocols())
            .ciphers(suites, SupportedCipherSuiteFilter.INSTANCE)
            .trustManager(verifier)
            .endpointIdentificationAlgorithm(null) // the verifier knows the name
            .applicationProtocolConfig(alpn(offer))
            .sessionCacheSize(Math.max(1, sessions.most()))
            .sessionTimeout(Math.max(1, sessions.seconds()));
    if (own != null) {
      builder.keyManager(own.key(), own.chain().toArray(new X509Certificate[0]));
    }
    return builder.build();
  }

  private static ApplicationProtocolConfig alpn(List<String> offer) {
    return new ApplicationProtocolConfig(
        ApplicationProtocolConfig.Protocol.ALPN,
        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
        offer);
  }

  private ServerVerifier verifier() throws TlsFileException, GeneralSecurityException {
    return new ServerVerifier(
        Authorities.read(options, true).trustManager(),
        intermediates,
        number -> tolerances.getOrDefault(number, Tolerance.NONE));
  }

  private @Nullable KeyPair own() throws TlsFileException {
    List<CertificateFiles> pairs = options.certificates();
    return pairs.isEmpty() ? null : KeyPairFile.read(pairs.get(0), null, Instant.now());
  }

  /** Reads the files now, if there are any, so that a wrong one shows. Blocks. */
  void check() throws IOException {
    if (!namesFiles()) {
      return;
    }
    try {
      OfferedContexts contexts = build();
      synchronized (this) {
        loaded = CompletableFuture.completedFuture(contexts);
      }
    } catch (GeneralSecurityException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
