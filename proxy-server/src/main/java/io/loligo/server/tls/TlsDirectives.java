package io.loligo.server.tls;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives of TLS on all connections. */
public final class TlsDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("TLS");

  /** {@code loligo_tls_provider}: auto, boringssl or jdk. */
  public static final Setting<String> TLS_PROVIDER =
      FEATURE
          .word("loligo_tls_provider", "auto", "auto", "boringssl", "jdk")
          .restart()
          .text(
              "The implementation of TLS. auto: BoringSSL where the system can load it, else the"
                  + " one of the Java runtime. boringssl: the start fails if the system cannot load"
                  + " it.");

  private TlsDirectives() {}
}
