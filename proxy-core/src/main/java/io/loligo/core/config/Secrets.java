package io.loligo.core.config;

import java.util.List;
import java.util.stream.Collectors;

/** Keeps secrets of a configuration out of reports and pages. Stateless. */
final class Secrets {
  private static final String HIDDEN = "***";
  private static final List<String> OPTIONS = List.of("login=", "sslpassword=", "password=");

  private Secrets() {}

  /** The line's text without comment, secrets replaced. */
  static String redact(Line line) {
    Directive directive = Directives.named(line.directive());
    if (directive != null && directive.secret()) {
      return line.directive() + (line.words().size() > 1 ? " " + HIDDEN : "");
    }
    return line.words().stream().map(Secrets::word).collect(Collectors.joining(" "));
  }

  /** {@code value}, a part of the line, or what may be shown of it. */
  static String redact(Line line, String value) {
    Directive directive = Directives.named(line.directive());
    boolean hide = directive != null && directive.secret() && !value.isEmpty();
    return hide ? HIDDEN : word(value);
  }

  /** Whether {@link #redact(Line)} hides anything. */
  static boolean holdsSecret(Line line) {
    return redact(line).contains(HIDDEN);
  }

  private static String word(String word) {
    for (String option : OPTIONS) {
      if (word.startsWith(option)) {
        return option + HIDDEN;
      }
    }
    return word;
  }
}
