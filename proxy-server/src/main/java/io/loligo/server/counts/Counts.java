package io.loligo.server.counts;

/** The counts of one thing. Thread-safe: any thread. */
public interface Counts<C extends Count> {
  /** The name of the thing. */
  String name();

  /** Whether the thing has {@code count}. */
  default boolean has(C count) {
    return true;
  }

  /** The value of {@code count}. */
  long value(C count);
}
