package io.loligo.server.counts;

import java.util.concurrent.atomic.LongAdder;

/** The values of the counts that an enum declares. Thread-safe: any thread. */
public final class Tally<C extends Enum<C> & Count> {
  private final LongAdder[] values;

  /** Counts nothing yet. */
  public Tally(Class<C> counts) {
    values = new LongAdder[counts.getEnumConstants().length];
    for (int i = 0; i < values.length; i++) {
      values[i] = new LongAdder();
    }
  }

  /** The value of {@code count}. */
  public long value(C count) {
    return values[count.ordinal()].sum();
  }

  /** Adds {@code more}, which may be negative. */
  public void add(C count, long more) {
    values[count.ordinal()].add(more);
  }
}
