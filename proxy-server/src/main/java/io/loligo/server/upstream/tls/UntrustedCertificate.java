package io.loligo.server.upstream.tls;

import java.security.cert.CertificateException;

/** The certificate of a server is not trusted. */
final class UntrustedCertificate extends CertificateException {
  private static final long serialVersionUID = 1;

  private final CertificateError error;

  /**
   * With its reason.
   *
   * @param detail names the certificate, for the operator
   */
  UntrustedCertificate(CertificateError error, String detail) {
    super(error.squidName() + ": " + error.text() + ": " + detail);
    this.error = error;
  }

  /** The reason. */
  CertificateError error() {
    return error;
  }
}
