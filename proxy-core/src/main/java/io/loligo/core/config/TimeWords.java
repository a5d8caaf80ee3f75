package io.loligo.core.config;

import java.util.List;

/** Reads times in lines with a grammar of their own, such as {@code 2 hours}. Stateless. */
public final class TimeWords {
  private static final Directive TIME =
      new DirectiveBuilder("time").type(ValueType.SECONDS, "").text("");

  private TimeWords() {}

  /** The seconds that {@code words} of {@code line} give; -1: they give none, which is reported. */
  public static long seconds(Line line, List<String> words, Report report) {
    return Values.check(TIME, line, words, report) && !words.isEmpty()
        ? (Long) java.util.Objects.requireNonNull(Values.read(TIME, words).value())
        : -1;
  }
}
