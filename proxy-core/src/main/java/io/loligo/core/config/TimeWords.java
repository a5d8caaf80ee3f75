package io.loligo.core.config;

import java.util.List;
import java.util.Objects;

/** Reads times in lines with a grammar of their own, such as {@code 2 hours}. Stateless. */
public final class TimeWords {
  private static final Directive SECONDS =
      new DirectiveBuilder("time").type(ValueType.SECONDS, "").text("");
  private static final Directive MILLIS =
      new DirectiveBuilder("time").type(ValueType.MILLISECONDS, "").text("");

  private TimeWords() {}

  /** The seconds that {@code words} of {@code line} give; -1: they give none, which is reported. */
  public static long seconds(Line line, List<String> words, Report report) {
    return read(SECONDS, line, words, report);
  }

  /** The same in milliseconds. */
  public static long millis(Line line, List<String> words, Report report) {
    return read(MILLIS, line, words, report);
  }

  private static long read(Directive time, Line line, List<String> words, Report report) {
    return Values.check(time, line, words, report) && !words.isEmpty()
        ? (Long) Objects.requireNonNull(Values.read(time, words).value())
        : -1;
  }
}
