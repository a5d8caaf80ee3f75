package io.loligo.server.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlowLimitTest {
  private final SlowLimit limit = new SlowLimit();

  private long permitted(long nanos, int asked) {
    return IntStream.range(0, asked).filter(i -> limit.permits(nanos)).count();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -5, Long.MAX_VALUE - 7, Long.MIN_VALUE})
  void aBurstThenTenASecond(long start) {
    assertThat(permitted(start, 200)).isEqualTo(SlowLimit.BURST);
    assertThat(permitted(start + TimeUnit.MILLISECONDS.toNanos(99), 1)).isZero();
    assertThat(permitted(start + TimeUnit.MILLISECONDS.toNanos(100), 5)).isEqualTo(1);
    assertThat(permitted(start + TimeUnit.MILLISECONDS.toNanos(1_100), 50)).isEqualTo(10);
    assertThat(permitted(start + TimeUnit.SECONDS.toNanos(1_000), 200)).isEqualTo(SlowLimit.BURST);
  }
}
