package io.loligo.server.tls;

import io.loligo.core.config.Line;
import io.loligo.core.config.Report;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the words about TLS that ports, {@code cache_peer} and {@code tls_outgoing_options} share.
 * A word that restricts takes effect or stops the start. A word that only names a weaker or
 * obsolete choice gets a warning. Confined to one thread.
 *
 * <p>The caller removes its prefix ({@code tls-}, {@code ssl}), and gives the rest as {@code name}:
 *
 * <pre>
 *   cert=FILE key=FILE                     key pairs, repeated; a key belongs to the cert before it
 *   min-version=1.0|1.1|1.2|1.3            version=1..6 (Squid 3)
 *   options=NO_TLSv1_3,NO_TICKET...        cipher=LIST
 *   cafile=FILE capath=FOLDER crlfile=FILE default-ca[=off]
 *   flags=FLAG[,FLAG...]                   no-npn
 * </pre>
 */
public final class TlsWords {
  /** Options of OpenSSL that hold here anyway. */
  private static final Set<String> HOLDING =
      Set.of(
          "NO_SSLV2",
          "NO_SSLV3",
          "NO_TLSV1",
          "NO_TLSV1_0",
          "NO_TLSV1_1",
          "NO_COMPRESSION",
          "NO_RENEGOTIATION",
          "SINGLE_DH_USE",
          "SINGLE_ECDH_USE",
          "CIPHER_SERVER_PREFERENCE");

  /** Options that work around old peers, or concern algorithms that are not in use. */
  private static final Set<String> OBSOLETE =
      Set.of(
          "ALL",
          "NETSCAPE_REUSE_CIPHER_CHANGE_BUG",
          "SSLREF2_REUSE_CERT_TYPE_BUG",
          "MICROSOFT_BIG_SSLV3_BUFFER",
          "MICROSOFT_SESS_ID_BUG",
          "NETSCAPE_CHALLENGE_BUG",
          "NETSCAPE_DEMO_CIPHER_CHANGE_BUG",
          "NETSCAPE_CA_DN_BUG",
          "MSIE_SSLV2_RSA_PADDING",
          "SSLEAY_080_CLIENT_DH_BUG",
          "TLS_D5_BUG",
          "TLS_BLOCK_PADDING_BUG",
          "TLS_ROLLBACK_BUG",
          "DONT_INSERT_EMPTY_FRAGMENTS",
          "EPHEMERAL_RSA",
          "PKCS1_CHECK_1",
          "PKCS1_CHECK_2",
          "NON_EXPORT_FIRST");

  private static final long BIT_NO_TICKET = 0x4000;
  private static final long BIT_NO_TLS_1_2 = 0x08000000;
  private static final long BIT_NO_TLS_1_3 = 0x20000000;

  /** Versions below 1.2, compression, server preference, single use of DH keys. */
  private static final long BITS_HOLDING =
      0x01000000L | 0x02000000 | 0x04000000 | 0x10000000 | 0x20000 | 0x400000 | 0x80000 | 0x100000;

  private final Line line;
  private final Report report;
  private final List<CertificateFiles> certificates = new ArrayList<>();
  private final EnumSet<TlsVersion> versions = EnumSet.allOf(TlsVersion.class);
  private final List<String> caFiles = new ArrayList<>();
  private final EnumSet<TlsFlag> flags = EnumSet.noneOf(TlsFlag.class);
  private List<String> suites = CipherSuite.defaults();
  private @Nullable String caPath;
  private @Nullable String crlFile;
  private @Nullable Boolean defaultCa;
  private boolean tickets = true;
  private boolean given;

  /** Words of {@code line}; problems go to {@code report}. */
  public TlsWords(Line line, Report report) {
    this.line = line;
    this.report = report;
  }

  /** Whether any word was taken. */
  public boolean given() {
    return given;
  }

  /**
   * Takes a word.
   *
   * @param word as written
   * @param name of the option without its prefix, such as {@code cert}
   * @param value behind the equals sign; null: there is none
   * @return whether the option is one of TLS
   */
  public boolean take(String word, String name, @Nullable String value) {
    switch (name) {
      case "cert" -> certificate(needed(word, value));
      case "key" -> key(word, needed(word, value));
      case "min-version" -> minVersion(word, value == null ? "" : value);
      case "version" -> version(word, value == null ? "" : value);
      case "options" -> options(needed(word, value));
      case "cipher" -> cipher(word, needed(word, value));
      case "cafile" -> authorities(needed(word, value));
      case "capath" -> caPath = needed(word, value);
      case "crlfile" -> crlFile = needed(word, value);
      case "flags" -> flags(word, needed(word, value));
      case "default-ca" -> defaultCa = defaultCa(word, value);
      case "no-npn" -> {} // NPN is obsolete, and not spoken
      default -> {
        return false;
      }
    }
    given = true;
    return true;
  }

  private @Nullable String needed(String word, @Nullable String value) {
    if (value == null || value.isEmpty()) {
      int equals = word.indexOf('=');
      report.error(line, word, (equals < 0 ? word : word.substring(0, equals)) + "=VALUE", "");
      return null;
    }
    return value;
  }

  private void certificate(@Nullable String path) {
    if (path != null) {
      certificates.add(new CertificateFiles(path, path));
    }
  }

  private void key(String word, @Nullable String path) {
    if (certificates.isEmpty()) {
      report.error(line, word, "the certificate before its key", "");
    } else if (path != null) {
      int last = certificates.size() - 1;
      certificates.set(last, new CertificateFiles(certificates.get(last).certificate(), path));
    }
  }

  private void authorities(@Nullable String path) {
    if (path != null) {
      caFiles.add(path);
    }
  }

  private void minVersion(String word, String value) {
    switch (value) {
      case "1.0", "1.1" -> report.warning(line, word, "", "TLS 1.2 is the least version anyway");
      case "1.2" -> {}
      case "1.3" -> versions.remove(TlsVersion.TLS_1_2);
      default -> report.error(line, word, "1.0, 1.1, 1.2 or 1.3", "");
    }
  }

  private void version(String word, String value) {
    switch (value) {
      case "1" -> {}
      case "2", "3", "4", "5" ->
          report.warning(line, word, "", "obsolete: TLS 1.2 and 1.3 are spoken");
      case "6" -> versions.remove(TlsVersion.TLS_1_3);
      default -> report.error(line, word, "a number from 1 to 6", "use min-version");
    }
  }

  private void options(@Nullable String value) {
    if (value == null) {
      return;
    }
    for (String one : value.split("[,:]+", -1)) {
      if (!one.isEmpty()) {
        option(one);
      }
    }
  }

  private void option(String word) {
    boolean off = word.startsWith("!") || word.startsWith("-");
    String name = off ? word.substring(1) : word;
    String upper = name.toUpperCase(Locale.ROOT);
    switch (upper) {
      case "NO_TLSV1_2" -> exclude(TlsVersion.TLS_1_2, off);
      case "NO_TLSV1_3" -> exclude(TlsVersion.TLS_1_3, off);
      case "NO_TICKET" -> tickets = off;
      default -> {
        if (upper.matches("0X[0-9A-F]{1,8}") && !off) {
          bits(word, Long.parseLong(upper.substring(2), 16));
        } else if (OBSOLETE.contains(upper)) {
          report.warning(line, word, "", "accepted without effect: obsolete");
        } else if (upper.matches("NO_(TLS|SSL)_?V?(1|2|3|1[._][01])") && !HOLDING.contains(upper)) {
          report.warning(line, word, "", "an unknown spelling; TLS 1.2 is the least version");
        } else if (!HOLDING.contains(upper)) {
          report.restricts(line, word, "this option of TLS is not known");
        } else if (off) {
          report.warning(line, word, "", "accepted without effect: " + name + " holds");
        }
      }
    }
  }

  private void bits(String word, long bits) {
    if ((bits & BIT_NO_TLS_1_2) != 0) {
      versions.remove(TlsVersion.TLS_1_2);
    }
    if ((bits & BIT_NO_TLS_1_3) != 0) {
      versions.remove(TlsVersion.TLS_1_3);
    }
    if ((bits & BIT_NO_TICKET) != 0) {
      tickets = false;
    }
    if ((bits & ~(BITS_HOLDING | BIT_NO_TLS_1_2 | BIT_NO_TLS_1_3 | BIT_NO_TICKET)) != 0) {
      report.restricts(line, word, "it has a bit that is not known; write names");
    }
  }

  private void exclude(TlsVersion version, boolean off) {
    if (off) {
      versions.add(version);
    } else {
      versions.remove(version);
    }
  }

  private void cipher(String word, @Nullable String value) {
    if (value == null) {
      return;
    }
    CipherList list = CipherList.of(value);
    if (!list.unknown().isEmpty()) {
      report.restricts(
          line, String.join(":", list.unknown()), "this word of cipher= is not understood");
    } else if (list.suites().isEmpty()) {
      report.error(line, word, "a cipher suite that this version has", "remove the option");
    }
    if (!list.empty().isEmpty()) {
      String words = String.join(":", list.empty());
      report.warning(line, words, "", "these words name no suite of this version");
    }
    suites = list.suites();
  }

  private void flags(String word, @Nullable String value) {
    if (value == null) {
      return;
    }
    for (String one : value.split("[,:]+", -1)) {
      try {
        flags.add(TlsFlag.valueOf(one));
      } catch (IllegalArgumentException e) {
        report.restricts(line, word, "the flag " + one + " is not known");
      }
    }
  }

  private @Nullable Boolean defaultCa(String word, @Nullable String value) {
    if (value == null || value.equals("on")) {
      return true;
    }
    if (!value.equals("off")) {
      report.error(line, word, "on or off", "");
    }
    return false;
  }

  /** The options of the line. Called once, after the last word. */
  public TlsOptions options() {
    if (versions.isEmpty()) {
      report.error(line, "options=", "TLS 1.2 or TLS 1.3", "both are excluded");
    }
    boolean checksCrl =
        flags.contains(TlsFlag.VERIFY_CRL) || flags.contains(TlsFlag.VERIFY_CRL_ALL);
    if (checksCrl && crlFile == null) {
      report.restricts(line, "VERIFY_CRL", "there is no crlfile=");
    }
    return TlsOptions.builder()
        .certificates(List.copyOf(certificates))
        .versions(Set.copyOf(versions))
        .suites(suites)
        .caFiles(List.copyOf(caFiles))
        .caPath(caPath)
        .crlFile(crlFile)
        .flags(Set.copyOf(flags))
        .tickets(tickets)
        .defaultCa(defaultCa)
        .build();
  }
}
