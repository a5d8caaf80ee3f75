package io.loligo.server.tls;

import org.jspecify.annotations.Nullable;

/**
 * How a made certificate differs from the one of its server. Immutable.
 *
 * @param signing its signer
 * @param authoritysBegin whether its validity begins with that of the port's authority
 * @param authoritysEnd whether its validity ends with that of the port's authority
 * @param commonName its only name; null: it has the names of the server's certificate
 */
public record CertificateTerms(
    CertificateSigning signing,
    boolean authoritysBegin,
    boolean authoritysEnd,
    @Nullable String commonName) {
  /** A trusted certificate that differs in nothing. */
  public static final CertificateTerms USUAL =
      new CertificateTerms(CertificateSigning.TRUSTED, false, false, null);
}
