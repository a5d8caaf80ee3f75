package io.loligo.server.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A {@code logformat} that is read backwards: from a line of the log to the values that rules can
 * ask about. Immutable.
 */
final class LoggedFormat {
  /** {@code %}, modifiers, an argument before or behind, and the code. */
  private static final Pattern CODE =
      Pattern.compile(
          "%([\"\\[#'/]?)([-0]*[0-9]*(?:[.][0-9]+)?)(?:\\{([^}]*)\\})?"
              + "(%|>eui|<pt|icap::[a-z<>_A-Z]+|adapt::[a-z<>_A-Z]+|ssl::[>a-z<_A-Z]+|note"
              + "|tr|tu|ts|tl|tg|err_code|err_detail|>ha|>h|<h|>st|<st|>sh|<sh|>Hs|<Hs|>a|>A|>p|>la"
              + "|>lp|<a|<A|<p|<la|<lp|la|lp|rm|>rm|<rm|ru|>ru|<ru|>rs|>rd|>rP|>rp|>rv|rp|rv|un|ul|ue"
              + "|us|ui|Ss|Sh|mt|dt|ea|et|sn|[a-zA-Z<>]+)(?:\\{([^}]*)\\})?");

  /** Codes whose values have blanks. */
  private static final List<String> OF_WORDS = List.of("tl", "tg");

  private final Pattern pattern;
  private final List<String> codes;

  private LoggedFormat(Pattern pattern, List<String> codes) {
    this.pattern = pattern;
    this.codes = List.copyOf(codes);
  }

  /** Reads {@code format}, as in a {@code logformat} line. */
  static LoggedFormat of(String format) {
    StringBuilder regex = new StringBuilder();
    List<String> codes = new ArrayList<>();
    Matcher code = CODE.matcher(format);
    int at = 0;
    while (code.find()) {
      literal(format.substring(at, code.start()), regex);
      at = code.end();
      String name = code.group(4);
      if (name.equals("%")) {
        regex.append('%');
        continue;
      }
      String argument = code.group(3) == null ? code.group(5) : code.group(3);
      char next = at < format.length() ? format.charAt(at) : ' ';
      regex.append(value(name, next, format.startsWith("%", at)));
      codes.add(argument == null ? name : name + "{" + argument.toLowerCase(Locale.ROOT) + "}");
    }
    literal(format.substring(at), regex);
    return new LoggedFormat(Pattern.compile(regex.toString()), codes);
  }

  private static void literal(String text, StringBuilder regex) {
    for (String part : text.split("(?<= )(?! )|(?<! )(?= )", -1)) {
      if (!part.isEmpty()) {
        regex.append(part.isBlank() ? " +" : Pattern.quote(part));
      }
    }
  }

  private static String value(String name, char next, boolean codeFollows) {
    if (name.equals("ts") || codeFollows) {
      return "([^ ]*?)";
    }
    if (next == '"' || next == ']' || OF_WORDS.contains(name)) {
      return "(.*?)";
    }
    return next == ' ' ? " *([^ ]*)" : "([^ ]*?)";
  }

  /** The values of {@code line} by code, or null if it does not have this format. */
  @Nullable Map<String, String> values(String line) {
    Matcher matcher = pattern.matcher(line);
    if (!matcher.matches()) {
      return null;
    }
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < codes.size(); i++) {
      values.putIfAbsent(codes.get(i), matcher.group(i + 1));
    }
    return values;
  }

  /** Whether lines have a value of one of these codes. */
  boolean hasAny(String... names) {
    return List.of(names).stream().anyMatch(codes::contains);
  }
}
