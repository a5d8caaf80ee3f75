package io.loligo.server.record;

/** Why a client's connection ended within its TLS handshake, or because of a broken record. */
public enum TlsFailure {
  /** The client speaks no TLS. */
  PLAINTEXT("the client speaks no TLS"),
  /** Bytes that are no TLS, or a broken record. */
  MALFORMED("malformed TLS"),
  /** A first message above the limit. */
  OVERSIZED("the first message is too large"),
  /** A server name with forbidden characters. */
  SERVER_NAME("the server name has forbidden characters"),
  /** No version of TLS in common. */
  VERSION("the client has no version of TLS in common"),
  /** No cipher suite in common. */
  CIPHER("the client has no cipher suite in common"),
  /** The client's certificate is missing, or not trusted. */
  CERTIFICATE("the client's certificate is missing or not trusted"),
  /** The client refused, as a rule because it does not trust the certificate. */
  REFUSED("the client refused the certificate or the parameters"),
  /** The handshake took too long. */
  TIMEOUT("the handshake took too long"),
  /** The client left. */
  GONE("the client left within the handshake"),
  /** Anything else. */
  OTHER("the handshake failed");

  private final String text;

  TlsFailure(String text) {
    this.text = text;
  }

  /** For the operator. */
  public String text() {
    return text;
  }
}
