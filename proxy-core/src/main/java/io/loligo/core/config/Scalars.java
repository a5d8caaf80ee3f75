package io.loligo.core.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Values of single-value directives, the last line of each. Confined to one thread. */
final class Scalars {
  private final Map<String, Object> values = new HashMap<>();
  private final Map<String, String> sources = new HashMap<>();

  /** Reads and keeps the value that {@code words} of {@code line} say. */
  void read(Directive directive, Line line, List<String> words, Report report) {
    if (check(directive, line, words, report)) {
      Object value = Values.read(directive, words).value();
      values.merge(
          directive.name(), value, directive.accumulates() ? Scalars::both : Scalars::last);
      sources.put(directive.name(), line.source());
    }
  }

  private static Object last(Object before, Object now) {
    return now;
  }

  private static Object both(Object before, Object now) {
    return Stream.of(before, now).flatMap(one -> ((List<?>) one).stream()).toList();
  }

  /** Keeps {@code value} for {@code name}, as if {@code line} said so. */
  void settle(String name, String value, Line line) {
    values.put(name, value);
    sources.put(name, line.source());
  }

  /** Whether {@code words} of {@code line} are a right value; what is wrong is reported. */
  boolean check(Directive directive, Line line, List<String> words, Report report) {
    if (directive.type() == ValueType.LINE || directive.type() == ValueType.RULES) {
      return true;
    }
    Values.Parsed parsed = Values.read(directive, words);
    if (parsed.value() == null) {
      String value = String.join(" ", words);
      report.error(line, value, parsed.expected(), parsed.advice());
      return false;
    }
    if (!parsed.advice().isEmpty()) {
      report.warning(line, String.join(" ", words), "", parsed.advice());
    }
    if (parsed.used() < words.size()) {
      List<String> extra = words.subList(parsed.used(), words.size());
      report.warning(line, String.join(" ", extra), "nothing more", "ignored");
    }
    return true;
  }

  /** The value of {@code name}: from a line, else its default, else null. */
  private Object value(String name) {
    Object value = values.get(name);
    if (value != null) {
      return value;
    }
    Directive directive = Directives.named(name);
    String text = directive.defaultText();
    return text.isEmpty() ? null : Values.read(directive, List.of(text.split(" "))).value();
  }

  boolean isGiven(String name) {
    return values.containsKey(name);
  }

  /** {@code file:line} of the value, or the empty string for a default. */
  String source(String name) {
    return sources.getOrDefault(name, "");
  }

  long number(String name) {
    return (Long) value(name);
  }

  int integer(String name) {
    return Math.toIntExact(number(name));
  }

  boolean flag(String name) {
    return (Boolean) value(name);
  }

  /** May be null. */
  String text(String name) {
    return (String) value(name);
  }

  /** Empty without a line. */
  List<String> words(String name) {
    Object value = values.get(name);
    return value instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
  }
}
