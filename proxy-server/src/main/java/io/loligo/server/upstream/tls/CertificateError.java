package io.loligo.server.upstream.tls;

import java.util.Locale;

/** Why a certificate is not trusted, as OpenSSL and Squid name it. */
public enum CertificateError {
  /** Its validity is over. */
  CERT_HAS_EXPIRED("the certificate has expired"),
  /** Its validity has not begun. */
  CERT_NOT_YET_VALID("the certificate is not valid yet"),
  /** Its own key has signed it. */
  DEPTH_ZERO_SELF_SIGNED_CERT("the certificate is self-signed"),
  /** The authority at the end of its chain is not trusted. */
  SELF_SIGNED_CERT_IN_CHAIN("the authority at the end of the chain is not trusted"),
  /** The server did not send its authority, or that is not trusted. */
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY("no trusted authority has issued the certificate"),
  /** A list of revoked certificates contains it. */
  CERT_REVOKED("the certificate was revoked"),
  /** No list says whether it was revoked. */
  UNABLE_TO_GET_CRL("no list tells whether the certificate was revoked"),
  /** A signature in its chain is wrong. */
  CERT_SIGNATURE_FAILURE("a signature in the chain of the certificate is wrong"),
  /** A key or an algorithm in its chain is too weak. */
  CA_MD_TOO_WEAK("the chain of the certificate uses a weak key or algorithm"),
  /** It is for other servers. */
  DOMAIN_MISMATCH("the certificate is for other names"),
  /** Anything else. */
  CERT_UNTRUSTED("the certificate is not trusted");

  private final String text;

  CertificateError(String text) {
    this.text = text;
  }

  /** A sentence without its full stop, for clients and operators. */
  public String text() {
    return text;
  }

  /** Squid's name, as its ACL type ssl_error spells it. */
  public String squidName() {
    return (this == DOMAIN_MISMATCH ? "SQUID_X509_V_ERR_" : "X509_V_ERR_")
        + name().toUpperCase(Locale.ROOT);
  }
}
