package io.loligo.server.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.ReferenceCountedOpenSslContext;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.internal.tcnative.SSL;
import io.netty.util.ReferenceCountUtil;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of one port: its key pairs, and which of them a client gets. Immutable, except for the
 * keys of its session tickets; any thread. {@link #close} releases native memory; connections that
 * began their handshake before keep theirs.
 */
public final class ServerTls implements AutoCloseable {
  private static final List<String> SUITES_1_3 =
      List.of("TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_256_GCM_SHA384");

  /** Ticket keys that still open sessions, the newest of which seals new ones. */
  private static final int TICKET_KEYS = 3;

  /**
   * Kind of the key store in memory through which a context takes its key. PKCS#12 would encrypt
   * and decrypt the key with a derived one each time, for milliseconds.
   */
  private static final String QUICK_STORE = "JKS";

  /** BoringSSL keeps as much for each connection, as long as it is open. */
  private static final int HANDSHAKE_BUFFER_BYTES = 512;

  /** The contexts of one name, by the kind of its certificates; at least one is there. */
  private static final class Site {
    private @Nullable SslContext ecdsa;
    private @Nullable SslContext rsa;

    /** The first pair of a kind counts. */
    void add(KeyPair pair, SslContext context) {
      if (pair.isEcdsa()) {
        ecdsa = ecdsa == null ? context : ecdsa;
      } else {
        rsa = rsa == null ? context : rsa;
      }
    }

    SslContext choose(boolean acceptsEcdsa) {
      SslContext preferred = acceptsEcdsa ? ecdsa : rsa;
      SslContext other = acceptsEcdsa ? rsa : ecdsa;
      SslContext chosen = preferred == null ? other : preferred;
      assert chosen != null : "a site has a certificate";
      return chosen;
    }
  }

  private final List<KeyPair> pairs;
  private final @Nullable OcspStaples staples;

  /** The pair of each context. */
  private final IdentityHashMap<SslContext, KeyPair> pairOf = new IdentityHashMap<>();

  private final List<SslContext> contexts = new ArrayList<>();
  private final Map<String, Site> exact = new HashMap<>();
  private final Map<String, Site> wildcard = new HashMap<>();
  private final Site otherwise = new Site();
  private final boolean resumes;
  private final SecureRandom random = new SecureRandom();
  private OpenSslSessionTicketKey[] tickets = {};

  /**
   * Makes the contexts.
   *
   * @param pairs of the port, at least one; the first is for clients that name no other
   * @param auth whether clients have to present a certificate
   * @param authorities verify it; null where none is requested
   * @param alpn the protocols above, in order of preference
   * @param staples responses about the certificates that clients get; null: none
   * @throws TlsFileException if a key pair cannot be used with {@code options}, or {@code provider}
   *     cannot follow them
   */
  public ServerTls(
      TlsProvider provider,
      TlsOptions options,
      List<KeyPair> pairs,
      ClientAuth auth,
      @Nullable Authorities authorities,
      List<String> alpn,
      @Nullable OcspStaples staples)
      throws TlsFileException {
    this(provider, provider.netty(), options, pairs, auth, authorities, alpn, staples);
  }

  /**
   * The TLS of one key pair, without certificates of clients. Its native memory is released when
   * nothing refers to it; it is never closed.
   *
   * @param alpn the protocols above, in order of preference
   */
  static ServerTls collected(
      TlsProvider provider, TlsOptions options, KeyPair pair, List<String> alpn)
      throws TlsFileException {
    SslProvider kind = provider == TlsProvider.BORINGSSL ? SslProvider.OPENSSL : SslProvider.JDK;
    return new ServerTls(provider, kind, options, List.of(pair), ClientAuth.NONE, null, alpn, null);
  }

  private ServerTls(
      TlsProvider provider,
      SslProvider kind,
      TlsOptions options,
      List<KeyPair> pairs,
      ClientAuth auth,
      @Nullable Authorities authorities,
      List<String> alpn,
      @Nullable OcspStaples staples)
      throws TlsFileException {
    this.staples = provider == TlsProvider.BORINGSSL && OpenSsl.isOcspSupported() ? staples : null;
    this.pairs = List.copyOf(pairs);
    this.resumes = options.resumes();
    if (!resumes && provider == TlsProvider.JDK) {
      throw new TlsFileException(
          "NO_TICKET, NO_SESSION_REUSE",
          "the TLS of the Java runtime cannot do without tickets; remove the option, or use"
              + " BoringSSL (loligo_tls_provider)");
    }
    try {
      for (KeyPair pair : pairs) {
        SslContext context =
            context(kind, options, pair, auth, authorities, alpn, this.staples != null);
        contexts.add(context);
        pairOf.put(context, pair);
        add(pair, context);
      }
    } catch (TlsFileException | RuntimeException | Error e) {
      close();
      throw e;
    }
    if (resumes) {
      rotateTickets();
    }
  }

  /**
   * Takes memory from connections: sessions are in tickets only, and the buffer that each keeps for
   * messages of its handshake is small. A longer message passes through it in parts.
   */
  private static SslContext slim(SslContext context) {
    if (context.sessionContext() instanceof OpenSslServerSessionContext sessions) {
      sessions.setSessionCacheEnabled(false);
    }
    if (context instanceof ReferenceCountedOpenSslContext boring) {
      boring.setBioNonApplicationBufferSize(HANDSHAKE_BUFFER_BYTES);
    }
    return context;
  }

  private void add(KeyPair pair, SslContext context) {
    List<String> names = pair.names();
    for (String name : names) {
      if (name.startsWith("*.")) {
        wildcard.computeIfAbsent(name.substring(2), key -> new Site()).add(pair, context);
      } else {
        exact.computeIfAbsent(name, key -> new Site()).add(pair, context);
      }
    }
    if (contexts.size() == 1 || names.equals(pairs.get(0).names())) {
      otherwise.add(pair, context);
    }
  }

  private static SslContext context(
      SslProvider kind,
      TlsOptions options,
      KeyPair pair,
      ClientAuth auth,
      @Nullable Authorities authorities,
      List<String> alpn,
      boolean stapling)
      throws TlsFileException {
    List<String> suites = ofKind(options.suites(), pair.isEcdsa());
    List<String> protocols = new ArrayList<>(Arrays.asList(options.protocols()));
    if (suites.isEmpty()) {
      protocols.remove(TlsVersion.TLS_1_2.protocol());
      if (protocols.isEmpty()) {
        throw new TlsFileException(
            pair.files().toString(), "cipher= has no suite of TLS 1.2 for its key");
      }
      suites = ofKind(CipherSuite.defaults(), pair.isEcdsa());
    }
    List<String> all = new ArrayList<>(SUITES_1_3);
    all.addAll(suites);
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(pair.key(), pair.chain())
              .keyStoreType(QUICK_STORE)
              .sslProvider(kind)
              .protocols(protocols)
              .ciphers(all)
              .clientAuth(auth)
              .enableOcsp(stapling)
              .applicationProtocolConfig(
                  new ApplicationProtocolConfig(
                      ApplicationProtocolConfig.Protocol.ALPN,
                      ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                      ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                      alpn));
      builder.trustManager(authorities == null ? NoClients.TRUSTED : authorities.trustManager());
      return slim(builder.build());
    } catch (SSLException | GeneralSecurityException | IllegalArgumentException e) {
      throw new TlsFileException(pair.files().toString(), e);
    }
  }

  private static List<String> ofKind(List<String> suites, boolean ecdsa) {
    return suites.stream().filter(name -> name.contains("_ECDSA_") == ecdsa).toList();
  }

  /**
   * The handler of a client's connection.
   *
   * @param serverName the name it asks for, in lower case; null: none
   * @param ecdsa whether it accepts a certificate of ECDSA
   */
  public SslHandler handler(
      @Nullable String serverName, boolean ecdsa, ByteBufAllocator allocator) {
    SslContext context = choose(serverName, ecdsa);
    SslHandler handler = context.newHandler(allocator);
    OcspStaples known = staples;
    if (known != null && handler.engine() instanceof ReferenceCountedOpenSslEngine engine) {
      staple(engine, known, context);
    }
    if (!resumes && handler.engine() instanceof ReferenceCountedOpenSslEngine engine) {
      SSL.setOptions(engine.sslPointer(), SSL.SSL_OP_NO_TICKET);
    }
    return handler;
  }

  private void staple(ReferenceCountedOpenSslEngine engine, OcspStaples known, SslContext context) {
    KeyPair pair = pairOf.get(context);
    byte[] response = pair == null ? null : known.of(pair.certificate());
    if (response != null) {
      engine.setOcspResponse(response);
    }
  }

  private SslContext choose(@Nullable String serverName, boolean ecdsa) {
    if (serverName == null) {
      return otherwise.choose(ecdsa);
    }
    Site site = exact.get(serverName);
    if (site == null) {
      int dot = serverName.indexOf('.');
      site = dot < 0 ? null : wildcard.get(serverName.substring(dot + 1));
    }
    return (site == null ? otherwise : site).choose(ecdsa);
  }

  /** The key pairs, in the order of the line. */
  public List<KeyPair> pairs() {
    return pairs;
  }

  /**
   * Seals new tickets by a new key. Tickets of earlier keys are accepted for a while. The Java
   * runtime does this by itself.
   */
  public synchronized void rotateTickets() {
    if (!resumes
        || contexts.isEmpty()
        || !(contexts.get(0).sessionContext() instanceof OpenSslServerSessionContext)) {
      return;
    }
    OpenSslSessionTicketKey[] next =
        new OpenSslSessionTicketKey[Math.min(TICKET_KEYS, tickets.length + 1)];
    next[0] =
        new OpenSslSessionTicketKey(
            randomBytes(OpenSslSessionTicketKey.NAME_SIZE),
            randomBytes(OpenSslSessionTicketKey.HMAC_KEY_SIZE),
            randomBytes(OpenSslSessionTicketKey.AES_KEY_SIZE));
    System.arraycopy(tickets, 0, next, 1, next.length - 1);
    useTickets(next);
  }

  /** Continues with the ticket keys of {@code before}, whose clients are verified as here. */
  public void continueTickets(ServerTls before) {
    OpenSslSessionTicketKey[] keys;
    synchronized (before) {
      keys = before.tickets;
    }
    synchronized (this) {
      if (resumes && keys.length > 0) {
        useTickets(keys);
      }
    }
  }

  private synchronized void useTickets(OpenSslSessionTicketKey[] keys) {
    tickets = keys;
    for (SslContext context : Set.copyOf(contexts)) {
      if (context.sessionContext() instanceof OpenSslServerSessionContext sessions) {
        sessions.setTicketKeys(keys);
      }
    }
  }

  private byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Override
  public synchronized void close() {
    contexts.forEach(ReferenceCountUtil::release);
    contexts.clear();
  }
}
