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

  @Test
  void growsToTheWordsWantedAndForgets() {
    FrequencyCounts growing = FrequencyCounts.growing();
    growing.period(1_000_000);
    assertThat(growing.bytes()).isEqualTo(64);
    growing.add(id(1));
    growing.words(8 * WORDS);
    assertThat(growing.bytes()).isEqualTo(8L * WORDS * Long.BYTES);
    assertThat(growing.of(id(1))).as("forgotten").isZero();
    int tooHigh = 0;
    for (int object = 0; object < 2_000; object++) {
      growing.add(id(object));
    }
    for (int object = 0; object < 2_000; object++) {
      tooHigh += growing.of(id(object)) == 1 ? 0 : 1;
    }
    assertThat(tooHigh).as("all words are in use").isLessThan(10);
    growing.words(8 * WORDS);
    assertThat(growing.of(id(1))).isPositive();
    growing.words(WORDS);
    for (int object = 0; object < 2_000; object++) {
      assertThat(growing.of(id(object))).as("forgotten").isZero();
    }
    assertThat(growing.bytes()).as("kept").isEqualTo(8L * WORDS * Long.BYTES);
  }

  /** 64 words with each request. */
  @Test
  void manyWordsAreHalvedInSteps() {
    FrequencyCounts growing = growing(WORDS, 500, 8);
    for (int step = 1; step <= WORDS / 64; step++) {
      int halved = 0;
      for (int object = 0; object < 500; object++) {
        int count = growing.of(id(object));
        assertThat(count).isBetween(4, 9);
        halved += count < 8 ? 1 : 0;
      }
      assertThat(halved).isBetween(step * 500 / 16 - 30, step * 500 / 16 + 30);
      assertThat(growing.isHalving()).isEqualTo(step < WORDS / 64);
      growing.add(id(500));
    }
    assertThat(growing.isHalving()).isFalse();
    assertThat(growing.of(id(500))).isBetween(8, 15);
  }

  /** So many objects were requested so many times, and the last request has begun a halving. */
  private static FrequencyCounts growing(int words, int objects, int times) {
    FrequencyCounts growing = FrequencyCounts.growing();
    growing.words(words);
    growing.period(objects * times);
    request(growing, objects, times);
    assertThat(growing.isHalving()).isTrue();
    return growing;
  }

  private static void request(FrequencyCounts counts, int objects, int times) {
    for (int time = 0; time < times; time++) {
      for (int object = 0; object < objects; object++) {
        assertThat(counts.isHalving()).isFalse();
        counts.add(id(object));
      }
    }
  }

  /** Of 7 requests 3 are left, so the next period takes 4/7 as many. */
  @Test
  void thePeriodAfterAHalvingIsShorter() {
    FrequencyCounts growing = growing(WORDS, 500, 7);
    assertThat(requestsToTheNextHalving(growing)).isBetween(1_960, 2_020);
  }

  /** About a half of them comes before its words are halved, and a half of one request is none. */
  @Test
  void requestsDuringAHalvingAreHalvedWithTheirWords() {
    int steps = 1024;
    FrequencyCounts growing = growing(64 * steps, 500, 7);
    assertThat(requestsToTheNextHalving(growing))
        .isBetween(2_000 + steps / 2 - 50, 2_000 + steps / 2 + 50);
  }

  private static int requestsToTheNextHalving(FrequencyCounts counts) {
    boolean before = true;
    for (int request = 1; request < 10_000; request++) {
      counts.add(id(1_000 + request));
      if (!before && counts.isHalving()) {
        return request;
      }
      before = counts.isHalving();
    }
    throw new AssertionError("no second halving");
  }

  @Test
  void otherWordsEndAHalving() {
    FrequencyCounts growing = growing(WORDS, 500, 7);
    for (int step = 2; step < WORDS / 64; step++) {
      growing.add(id(step));
    }
    assertThat(growing.isHalving()).isTrue();
    growing.words(2 * WORDS);
    assertThat(growing.isHalving()).isFalse();
    request(growing, 500, 7);
    assertThat(growing.isHalving()).as("a whole period later").isTrue();
    assertThat(requestsToTheNextHalving(growing)).isBetween(1_970, 2_030);
  }

  @Test
  void aPeriodShorterThanAHalvingDoesNotBeginAnother() {
    FrequencyCounts growing = growing(WORDS, 500, 8);
    growing.period(5);
    for (int step = 1; step < WORDS / 64; step++) {
      growing.add(id(1_000 + step));
    }
    for (int object = 0; object < 500; object++) {
      assertThat(growing.of(id(object))).as("halved").isLessThan(8);
    }
  }

  @Test
  void aPeriodThatHasBecomeShorterIsWhole() {
    add(1, 1);
    for (int object = 2; object < 1_000; object++) {
      add(object, 1);
    }
    counts.period(10);
    add(1, 1);
    assertThat(of(1)).as("halved").isEqualTo(1);
    add(1, 9);
    assertThat(of(1)).isEqualTo(10);
    add(1, 1);
    assertThat(of(1)).as("halved").isEqualTo(5);
  }

  @Test
  void fixedCountsAreHalvedAtOnce() {
    counts.period(4_000);
    for (int request = 0; request < 4_000; request++) {
      add(request % 500, 1);
      assertThat(counts.isHalving()).isFalse();
    }
    assertThat(of(1)).isBetween(4, 5);
  }
}
