package io.loligo.server.record;

import io.loligo.server.tls.TlsFault;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS on a connection to an origin or a parent. Immutable; made once for the connection.
 *
 * @param version such as {@code TLSv1.3}
 * @param cipher the IANA name of the cipher suite
 * @param protocol the one chosen by ALPN; null: the server chose none
 * @param certificate of the server, or null
 * @param tolerated faults of the certificate that the configuration tolerated
 * @param once whether a rule for one request tolerated them: the connection serves no other
 */
public record HopTls(
    String version,
    String cipher,
    @Nullable String protocol,
    @Nullable X509Certificate certificate,
    List<TlsFault> tolerated,
    boolean once) {
  /** HTTP/2 in ALPN. */
  public static final String HTTP_2 = "h2";

  /** Whether the server chose HTTP/2. */
  public boolean isHttp2() {
    return HTTP_2.equals(protocol);
  }
}
