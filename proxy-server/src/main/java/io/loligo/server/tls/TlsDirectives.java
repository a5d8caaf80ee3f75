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
          .restart("a native library is loaded once, and open TLS connections belong to it")
          .text(
              "The implementation of TLS. auto: BoringSSL where the system can load it, else the"
                  + " one of the Java runtime. boringssl: the start fails if the system cannot load"
                  + " it.");

  /** {@code loligo_tls_check_interval}: milliseconds; 0: never. */
  public static final Setting<Long> TLS_CHECK_INTERVAL =
      FEATURE
          .millis("loligo_tls_check_interval", "10 seconds")
          .text(
              "How often the proxy looks whether the files of its TLS ports have changed. It reads"
                  + " changed ones again, for new connections. If a key pair is not usable, the"
                  + " old one stays in use. 0: a reload reads them.");

  /** {@code loligo_tls_handshake_timeout}: milliseconds. */
  public static final Setting<Long> TLS_HANDSHAKE_TIMEOUT =
      FEATURE
          .millis("loligo_tls_handshake_timeout", "30 seconds")
          .text(
              "Longest time of a client's TLS handshake, from the connection to its end, and"
                  + " longest wait for the first message in an inspected tunnel. Squid uses"
                  + " request_timeout.");

  /** {@code loligo_ocsp_stapling}. */
  public static final Setting<Boolean> OCSP_STAPLING =
      FEATURE
          .flag("loligo_ocsp_stapling", "on")
          .text(
              "Whether clients of TLS ports get OCSP responses with certificates. A response comes"
                  + " from FILE.ocsp beside tls-cert=FILE, or from the responder that the"
                  + " certificate names; the proxy asks it when half of the validity of the last"
                  + " response is over. The file has to contain the certificate of the issuer too."
                  + " The TLS of the Java runtime sends none.");

  /** {@code loligo_tls_password_file}: the empty string: none. */
  public static final Setting<String> TLS_PASSWORD_FILE =
      FEATURE
          .path("loligo_tls_password_file", "none")
          .text(
              "A file whose first line is the password of encrypted private keys and of key"
                  + " stores (PKCS#12, JKS) of TLS ports. none: they have none.");

  private TlsDirectives() {}
}
