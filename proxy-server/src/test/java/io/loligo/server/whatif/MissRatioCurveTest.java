package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The curve beside whole LRU caches, which see every request of the same trace. */
class MissRatioCurveTest {
  private static final long TODAY = 64L << 20;
  private static final long LARGEST = 512L << 10;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void agreesWithLruForZipfTraces(long seed) {
    agrees(Trace.zipf(150_000, 500_000, seed), seed);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void agreesWithLruForPolygraphTraces(long seed) {
    agrees(Trace.polygraph(400_000, seed), seed);
  }

  private static void agrees(Trace trace, long seed) {
    MissRatioCurve curve = new MissRatioCurve(LARGEST, 16 * TODAY);
    for (int object : trace.requests()) {
      long size = trace.sizes()[object];
      curve.seen(1, size);
      curve.request(Trace.hash(object, seed), size);
    }
    assertThat(curve.rates()[1]).as("a sample, not the whole").isLessThan(0.1);
    for (long size = TODAY / 8; size <= 16 * TODAY; size *= 2) {
      LruOracle lru = new LruOracle(trace.sizes().length, size, LARGEST);
      for (int object : trace.requests()) {
        lru.request(object, trace.sizes()[object]);
      }
      HitRatio whole = lru.ratio();
      HitRatio guess = curve.at(size);
      assertThat(guess.requests())
          .as("requests at " + size)
          .isCloseTo(whole.requests(), within(0.02));
      assertThat(guess.bytes()).as("bytes at " + size).isCloseTo(whole.bytes(), within(0.02));
    }
  }

  @Test
  void largerResponsesThanStoredAreMisses() {
    MissRatioCurve curve = new MissRatioCurve(1000, 1 << 20);
    int[] sizes = {1000, 1000, 1001, 1001, 1000, 1000};
    for (int size : sizes) {
      curve.seen(1, size);
      curve.request(5, size);
    }
    assertThat(curve.at(100_000).requests()).isCloseTo(2 / 6d, within(1e-9));
  }

  @Test
  void aLaterSizeReplacesTheEarlierOne() {
    MissRatioCurve curve = new MissRatioCurve(1 << 20, 1 << 20);
    curve.request(5, 100);
    curve.request(9, 10_000);
    curve.request(9, 100);
    curve.seen(4, 0);
    curve.request(5, 100);
    assertThat(curve.at(300).requests()).as("200 bytes lie between").isEqualTo(0.25);
  }

  @Test
  void halvingCountsOldRequestsHalf() {
    MissRatioCurve curve = new MissRatioCurve(1 << 20, 1 << 20);
    curve.seen(2, 20);
    curve.request(5, 10);
    curve.request(5, 10);
    curve.halve();
    curve.seen(3, 60);
    for (int key = 6; key < 9; key++) {
      curve.request(key, 20);
    }
    assertThat(curve.at(1000).requests()).isCloseTo(0.5 / 4, within(1e-9));
    assertThat(curve.at(1000).bytes()).isCloseTo(5 / 70d, within(1e-9));
  }

  @Test
  void aCurveThatHasSeenNothingHasNoHits() {
    assertThat(new MissRatioCurve(1 << 20, 1 << 20).at(1000)).isEqualTo(new HitRatio(0, 0));
  }
}
