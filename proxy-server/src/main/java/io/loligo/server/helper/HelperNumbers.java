package io.loligo.server.helper;

import java.util.Map;

/**
 * Counts of one program, for operators. Immutable.
 *
 * @param name of the program
 * @param values by count; all counts are there
 */
public record HelperNumbers(String name, Map<HelperCount, Long> values) {
  /** A copy of {@code values} is kept. */
  public HelperNumbers {
    values = Map.copyOf(values);
  }

  /** The value of {@code count}. */
  public long value(HelperCount count) {
    return values.getOrDefault(count, 0L);
  }
}
