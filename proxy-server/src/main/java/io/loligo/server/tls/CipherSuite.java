package io.loligo.server.tls;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cipher suite of TLS 1.2 that every provider has, in order of preference. The first six, which
 * are in use without a {@code cipher=}, have forward secrecy and authenticated encryption.
 */
enum CipherSuite {
  ECDHE_ECDSA_AES128_GCM("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
  ECDHE_RSA_AES128_GCM("ECDHE-RSA-AES128-GCM-SHA256", "ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
  ECDHE_ECDSA_CHACHA20(
      "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
  ECDHE_RSA_CHACHA20("ECDHE-RSA-CHACHA20-POLY1305", "ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
  ECDHE_ECDSA_AES256_GCM("ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
  ECDHE_RSA_AES256_GCM("ECDHE-RSA-AES256-GCM-SHA384", "ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
  ECDHE_ECDSA_AES128("ECDHE-ECDSA-AES128-SHA", "ECDHE_ECDSA_WITH_AES_128_CBC_SHA"),
  ECDHE_RSA_AES128("ECDHE-RSA-AES128-SHA", "ECDHE_RSA_WITH_AES_128_CBC_SHA"),
  ECDHE_ECDSA_AES256("ECDHE-ECDSA-AES256-SHA", "ECDHE_ECDSA_WITH_AES_256_CBC_SHA"),
  ECDHE_RSA_AES256("ECDHE-RSA-AES256-SHA", "ECDHE_RSA_WITH_AES_256_CBC_SHA"),
  RSA_AES128_GCM("AES128-GCM-SHA256", "RSA_WITH_AES_128_GCM_SHA256"),
  RSA_AES256_GCM("AES256-GCM-SHA384", "RSA_WITH_AES_256_GCM_SHA384"),
  RSA_AES128("AES128-SHA", "RSA_WITH_AES_128_CBC_SHA"),
  RSA_AES256("AES256-SHA", "RSA_WITH_AES_256_CBC_SHA");

  /** Words that name suites of OpenSSL, none of which exists here. */
  private static final Set<String> ABSENT =
      Set.of(
          "aNULL",
          "eNULL",
          "NULL",
          "COMPLEMENTOFALL",
          "COMPLEMENTOFDEFAULT",
          "EXP",
          "EXPORT",
          "EXPORT40",
          "EXPORT56",
          "LOW",
          "MEDIUM",
          "DES",
          "3DES",
          "RC2",
          "RC4",
          "IDEA",
          "SEED",
          "CAMELLIA",
          "CAMELLIA128",
          "CAMELLIA256",
          "ARIA",
          "ARIA128",
          "ARIA256",
          "AESCCM",
          "AESCCM8",
          "MD5",
          "SHA256",
          "SHA384",
          "GOST94",
          "GOST89MAC",
          "aGOST",
          "aGOST01",
          "kGOST",
          "DSS",
          "aDSS",
          "DH",
          "ADH",
          "aDH",
          "AECDH",
          "aECDH",
          "DHE",
          "kDHE",
          "EDH",
          "kEDH",
          "kDH",
          "kDHr",
          "kDHd",
          "kECDH",
          "kECDHr",
          "kECDHe",
          "KRB5",
          "kKRB5",
          "aKRB5",
          "FZA",
          "PSK",
          "kPSK",
          "aPSK",
          "kECDHEPSK",
          "kDHEPSK",
          "kRSAPSK",
          "SRP",
          "kSRP",
          "aSRP",
          "SSLv2");

  private static final int DEFAULTS = 6;
  private final String name;
  private final String iana;

  CipherSuite(String name, String iana) {
    this.name = name;
    this.iana = "TLS_" + iana;
  }

  /** The IANA name. */
  String iana() {
    return iana;
  }

  /** Bits of its key. */
  int bits() {
    return name.contains("AES128") ? 128 : 256;
  }

  /** The names of the suites in use without a {@code cipher=}. */
  static List<String> defaults() {
    return Stream.of(values()).limit(DEFAULTS).map(CipherSuite::iana).toList();
  }

  /**
   * The suites that {@code word} of OpenSSL's cipher list names, without its sign; none if it names
   * suites that do not exist here; null if it is unknown.
   */
  static @Nullable List<CipherSuite> named(String word) {
    List<CipherSuite> found = List.of(values());
    for (String part : word.split("\\+", -1)) {
      if (!isKnown(part)) {
        return null;
      }
      found = found.stream().filter(suite -> suite.is(part)).toList();
    }
    return found;
  }

  private static boolean isKnown(String word) {
    return ABSENT.contains(word)
        || word.matches("[A-Z0-9]+(-[A-Z0-9]+)+")
        || Arrays.stream(values()).anyMatch(suite -> suite.is(word));
  }

  private boolean is(String word) {
    return switch (word) {
      case "ALL", "HIGH" -> true;
      case "DEFAULT" -> ordinal() < DEFAULTS;
      case "ECDHE", "EECDH", "kECDHE", "kEECDH", "ECDH" -> name.startsWith("ECDHE");
      case "kRSA" -> !name.startsWith("ECDHE");
      case "RSA" -> !name.startsWith("ECDHE");
      case "aRSA" -> !isEcdsa();
      case "ECDSA", "aECDSA" -> isEcdsa();
      case "AES" -> name.contains("AES");
      case "AES128" -> name.contains("AES128");
      case "AES256" -> name.contains("AES256");
      case "AESGCM" -> name.contains("GCM");
      case "CHACHA20" -> name.contains("CHACHA20");
      case "SHA", "SHA1" -> isCbc();
      case "SSLv3" -> isCbc() && !name.startsWith("ECDHE");
      case "TLSv1", "TLSv1.0" -> isCbc() && name.startsWith("ECDHE");
      case "TLSv1.2" -> !isCbc();
      default -> name.equals(word) || iana.equals(word);
    };
  }

  private boolean isEcdsa() {
    return name.contains("ECDSA");
  }

  private boolean isCbc() {
    return name.endsWith("-SHA");
  }
}
