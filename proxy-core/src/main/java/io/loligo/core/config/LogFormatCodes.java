package io.loligo.core.config;

import java.util.List;
import java.util.Set;

/**
 * The codes of a logformat. Stateless.
 *
 * <p>A field is {@code % ["|[|#|/|'] [-] [[0]width[.max]] [{arg}] code [{arg}]}; the longest code
 * that fits is meant, the rest is literal text.
 */
public final class LogFormatCodes {
  /** Formats that exist without a line. */
  public static final List<String> BUILT_IN =
      List.of("squid", "common", "combined", "referrer", "useragent");

  private static final Set<String> WITH_VALUE =
      Set.of(
          ">a",
          ">A",
          ">p",
          ">la",
          ">lp",
          "<a",
          "<A",
          "<p",
          "<la",
          "<lp",
          "la",
          "lp",
          "ts",
          "tu",
          "tl",
          "tg",
          "tr",
          "dt",
          "tS",
          "<pt",
          "<tt",
          "busy_time",
          "un",
          "ul",
          "ue",
          "et",
          "ea",
          "credentials",
          ">h",
          "<h",
          "h",
          ">Hs",
          "<Hs",
          "Hs",
          "Ss",
          "Sh",
          "mt",
          "rm",
          ">rm",
          "<rm",
          "ru",
          ">ru",
          "<ru",
          ">rs",
          "<rs",
          ">rd",
          "<rd",
          ">rP",
          "<rP",
          "rp",
          ">rp",
          "<rp",
          "rv",
          ">rv",
          "<rv",
          "st",
          ">st",
          "<st",
          ">sh",
          "<sh",
          "<bs",
          "request_attempts",
          "err_code",
          "err_detail",
          "master_xaction",
          "transport::>connection_id",
          "sn",
          "note",
          "byte",
          "%");

  private static final Set<String> DASH =
      Set.of(
          "ui",
          ">eui",
          "ssl::>sni",
          "ssl::bump_mode",
          "ssl::>negotiated_version",
          "ssl::<negotiated_version",
          "ssl::>negotiated_cipher",
          "ssl::<negotiated_cipher",
          "ssl::>received_hello_version",
          "ssl::<received_hello_version",
          "ssl::>received_supported_version",
          "ssl::<received_supported_version",
          "ssl::>cert_subject",
          "ssl::>cert_issuer",
          "ssl::<cert_subject",
          "ssl::<cert_issuer",
          "ssl::<cert",
          "ssl::<cert_errors",
          "proxy_protocol::>h",
          ">qos",
          "<qos",
          ">nfmark",
          "<nfmark",
          ">ha",
          "<ha",
          "rG",
          "icap::tt",
          "icap::<last_h",
          "adapt::<last_h",
          "adapt::sum_trs",
          "adapt::all_trs",
          "icap::<A",
          "icap::<service_name",
          "icap::ru",
          "icap::rm",
          "icap::>st",
          "icap::<st",
          "icap::<bs",
          "icap::>h",
          "icap::<h",
          "icap::Hs",
          "icap::tr",
          "icap::tio",
          "icap::to");

  private LogFormatCodes() {}

  /** What a format holds that cannot be used: codes unknown and codes that print a dash. */
  record Check(String unknown, String dash) {}

  static Check check(String format) {
    String dash = null;
    int at = 0;
    while ((at = format.indexOf('%', at)) >= 0) {
      at = skipModifiers(format, at + 1);
      String code = longest(WITH_VALUE, format, at);
      String silent = longest(DASH, format, at);
      if (code == null && silent == null) {
        return new Check("%" + excerpt(format, at), dash);
      }
      if (code == null || (silent != null && silent.length() > code.length())) {
        dash = dash == null ? "%" + silent : dash;
        code = silent;
      }
      at += code.length();
    }
    return new Check(null, dash);
  }

  private static int skipModifiers(String format, int start) {
    int at = start;
    if (at < format.length() && "\"[#/'".indexOf(format.charAt(at)) >= 0) {
      at++;
    }
    if (at < format.length() && format.charAt(at) == '-') {
      at++;
    }
    while (at < format.length() && "0123456789.".indexOf(format.charAt(at)) >= 0) {
      at++;
    }
    if (at < format.length() && format.charAt(at) == '{') {
      int end = format.indexOf('}', at);
      at = end < 0 ? at : end + 1;
    }
    return format.startsWith("http::", at) ? at + "http::".length() : at;
  }

  private static String longest(Set<String> codes, String format, int at) {
    String longest = null;
    for (String code : codes) {
      if (format.startsWith(code, at) && (longest == null || code.length() > longest.length())) {
        longest = code;
      }
    }
    return longest;
  }

  private static String excerpt(String format, int at) {
    int end = at;
    while (end < format.length() && !Character.isWhitespace(format.charAt(end)) && end < at + 24) {
      end++;
    }
    return format.substring(at, end);
  }
}
