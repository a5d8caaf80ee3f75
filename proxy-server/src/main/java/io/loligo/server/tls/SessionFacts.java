package io.loligo.server.tls;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The results of a handshake with a client. Immutable.
 *
 * @param hello the client's first message
 * @param version such as {@code TLSv1.3}
 * @param cipher the cipher suite
 * @param certificate of the client, verified; null: it has presented none
 * @param decrypted whether the proxy stands for another server, as {@code ssl_bump} says
 */
public record SessionFacts(
    ClientHello hello,
    String version,
    String cipher,
    @Nullable PeerCertificate certificate,
    boolean decrypted) {

  /** Those of a finished handshake with the proxy itself; parameters as above. */
  public static SessionFacts of(SSLEngine engine, ClientHello hello) {
    SSLSession session = engine.getSession();
    return new SessionFacts(
        hello, session.getProtocol(), session.getCipherSuite(), peer(session), false);
  }

  /**
   * Those of a finished handshake in the place of another server.
   *
   * @param before of the connection that has become a tunnel; null: it is in clear text. Its
   *     certificate still tells who the client is
   */
  public static SessionFacts decrypted(
      SSLEngine engine, ClientHello hello, @Nullable SessionFacts before) {
    SSLSession session = engine.getSession();
    return new SessionFacts(
        hello,
        session.getProtocol(),
        session.getCipherSuite(),
        before == null ? null : before.certificate(),
        true);
  }

  private static @Nullable PeerCertificate peer(SSLSession session) {
    try {
      Certificate[] chain = session.getPeerCertificates();
      List<X509Certificate> certificates = new ArrayList<>(chain.length);
      for (Certificate one : chain) {
        if (one instanceof X509Certificate x509) {
          certificates.add(x509);
        }
      }
      return certificates.isEmpty() ? null : new PeerCertificate(certificates);
    } catch (SSLPeerUnverifiedException none) {
      return null;
    }
  }
}
