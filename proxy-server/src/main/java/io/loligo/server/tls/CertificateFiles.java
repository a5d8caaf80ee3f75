package io.loligo.server.tls;

/**
 * The files of a key pair. Immutable.
 *
 * @param certificate the chain, and perhaps the key: PEM, PKCS#12 or JKS
 * @param key the key; the same path if it is in the same file
 */
public record CertificateFiles(String certificate, String key) {
  /** The paths, for the operator. */
  @Override
  public String toString() {
    return certificate.equals(key) ? certificate : certificate + " with " + key;
  }
}
