package io.loligo.server.upstream.tls;

import io.loligo.server.tls.TlsFault;
import java.security.cert.CertificateException;

/** The certificate of a server is not trusted. */
final class UntrustedCertificate extends CertificateException {
  private static final long serialVersionUID = 1;

  private final TlsFault fault;

  /**
   * With its reason.
   *
   * @param detail names the certificate, for the operator
   */
  UntrustedCertificate(TlsFault fault, String detail) {
    super(fault.squidName() + ": " + fault.text() + ": " + detail);
    this.fault = fault;
  }

  /** The reason. */
  TlsFault fault() {
    return fault;
  }
}
