package io.loligo.junit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/**
 * The clock of a proxy and an origin under test. It begins at the time of the machine in whole
 * seconds, and stands still until {@link #advance}. Thread-safe: any thread.
 */
public final class TestClock implements InstantSource {
  /** Guarded by {@code this}. */
  private Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  TestClock() {}

  @Override
  public synchronized Instant instant() {
    return now;
  }

  /**
   * Lets time pass: stored responses grow older. Timeouts do not notice it.
   *
   * @throws IllegalArgumentException if {@code time} is negative
   */
  public synchronized void advance(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException("time: " + time + " (expected: not negative)");
    }
    now = now.plus(time);
  }
}
