package io.loligo.server.accesslog;

import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The codes of a logformat. Stateless.
 *
 * <p>A field is {@code % ["|[|#|/|'] [-] [[0]width[.max]] [{arg}] code [{arg}]}; the longest code
 * that fits counts, the rest is literal text.
 */
public final class LogFormatCodes {
  /** Formats that exist without a {@code logformat} line. */
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
          "un",
          "ul",
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
          "st",
          ">st",
          "<st",
          ">sh",
          "<sh",
          "<bs",
          "request_attempts",
          "err_code",
          "err_detail",
          "transport::>connection_id",
          "sn",
          "byte",
          "oa",
          ">ha");

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
          "<ha",
          "busy_time",
          "ue",
          "us",
          "et",
          "ea",
          "credentials",
          "<rv",
          "master_xaction",
          "note",
          ">handshake",
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

  private static final Set<String> WITH_ARGUMENT =
      Set.of(
          "tl",
          "tg",
          ">h",
          "h",
          ">ha",
          "<h",
          "<ha",
          "byte",
          "credentials",
          "note",
          "proxy_protocol::>h",
          "adapt::<last_h",
          "icap::<last_h",
          "icap::>h",
          "icap::<h");

  private LogFormatCodes() {}

  /** The greatest width, and the greatest number of bytes, of a field. */
  public static final int MAX_WIDTH = 4096;

  private static final Pattern MODIFIERS =
      Pattern.compile("[\"\\[#/']?-?0?([0-9]*)(?:[.]([0-9]*))?(\\{[^}]*\\})?(?:http::)?");
  private static final Pattern OCTET = Pattern.compile("\\{0{0,5}([1-9][0-9]{0,2})\\}");

  /** Codes with {@code {arg}} before or after them. */
  public static Set<String> withArgument() {
    return WITH_ARGUMENT;
  }

  /** Codes that have a value; the log writer supports these and {@link #dashes} only. */
  public static Set<String> withValue() {
    return WITH_VALUE;
  }

  /** Codes that print a dash in this version. */
  public static Set<String> dashes() {
    return DASH;
  }

  /**
   * The unusable elements of a format: fields with an unknown code, and codes that print a dash.
   */
  record Check(@Nullable String unknown, @Nullable String dash) {}

  /** Whether the log writer can compile {@code format}. */
  public static boolean isUsable(String format) {
    return check(format).unknown == null;
  }

  static Check check(String format) {
    String dash = null;
    int at = 0;
    while ((at = format.indexOf('%', at)) >= 0) {
      final int start = at;
      if (format.startsWith("%%", at)) {
        at += 2;
        continue;
      }
      Matcher modifiers = MODIFIERS.matcher(format).region(at + 1, format.length());
      boolean fits = modifiers.lookingAt() && fits(modifiers.group(1)) && fits(modifiers.group(2));
      at = modifiers.end();
      String code = longest(WITH_VALUE, format, at);
      String silent = longest(DASH, format, at);
      if (silent != null && (code == null || silent.length() > code.length())) {
        dash = dash == null ? "%" + silent : dash;
        code = silent;
      }
      if (code == null || !fits) {
        return new Check(excerpt(format, start), dash);
      }
      at += code.length();
      String argument = modifiers.group(3);
      if (argument == null && WITH_ARGUMENT.contains(code) && format.startsWith("{", at)) {
        int end = format.indexOf('}', at) + 1;
        argument = format.substring(at, Math.max(at, end));
        at += argument.length();
      }
      if ("".equals(argument) || (code.equals("byte") && !isOctet(argument))) {
        return new Check(excerpt(format, start), dash);
      }
    }
    return new Check(null, dash);
  }

  private static boolean fits(@Nullable String width) {
    return width == null
        || width.isEmpty()
        || (width.length() <= 6 && Integer.parseInt(width) <= MAX_WIDTH);
  }

  private static boolean isOctet(@Nullable String argument) {
    String text = argument == null ? "" : argument;
    Matcher number = OCTET.matcher(text);
    return number.matches() && text.length() <= 8 && Integer.parseInt(number.group(1)) <= 255;
  }

  private static @Nullable String longest(Set<String> codes, String format, int at) {
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
