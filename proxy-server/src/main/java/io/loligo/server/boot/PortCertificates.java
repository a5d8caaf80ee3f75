package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.bump.BumpAction;
import io.loligo.server.bump.BumpDirectives;
import io.loligo.server.bump.BumpRules;
import io.loligo.server.metrics.CertificateExpiry;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortBump;
import io.loligo.server.port.PortTls;
import io.loligo.server.tls.Authorities;
import io.loligo.server.tls.CertificateFiles;
import io.loligo.server.tls.HostCertificates;
import io.loligo.server.tls.KeyPair;
import io.loligo.server.tls.KeyPairFile;
import io.loligo.server.tls.OcspStaples;
import io.loligo.server.tls.PortSecurity;
import io.loligo.server.tls.ServerTls;
import io.loligo.server.tls.TlsDirectives;
import io.loligo.server.tls.TlsFileException;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tls.TlsProvider;
import io.netty.handler.ssl.ClientAuth;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the certificates of the ports, and makes their TLS. Any thread but an event loop, because
 * files are read.
 */
public final class PortCertificates {
  private static final Logger LOG = LoggerFactory.getLogger(PortCertificates.class);

  /** Before its expiry, a certificate is in the log once a day. */
  private static final Duration WARNING = Duration.ofDays(30);

  private static final Duration AGAIN = Duration.ofDays(1);

  /** The protocol of the admin port, in ALPN. */
  private static final List<String> ADMIN_ALPN = List.of("http/1.1");

  private final Supplier<TlsProvider> provider;
  private final List<String> alpn;
  private final @Nullable Sharing sharing;
  private final Executor worker;
  private final Supplier<Instant> clock;
  private final OcspStaples staples;
  private final WatchedFiles files = new WatchedFiles();
  private final Map<X509Certificate, Instant> told = new HashMap<>();

  /**
   * @param provider asked when the first port has TLS
   * @param alpn protocols of all ports but the admin port, in order of preference
   * @param sharing has one more port; null: this node is alone
   * @param worker makes the certificates of decrypted tunnels
   * @param clock tells which certificates have expired
   */
  PortCertificates(
      Supplier<TlsProvider> provider,
      List<String> alpn,
      @Nullable Sharing sharing,
      Executor worker,
      Supplier<Instant> clock) {
    this.sharing = sharing;
    this.provider = provider;
    this.alpn = List.copyOf(alpn);
    this.worker = worker;
    this.clock = clock;
    this.staples = new OcspStaples(clock);
  }

  /**
   * The TLS of all ports of {@code config} that have it, owned by the caller.
   *
   * @param before in force until now: a pair of the same files stays in use if they have become
   *     unusable
   * @throws IOException if a certificate cannot be used, with the port's line and the reason
   */
  synchronized Map<HttpPort, PortSecurity> read(
      ProxyConfig config, Map<HttpPort, PortSecurity> before) throws IOException {
    files.note(paths(config, sharing));
    char[] password = password(config);
    Map<HttpPort, PortSecurity> all = new HashMap<>();
    try {
      for (HttpPort port : ports(config, sharing)) {
        PortSecurity security = read(config, port, before, password);
        if (security != null) {
          all.put(port, security);
        }
      }
      return Map.copyOf(all);
    } catch (IOException | RuntimeException | Error e) {
      all.values().forEach(PortSecurity::close);
      throw e;
    }
  }

  /** Gets OCSP responses about the certificates of {@code all}. Blocks for longer than files. */
  void staple(Map<HttpPort, PortSecurity> all) {
    List<KeyPair> pairs = new ArrayList<>();
    all.values().stream()
        .map(PortSecurity::server)
        .filter(Objects::nonNull)
        .forEach(server -> pairs.addAll(server.pairs()));
    staples.refresh(pairs);
  }

  /** Whether a file that {@link #read} has read has changed since. */
  synchronized boolean changed(ProxyConfig config) {
    return files.changed(paths(config, sharing));
  }

  /** The files that {@link #read} reads, and the folders of authorities. */
  public static Set<String> paths(ProxyConfig config) {
    return paths(config, null);
  }

  private static Set<String> paths(ProxyConfig config, @Nullable Sharing sharing) {
    Set<String> paths = new HashSet<>();
    for (HttpPort port : ports(config, sharing)) {
      if (port.bump() != null) {
        addPairs(port.bump().options(), paths);
      }
      PortTls tls = port.tls();
      if (tls != null) {
        addPairs(tls.options(), paths);
        paths.addAll(tls.clientCa());
        paths.addAll(tls.options().caFiles());
        Stream.of(tls.options().caPath(), tls.options().crlFile())
            .filter(Objects::nonNull)
            .forEach(paths::add);
      }
    }
    return paths;
  }

  /** All ports that may have TLS. */
  private static List<HttpPort> ports(ProxyConfig config, @Nullable Sharing sharing) {
    List<HttpPort> ports = new ArrayList<>(Sharing.ports(config, sharing));
    HttpPort admin = config.get(AdminDirectives.ADMIN_PORT);
    if (admin != null) {
      ports.add(admin);
    }
    return ports;
  }

  private static void addPairs(TlsOptions options, Set<String> paths) {
    for (CertificateFiles pair : options.certificates()) {
      paths.add(pair.certificate());
      paths.add(pair.key());
    }
  }

  private static char @Nullable [] password(ProxyConfig config) throws IOException {
    String path = config.get(TlsDirectives.TLS_PASSWORD_FILE);
    if (path.equals("none")) {
      return null;
    }
    try (BufferedReader reader = Files.newBufferedReader(Path.of(path), StandardCharsets.UTF_8)) {
      String line = reader.readLine();
      return line == null ? new char[0] : line.toCharArray();
    } catch (IOException | InvalidPathException e) {
      String source = config.source(TlsDirectives.TLS_PASSWORD_FILE);
      throw new IOException(source + ": " + new TlsFileException(path, e).getMessage(), e);
    }
  }

  /**
   * Logs the certificates of {@code all} that expire soon, each of them once a day.
   *
   * @param node that of the group port; null: there is none
   */
  synchronized void warnOfExpiry(Map<HttpPort, PortSecurity> all, @Nullable NodeCertificate node) {
    told.values().removeIf(before -> before.isBefore(clock.get().minus(AGAIN)));
    all.forEach((port, security) -> pairs(security).forEach(pair -> warn(port.source(), pair)));
    if (node != null) {
      warn(node.source(), node.pair());
    }
  }

  private void warn(String source, KeyPair pair) {
    Instant now = clock.get();
    if (pair.expiry().isBefore(now.plus(WARNING))
        && told.putIfAbsent(pair.certificate(), now) == null) {
      LOG.warn(
          "{}: the certificate in {} {} at {}; next: renew it, and reload",
          source,
          pair.files().certificate(),
          pair.expiry().isBefore(now) ? "expired" : "expires",
          pair.expiry());
    }
  }

  /**
   * The rest of the validity of each certificate of {@code all}.
   *
   * @param node that of the group port; null: there is none
   */
  List<CertificateExpiry> expiries(
      Map<HttpPort, PortSecurity> all, @Nullable NodeCertificate node) {
    List<CertificateExpiry> expiries = new ArrayList<>();
    all.forEach(
        (port, security) ->
            pairs(security).forEach(pair -> expiries.add(expiry(port.name(), pair))));
    if (node != null) {
      expiries.add(expiry(NodeCertificate.PORT, node.pair()));
    }
    return expiries;
  }

  private CertificateExpiry expiry(String port, KeyPair pair) {
    return new CertificateExpiry(
        port,
        pair.files().certificate(),
        pair.names().isEmpty() ? "" : pair.names().get(0),
        Duration.between(clock.get(), pair.expiry()).toSeconds());
  }

  /** Its own pairs, and the one that signs certificates. */
  private static List<KeyPair> pairs(PortSecurity security) {
    List<KeyPair> pairs = new ArrayList<>();
    if (security.server() != null) {
      pairs.addAll(security.server().pairs());
    }
    if (security.hosts() != null) {
      pairs.add(security.hosts().authority());
    }
    return pairs;
  }

  /** The TLS of {@code port}; null: it has none. */
  private @Nullable PortSecurity read(
      ProxyConfig config,
      HttpPort port,
      Map<HttpPort, PortSecurity> before,
      char @Nullable [] password)
      throws IOException {
    PortTls tls = port.tls();
    PortBump bump = port.bump();
    HostCertificates hosts =
        bump == null || !decrypts(config) || bump.options().certificates().isEmpty()
            ? null
            : hosts(config, port, bump, before, password);
    ServerTls server = tls == null ? null : read(config, port, tls, before, password);
    return hosts == null && server == null ? null : new PortSecurity(server, hosts);
  }

  /** Whether the rules decrypt tunnels: if not, no port needs an authority. */
  private static boolean decrypts(ProxyConfig config) {
    BumpRules rules = config.get(BumpDirectives.SSL_BUMP);
    return rules.have(BumpAction.BUMP) || rules.have(BumpAction.STARE);
  }

  private HostCertificates hosts(
      ProxyConfig config,
      HttpPort port,
      PortBump bump,
      Map<HttpPort, PortSecurity> before,
      char @Nullable [] password)
      throws IOException {
    try {
      List<CertificateFiles> files = bump.options().certificates();
      KeyPair authority = null;
      for (int i = 0; authority == null && i < files.size(); i++) {
        KeyPair pair = pair(port, files.get(i), before, password);
        authority = pair.isAuthority() ? pair : null;
      }
      if (authority == null) {
        throw new TlsFileException(
            files.get(0).certificate(),
            "it is not the certificate of an authority, which a port with ssl-bump needs");
      }
      return new HostCertificates(
          authority,
          provider.get(),
          bump.options(),
          alpn,
          bump.cacheBytes(),
          config.get(BumpDirectives.SPLICE_AFTER_REFUSALS),
          worker,
          clock);
    } catch (TlsFileException e) {
      throw new IOException(port.source() + ": " + e.getMessage(), e);
    }
  }

  private ServerTls read(
      ProxyConfig config,
      HttpPort port,
      PortTls tls,
      Map<HttpPort, PortSecurity> before,
      char @Nullable [] password)
      throws IOException {
    try {
      List<KeyPair> pairs = new ArrayList<>();
      for (CertificateFiles files : tls.options().certificates()) {
        KeyPair pair = pair(port, files, before, password);
        if (port.bump() == null || !pair.isAuthority()) {
          pairs.add(pair);
        }
      }
      if (pairs.isEmpty()) {
        throw new TlsFileException(
            tls.options().certificates().get(0).certificate(),
            "it is the certificate of an authority, and the port needs one of its own");
      }
      ServerTls made =
          new ServerTls(
              provider.get(),
              tls.options(),
              pairs,
              auth(tls),
              authorities(tls),
              port.equals(config.get(AdminDirectives.ADMIN_PORT)) ? ADMIN_ALPN : alpn,
              config.get(TlsDirectives.OCSP_STAPLING) ? staples : null);
      ServerTls old = like(port, before);
      if (old != null && !tls.requests()) {
        made.continueTickets(old);
      }
      return made;
    } catch (TlsFileException e) {
      throw new IOException(port.source() + ": " + e.getMessage(), e);
    }
  }

  private KeyPair pair(
      HttpPort port,
      CertificateFiles named,
      Map<HttpPort, PortSecurity> before,
      char @Nullable [] password)
      throws TlsFileException {
    try {
      return KeyPairFile.read(named, password, clock.get());
    } catch (TlsFileException e) {
      for (PortSecurity security : before.values()) {
        for (KeyPair pair : pairs(security)) {
          if (pair.files().equals(named)) {
            LOG.error(
                "{}: {}; the old pair stays in use; next: correct the files, and reload",
                port.source(),
                e.getMessage());
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
  private static @Nullable ServerTls like(HttpPort port, Map<HttpPort, PortSecurity> before) {
    for (Map.Entry<HttpPort, PortSecurity> entry : before.entrySet()) {
      HttpPort other = entry.getKey();
      if (other.port() == port.port()
          && other.address().equals(port.address())
          && port.tls() != null
          && port.tls().equals(other.tls())) {
        return entry.getValue().server();
      }
    }
    return null;
  }
}
