package io.loligo.server.upstream.route;

import io.loligo.server.tls.TlsOptions;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.HopSecurity;
import io.loligo.server.upstream.LoginPassing;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.RequestForm;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Makes a {@link CachePeer} of a {@code cache_peer} line. Stateless. */
public final class CachePeers {
  private CachePeers() {}

  /** The peer of {@code line}. */
  public static CachePeer of(Peer line) {
    return CachePeer.at(line.host(), line.port())
        .name(line.name())
        .form(
            new RequestForm(
                !line.originServer(),
                line.forcedDomain(),
                credentials(line.login()),
                line.frontEndHttps(),
                LoginPassing.of(line.login()),
                false))
        .connectMillis(line.connectTimeoutMillis())
        .failLimit(line.connectFailLimit())
        .maxConnections(line.maxConnections())
        .proxyOnly(line.proxyOnly())
        .delays(line.delays())
        .standby(line.standby())
        .slowStartMillis(line.slowStartMillis())
        .security(security(line))
        .proxyProtocol(line.proxyProtocol())
        .kerberos(line.kerberos())
        .build();
  }

  private static @Nullable HopSecurity security(Peer line) {
    TlsOptions options = line.tls();
    if (options == null) {
      return null;
    }
    String domain = line.tlsDomain();
    // a connection with a header belongs to one client: sharing it is of no use
    boolean http2 = line.http2() && line.proxyProtocol() == null;
    return new HopSecurity(domain == null ? line.host() : domain, options, http2);
  }

  /** Those of {@code login=user:password}; null for PASS and its kind. */
  private static @Nullable String credentials(@Nullable String login) {
    if (login == null || login.indexOf(':') <= 0 || login.startsWith("*")) {
      return null;
    }
    byte[] bytes = login.getBytes(StandardCharsets.ISO_8859_1);
    return "Basic " + Base64.getEncoder().encodeToString(bytes);
  }
}
