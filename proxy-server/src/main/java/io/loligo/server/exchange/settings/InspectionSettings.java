package io.loligo.server.exchange.settings;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.bump.BumpDirectives;
import io.loligo.server.bump.BumpRules;
import io.loligo.server.bump.CertificateRules;
import io.loligo.server.bump.UnsupportedProtocol;
import io.loligo.server.tls.TlsDirectives;
import io.loligo.server.upstream.OriginDirectives;
import io.loligo.server.upstream.OutgoingTls;
import io.loligo.server.upstream.OutgoingTlsDirectives;

/** The values of one configuration about inspected tunnels. Immutable. */
public final class InspectionSettings {
  /** {@code ssl_bump}: the fate of each tunnel. */
  public final BumpRules rules;

  /** {@code sslproxy_cert_sign} and {@code sslproxy_cert_adapt}: certificates for clients. */
  public final CertificateRules certificates;

  /** {@code on_unsupported_protocol}: the fate of tunnels that do not begin with TLS. */
  public final UnsupportedProtocol unsupported;

  /** {@code loligo_tls_handshake_timeout}, in milliseconds: the wait for the first message. */
  public final long firstMessageMillis;

  /** {@code tls_outgoing_options}: TLS with the servers of bumped tunnels. */
  public final OutgoingTls outgoingTls;

  /** Whether origins are offered HTTP/2. */
  public final boolean originHttp2;

  InspectionSettings(ProxyConfig config) {
    rules = config.get(BumpDirectives.SSL_BUMP);
    certificates = BumpDirectives.certificates(config);
    unsupported = config.get(BumpDirectives.ON_UNSUPPORTED_PROTOCOL);
    firstMessageMillis = config.get(TlsDirectives.TLS_HANDSHAKE_TIMEOUT);
    originHttp2 = config.get(OriginDirectives.ORIGIN_HTTP2);
    outgoingTls = config.get(OutgoingTlsDirectives.TLS_OUTGOING_OPTIONS);
  }
}
