package io.loligo.server.accesslog;

import java.util.Arrays;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The codes of a logformat. Stateless.
 *
 * <p>A field is {@code % ["|[|#|/|'] [-] [[0]width[.max]] [{arg}] code [{arg}]}; the longest code
 * that fits counts, the rest is literal text.
 */
public final class LogFormatCodes {
  private static final Set<String> WITH_VALUE = spellings(code -> !code.writesNothing());

  /** Codes that print a dash in this version. */
  private static final Set<String> DASH = spellings(LogCode::writesNothing);

  /** Codes with {@code {arg}} before or after them. */
  private static final Set<String> WITH_ARGUMENT = spellings(code -> code.kind().takesArgument());

  private LogFormatCodes() {}

  /** The greatest width, and the greatest number of bytes, of a field. */
  public static final int MAX_WIDTH = 4096;

  private static final Pattern MODIFIERS =
      Pattern.compile("[\"\\[#/']?-?0?([0-9]*)(?:[.]([0-9]*))?(\\{[^}]*\\})?(?:http::)?");
  private static final Pattern BYTE_NUMBER = Pattern.compile("\\{0{0,5}([1-9][0-9]{0,2})\\}");

  private static Set<String> spellings(Predicate<LogCode> which) {
    return Arrays.stream(LogCode.values())
        .filter(which)
        .map(LogCode::spelling)
        .collect(Collectors.toUnmodifiableSet());
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
      if ("".equals(argument) || (code.equals("byte") && !isByteNumber(argument))) {
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

  private static boolean isByteNumber(@Nullable String argument) {
    String text = argument == null ? "" : argument;
    Matcher number = BYTE_NUMBER.matcher(text);
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
