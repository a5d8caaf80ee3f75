package io.loligo.server.exchange.settings.pages;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The form of an error that a client prefers, by its Accept field. Stateless. */
public final class AcceptedForm {
  /** The most media ranges of a field that count. */
  static final int MOST_RANGES = 32;

  private static final Pattern WEIGHT =
      Pattern.compile(";\\s*q\\s*=\\s*([01](?:\\.[0-9]{0,3})?)\\s*(?:;|$)");

  private AcceptedForm() {}

  /** How a type is accepted: a range that names it has more to say than {@code *}{@code /*}. */
  private record Match(int precision, double weight) {
    static final Match NONE = new Match(-1, 0);

    boolean beats(Match other) {
      return weight > other.weight || (weight == other.weight && precision > other.precision);
    }
  }

  /**
   * Whether {@code accept} prefers JSON to HTML (RFC 9110 section 12.5.1). Of two types with one
   * weight, the one that the field names more precisely is preferred.
   *
   * @param accept the value of Accept; null: none
   * @param otherwise the answer where it prefers neither
   */
  static boolean prefersJson(@Nullable String accept, boolean otherwise) {
    if (accept == null) {
      return otherwise;
    }
    if (!otherwise && !accept.toLowerCase(Locale.ROOT).contains("json")) {
      return false;
    }
    Match html = Match.NONE;
    Match json = Match.NONE;
    Match problem = Match.NONE;
    String[] ranges = accept.toLowerCase(Locale.ROOT).split(",", MOST_RANGES + 1);
    for (int i = 0; i < Math.min(ranges.length, MOST_RANGES); i++) {
      String range = ranges[i].strip();
      String name = range.split(";", 2)[0].strip();
      double weight = weight(range);
      html = better(html, name, weight, "text/html");
      json = better(json, name, weight, "application/json");
      problem = better(problem, name, weight, "application/problem+json");
    }
    Match either = problem.beats(json) ? problem : json;
    if (!either.beats(html) && !html.beats(either)) {
      return otherwise && (either.weight > 0 || either.precision < 0);
    }
    return either.weight > 0 && either.beats(html);
  }

  /** The more precise one of {@code found} and the range {@code name}, for {@code type}. */
  private static Match better(Match found, String name, double weight, String type) {
    int precision =
        name.equals(type)
            ? 2
            : name.equals(type.substring(0, type.indexOf('/')) + "/*")
                ? 1
                : name.equals("*/*") ? 0 : -1;
    return precision > found.precision ? new Match(precision, weight) : found;
  }

  private static double weight(String range) {
    Matcher weight = WEIGHT.matcher(range);
    return weight.find() ? Double.parseDouble(weight.group(1)) : 1;
  }
}
