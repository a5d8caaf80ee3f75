package io.loligo.server.wire;

import io.loligo.server.time.TimeSource;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** A wall clock that stands still until it is told to go on. Thread-safe: any thread. */
class PassingTime implements TimeSource {
  private final AtomicLong millis =
      new AtomicLong(Instant.parse("2026-06-02T12:00:00Z").toEpochMilli());

  /** Goes on by this much. */
  final void pass(long seconds) {
    millis.addAndGet(seconds * 1000);
  }

  @Override
  public long millis() {
    return millis.get();
  }

  /** Durations are real: nothing that is tested here depends on one. */
  @Override
  public long nanos() {
    return System.nanoTime();
  }
}
