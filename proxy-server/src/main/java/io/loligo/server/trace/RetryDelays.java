package io.loligo.server.trace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.caching.HttpDate;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The waits before batches are sent again (OTLP specification 1.x, OTLP/HTTP): as long as
 * Retry-After says, else from half to all of {@value #FIRST_MILLIS} ms, which doubles up to {@value
 * #MOST_MILLIS} ms with each failure in a row. Confined to one thread.
 */
final class RetryDelays {
  static final long FIRST_MILLIS = 1_000;
  static final long MOST_MILLIS = 64_000;

  /** The most that Retry-After may ask for: {@value}. */
  static final long MOST_ASKED_MILLIS = 3_600_000;

  private static final int MOST_DIGITS = 9;

  private final DoubleSupplier random;
  private long nextMillis = FIRST_MILLIS;

  /** {@code random} gives numbers from 0 to 1. */
  RetryDelays(DoubleSupplier random) {
    this.random = random;
  }

  /** An attempt has succeeded. */
  void reset() {
    nextMillis = FIRST_MILLIS;
  }

  /** The wait after a failure, in milliseconds. */
  long next() {
    long whole = nextMillis;
    nextMillis = Math.min(MOST_MILLIS, 2 * whole);
    return Math.round(whole * (0.5 + random.getAsDouble() / 2));
  }

  /**
   * The wait that {@code retryAfter}, the value of the field, asks for (RFC 9110 section 10.2.3),
   * in milliseconds; -1: none.
   */
  static long asked(@Nullable String retryAfter, long nowMillis) {
    if (retryAfter == null) {
      return -1;
    }
    String value = retryAfter.strip();
    if (!value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return value.length() > MOST_DIGITS
          ? MOST_ASKED_MILLIS
          : Math.min(MOST_ASKED_MILLIS, 1_000 * Long.parseLong(value));
    }
    byte[] bytes = value.getBytes(ISO_8859_1);
    long date = HttpDate.parse(bytes, 0, bytes.length, nowMillis);
    return date == HttpDate.INVALID
        ? -1
        : Math.max(0, Math.min(MOST_ASKED_MILLIS, date - nowMillis));
  }
}
