package io.loligo.server.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** One line in ten seconds; every event counts. */
class LogRateLimitTest {
  /** A clock may begin anywhere, and pass the largest number. */
  private long nanos = Long.MAX_VALUE - 1;

  private final LogRateLimit limit = new LogRateLimit(() -> nanos);

  private void pass(long time, TimeUnit unit) {
    nanos += unit.toNanos(time);
  }

  @Test
  void theFirstEventGetsALine() {
    assertThat(limit.permits()).isTrue();
    assertThat(limit.permits()).isFalse();
  }

  @Test
  void tenSecondsAfterALineTheNextEventGetsOne() {
    limit.permits();
    pass(10_000_000_000L - 1, TimeUnit.NANOSECONDS);
    assertThat(limit.permits()).isFalse();
    pass(1, TimeUnit.NANOSECONDS);
    assertThat(limit.permits()).isTrue();
    pass(9, TimeUnit.SECONDS);
    assertThat(limit.permits()).isFalse();
  }

  @Test
  void eventsWithoutALineCount() {
    for (int i = 0; i < 5; i++) {
      limit.permits();
    }
    assertThat(limit.count()).isEqualTo(5);
  }
}
