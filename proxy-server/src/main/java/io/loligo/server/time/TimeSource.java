package io.loligo.server.time;

/** The source of time. Thread-safe: any thread. */
public interface TimeSource {
  /** The machine's clocks. */
  TimeSource SYSTEM =
      new TimeSource() {
        @Override
        public long nanos() {
          return System.nanoTime();
        }

        @Override
        public long millis() {
          return System.currentTimeMillis();
        }
      };

  /** Monotonic clock, nanoseconds from an arbitrary origin. */
  long nanos();

  /** Wall clock, milliseconds since the epoch. */
  long millis();

  /** Nanoseconds passed since {@code startNanos}. */
  default long since(long startNanos) {
    return nanos() - startNanos;
  }
}
