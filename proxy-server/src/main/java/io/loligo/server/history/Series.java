package io.loligo.server.history;

/**
 * One number, or one distribution of times, that the history keeps. Immutable.
 *
 * @param kind what it is
 * @param name for operators; of counters and gauges the name in {@code /metrics}, without its
 *     prefix
 * @param index its place among those of its kind
 */
public record Series(Kind kind, String name, int index) {
  /** The kinds of series. */
  public enum Kind {
    /** A number that only rises: the history has its increase. */
    COUNTER,
    /** A number that also falls: mean and maximum of the samples. */
    GAUGE,
    /** Durations: their number, sum and percentiles. */
    TIMES
  }

  /** How the name of a distribution begins whose nanoseconds are numbers of something. */
  static final String NUMBERS = "concurrency.";

  /** Whether it is a distribution of numbers of something, in the place of nanoseconds. */
  public boolean isOfNumbers() {
    return kind == Kind.TIMES && name.startsWith(NUMBERS);
  }
}
