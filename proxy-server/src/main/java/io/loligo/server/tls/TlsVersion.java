package io.loligo.server.tls;

/** A version of TLS that a connection may have. Older versions are not spoken. */
public enum TlsVersion {
  TLS_1_2("TLSv1.2", "1.2"),
  TLS_1_3("TLSv1.3", "1.3");

  private final String protocol;
  private final String number;

  TlsVersion(String protocol, String number) {
    this.protocol = protocol;
    this.number = number;
  }

  /** The name that providers use, such as {@code TLSv1.3}. */
  public String protocol() {
    return protocol;
  }

  /** The number alone, such as {@code 1.3}. */
  public String number() {
    return number;
  }
}
