package io.loligo.server.tls;

import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * The server in whose place the proxy does a handshake. Immutable.
 *
 * @param name the name or the address that the client asked for, in lower case
 * @param certificate the certificate of the server, verified or tolerated, which the one of the
 *     proxy mimics; null: there is none, so the certificate is for the name
 * @param terms of the certificate for the client; the usual ones without {@code certificate}
 */
public record ServerIdentity(
    String name, @Nullable X509Certificate certificate, CertificateTerms terms) {
  /** A server whose certificate is not known. */
  public static ServerIdentity unknown(String name) {
    return new ServerIdentity(name, null, CertificateTerms.USUAL);
  }
}
