package io.loligo.server.tls;

/** The signer of a certificate that is made for a client. */
public enum CertificateSigning {
  /** The authority of the port, which clients trust. */
  TRUSTED("signTrusted"),
  /** An authority that no client trusts. */
  UNTRUSTED("signUntrusted"),
  /** The certificate's own key. */
  SELF("signSelf");

  private final String word;

  CertificateSigning(String word) {
    this.word = word;
  }

  /** The word in a configuration. */
  public String word() {
    return word;
  }
}
