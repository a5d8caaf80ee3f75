package io.loligo.store.lfu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FrequencyCountsTest {
  private static final int WORDS = 1024;

  private final FrequencyCounts counts = FrequencyCounts.fixed(WORDS);

  FrequencyCountsTest() {
    counts.words(WORDS);
    counts.period(1_000_000);
  }

  private static int id(int object) {
    return (int) ((object + 1) * 0x9E3779B97F4A7C15L >>> 32);
  }

  private void add(int object, int times) {
    for (int i = 0; i < times; i++) {
      counts.add(id(object));
    }
  }

  private int of(int object) {
    return counts.of(id(object));
  }

  @Test
  void countsUpToFifteen() {
    add(1, 3);
    add(2, 40);
    assertThat(of(1)).isEqualTo(3);
    assertThat(of(2)).isEqualTo(15);
    assertThat(of(3)).isZero();
  }

  @Test
  void halvesAfterAPeriod() {
    counts.period(10);
    add(1, 9);
    assertThat(of(1)).isEqualTo(9);
    add(1, 1);
    assertThat(of(1)).isEqualTo(5);
    assertThat(counts.periodRequests()).isEqualTo(10);
  }

  /** Never too low; too high where keys share all counters. */
  @Test
  void fewCountersAreSharedMore() {
    assertThat(tooHigh()).isLessThan(20);
    FrequencyCounts fresh = FrequencyCounts.fixed(WORDS);
    assertThat(fresh.of(1)).isZero();
    counts.words(WORDS / 16d);
    assertThat(of(1)).as("forgotten").isZero();
    assertThat(tooHigh()).isGreaterThan(300);
  }

  private int tooHigh() {
    int tooHigh = 0;
    for (int object = 0; object < 1000; object++) {
      add(object, 1);
    }
    for (int object = 0; object < 1000; object++) {
      assertThat(of(object)).isPositive();
      tooHigh += of(object) > 1 ? 1 : 0;
    }
    return tooHigh;
  }

  @Test
  void theSameNumberOfWordsForgetsNothing() {
    add(1, 3);
    counts.words(WORDS);
    counts.words(2 * WORDS);
    assertThat(of(1)).as("there are no more").isEqualTo(3);
  }
}
