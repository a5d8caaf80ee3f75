package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class WarmthTest {
  private static final int LOOKS = 60;
  private static final int LOOK_MILLIS = 50;

  private long compiledMillis;
  private final Warmth warmth = new Warmth(() -> compiledMillis);

  /** Returns the number of looks until it was warm; all of them if it was not. */
  private int looks(int requestsPerLook, int compiledPerLook) {
    for (int look = 1; look <= LOOKS; look++) {
      compiledMillis += compiledPerLook;
      if (warmth.isWarm(look * LOOK_MILLIS, (long) look * requestsPerLook)) {
        return look;
      }
    }
    return LOOKS;
  }

  @Test
  void isWarmWhenLittleWasCompiledForAWhile() {
    assertThat(looks(1_000, 10)).isEqualTo(21);
  }

  @Test
  void isNotWarmWhileMuchIsCompiled() {
    assertThat(looks(1_000, 15)).isEqualTo(LOOKS);
  }

  @Test
  void fewRequestsTellNothing() {
    assertThat(looks(10, 0)).isEqualTo(LOOKS);
    assertThat(warmth.isWarm(LOOKS * LOOK_MILLIS + 1_000, 5_000)).isTrue();
  }

  @Test
  void withoutRequestsNothingIsCompiledEither() {
    for (int look = 1; look <= LOOKS; look++) {
      assertThat(warmth.isWarm(look * LOOK_MILLIS, 9_000)).isFalse();
    }
  }
}
