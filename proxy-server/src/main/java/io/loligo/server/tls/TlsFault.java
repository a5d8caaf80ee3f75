package io.loligo.server.tls;

/**
 * Why a handshake with a server failed. Faults of certificates have the names of OpenSSL and Squid.
 */
public enum TlsFault {
  /** The validity of the certificate is over. */
  CERT_HAS_EXPIRED("the certificate has expired"),
  /** The validity of the certificate has not begun. */
  CERT_NOT_YET_VALID("the certificate is not valid yet"),
  /** The own key of the certificate has signed it. */
  DEPTH_ZERO_SELF_SIGNED_CERT("the certificate is self-signed"),
  /** The authority at the end of the chain is not trusted. */
  SELF_SIGNED_CERT_IN_CHAIN("the authority at the end of the chain is not trusted"),
  /** The peer did not send the authority, or that is not trusted. */
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY("no trusted authority has issued the certificate"),
  /** A list of revoked certificates contains the certificate. */
  CERT_REVOKED("the certificate was revoked"),
  /** No list says whether the certificate was revoked. */
  UNABLE_TO_GET_CRL("no list tells whether the certificate was revoked"),
  /** A signature in the chain is wrong. */
  CERT_SIGNATURE_FAILURE("a signature in the chain of the certificate is wrong"),
  /** A key or an algorithm in the chain is too weak. */
  CA_MD_TOO_WEAK("the chain of the certificate uses a weak key or algorithm"),
  /** The certificate is for other servers. */
  DOMAIN_MISMATCH("the certificate is for other names"),
  /** Any other fault of the certificate. */
  CERT_UNTRUSTED("the certificate is not trusted"),

  /** The first bytes of the peer are not those of TLS. */
  PLAINTEXT("the peer does not speak TLS"),
  /** The connection ended. */
  CLOSED("closed within the handshake"),
  /** The handshake took too long. */
  TIMEOUT("the handshake timed out"),
  /** The peer, or this side, found no common parameters or a wrong message. */
  PROTOCOL("the handshake failed"),
  /** A file of the configuration cannot be used. */
  FILES("a file of the configuration cannot be used");

  private final String text;
  private final String squidName;

  TlsFault(String text) {
    this.text = text;
    String prefix = name().equals("DOMAIN_MISMATCH") ? "SQUID_X509_V_ERR_" : "X509_V_ERR_";
    this.squidName = prefix + name();
  }

  /** A sentence without its full stop, for peers and operators. */
  public String text() {
    return text;
  }

  /** {@link #squidName} for a fault of a certificate, else {@link #text}. A constant. */
  public String reason() {
    return isOfCertificate() ? squidName : text;
  }

  /** Whether the certificate of the peer is the reason. */
  public boolean isOfCertificate() {
    return compareTo(PLAINTEXT) < 0;
  }

  /** Squid's name of a fault of a certificate, as the ACL type ssl_error spells it. */
  public String squidName() {
    return squidName;
  }
}
