package io.loligo.core.config;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a directive with a single value: the last line counts, except for addresses,
 * which add up. Confined to one thread.
 */
public final class ScalarReader<T extends @Nullable Object> implements LineReader<T> {
  private final Directive directive;
  private final Report report;
  private final Function<Object, T> conversion;
  private @Nullable Object value;

  ScalarReader(Directive directive, Report report, Function<Object, T> conversion) {
    this.directive = directive;
    this.report = report;
    this.conversion = conversion;
  }

  @Override
  public void read(Line line) {
    if (Values.check(directive, line, line.values(), report)) {
      Object now = Values.read(directive, line.values()).value();
      value = value != null && now != null && directive.accumulates() ? both(value, now) : now;
    }
  }

  private static Object both(Object before, Object now) {
    return Stream.of(before, now).flatMap(one -> ((List<?>) one).stream()).toList();
  }

  @Override
  public T value() {
    return conversion.apply(value == null ? Values.usual(directive) : value);
  }

  /** {@code value} as words; empty if it is null. */
  static List<String> words(@Nullable Object value) {
    return value instanceof List<?> list ? list.stream().map(String::valueOf).toList() : List.of();
  }
}
