package io.loligo.server.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

/** The implementation of TLS in use, the same for all connections of the process. */
public enum TlsProvider {
  /** BoringSSL, a native library in the jar. */
  BORINGSSL(SslProvider.OPENSSL_REFCNT),
  /** The one of the Java runtime. */
  JDK(SslProvider.JDK);

  private static final String REJECT_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

  private final SslProvider netty;

  TlsProvider(SslProvider netty) {
    this.netty = netty;
  }

  /** Netty's name of it, for its contexts. */
  public SslProvider netty() {
    return netty;
  }

  /**
   * Follows {@code loligo_tls_provider}. Loads the native library, which takes some milliseconds.
   *
   * @param setting {@code auto}, {@code boringssl} or {@code jdk}
   * @throws IllegalArgumentException if the machine does not support it
   */
  public static TlsProvider choose(String setting) {
    return switch (setting) {
      case "auto" -> OpenSsl.isAvailable() ? BORINGSSL : jdk();
      case "jdk" -> jdk();
      case "boringssl" -> {
        if (!OpenSsl.isAvailable()) {
          throw new IllegalArgumentException(
              "loligo_tls_provider boringssl: not available here: "
                  + OpenSsl.unavailabilityCause());
        }
        yield BORINGSSL;
      }
      default ->
          throw new IllegalArgumentException(
              "loligo_tls_provider: " + setting + " (expected: auto, boringssl or jdk)");
    };
  }

  /** BoringSSL refuses renegotiation by itself. The Java runtime reads the property once. */
  private static TlsProvider jdk() {
    if (System.getProperty(REJECT_RENEGOTIATION) == null) {
      System.setProperty(REJECT_RENEGOTIATION, "true");
    }
    return JDK;
  }

  /** Name and version, and why it is not the native one, for the log. */
  public String description() {
    if (this == BORINGSSL) {
      return OpenSsl.versionString();
    }
    String java = "Java " + Runtime.version();
    Throwable why = OpenSsl.unavailabilityCause();
    return why == null ? java : java + " (BoringSSL cannot be loaded: " + why + ")";
  }
}
