package io.loligo.server.helper;

import io.loligo.server.counts.Counts;
import java.util.Map;

/**
 * Counts of one program, for operators. Immutable.
 *
 * @param name of the program
 * @param values by count; all counts are there
 */
public record HelperNumbers(String name, Map<HelperCount, Long> values)
    implements Counts<HelperCount> {
  /** A copy of {@code values} is kept. */
  public HelperNumbers {
    values = Map.copyOf(values);
  }

  @Override
  public long value(HelperCount count) {
    return values.getOrDefault(count, 0L);
  }
}
