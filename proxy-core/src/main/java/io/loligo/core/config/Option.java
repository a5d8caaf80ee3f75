package io.loligo.core.config;

import org.jspecify.annotations.Nullable;

/** One {@code name} or {@code name=value} of a line. Immutable; value null without {@code =}. */
public record Option(String name, @Nullable String value) {
  /** The option that {@code word} states. */
  public static Option of(String word) {
    int equals = word.indexOf('=');
    return equals < 0
        ? new Option(word, null)
        : new Option(word.substring(0, equals), word.substring(equals + 1));
  }

  /** The value as a number from 0 to {@code max}, or -1. */
  public int number(int max) {
    if (value == null || !value.matches("[0-9]{1,9}")) {
      return -1;
    }
    int number = Integer.parseInt(value);
    return number > max ? -1 : number;
  }
}
