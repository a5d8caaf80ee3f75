package io.loligo.server.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryDelaysTest {
  private static final long NOW = Instant.parse("2026-06-02T12:00:00Z").toEpochMilli();

  private static List<Long> nine(RetryDelays delays) {
    List<Long> all = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      all.add(delays.next());
    }
    return all;
  }

  @Test
  void theyDoubleUpToAMaximumAndBeginAgainAfterASuccess() {
    RetryDelays delays = new RetryDelays(() -> 1);
    List<Long> whole =
        List.of(1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 32_000L, 64_000L, 64_000L, 64_000L);
    assertThat(nine(delays)).isEqualTo(whole);
    delays.reset();
    assertThat(nine(delays)).isEqualTo(whole);
  }

  @Test
  void upToHalfOfThemIsRandom() {
    assertThat(new RetryDelays(() -> 0).next()).isEqualTo(500);
    assertThat(new RetryDelays(() -> 0.5).next()).isEqualTo(750);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "' 30 ', 30000",
    "3601, 3600000",
    "99999999999999999999, 3600000",
    "'Tue, 02 Jun 2026 12:00:09 GMT', 9000",
    "'Tue, 02 Jun 2026 11:59:59 GMT', 0",
    "'Wed, 03 Jun 2026 12:00:00 GMT', 3600000"
  })
  void retryAfterIsANumberOfSecondsOrADate(String value, long millis) {
    assertThat(RetryDelays.asked(value, NOW)).isEqualTo(millis);
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "-1", "1.5", "soon", "\u0661"})
  void anythingElseAsksForNothing(String value) {
    assertThat(RetryDelays.asked(value, NOW)).isEqualTo(-1);
  }
}
