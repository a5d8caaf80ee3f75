package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The curve beside whole LRU caches, which see every request of the same trace. */
class MissRatioCurveTest {
  private static final long TODAY = 64L << 20;
  private static final int HIT = MissRatioCurve.WHOLE | MissRatioCurve.USABLE | MissRatioCurve.HELD;
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
    MissRatioCurve curve = new MissRatioCurve(LARGEST, 0, 8 * TODAY);
    for (int object : trace.requests()) {
      long size = trace.sizes()[object];
      curve.seen(1, size);
      curve.request(Trace.hash(object, seed), size, HIT);
    }
    assertThat(curve.rates()[1]).as("a sample, not the whole").isLessThan(0.2);
    for (long size = TODAY / 8; size <= 8 * TODAY; size *= 2) {
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
    MissRatioCurve curve = new MissRatioCurve(1000, 0, 1 << 20);
    int[] sizes = {1000, 1000, 1001, 1001, 1000, 1000};
    for (int size : sizes) {
      curve.seen(1, size);
      curve.request(5, size, HIT);
    }
    assertThat(curve.at(100_000).requests()).isCloseTo(2 / 6d, within(1e-9));
  }

  @Test
  void aLaterSizeReplacesTheEarlierOne() {
    MissRatioCurve curve = new MissRatioCurve(1 << 20, 0, 1 << 20);
    curve.request(5, 100, HIT);
    curve.request(9, 10_000, HIT);
    curve.request(9, 100, HIT);
    curve.seen(4, 0);
    curve.request(5, 100, HIT);
    assertThat(curve.at(300).requests()).as("200 bytes lie between").isEqualTo(0.25);
  }

  private static void ask(MissRatioCurve curve, int key, long sent, int flags) {
    curve.seen(1, sent);
    curve.request(key, sent, flags);
  }

  /** A 304 sends 200 bytes, and 5 keeps the 4,000 bytes that it takes in the cache. */
  @Test
  void aResponseWithoutContentLeavesTheSizeAsItIs() {
    for (int flags :
        new int[] {MissRatioCurve.USABLE, MissRatioCurve.USABLE | MissRatioCurve.HELD}) {
      MissRatioCurve curve = new MissRatioCurve(1 << 20, 0, 1 << 20);
      ask(curve, 7, 100, HIT);
      ask(curve, 5, 4000, HIT);
      ask(curve, 5, 200, flags);
      ask(curve, 7, 100, HIT);
      assertThat(curve.at(3000).requests()).as("without room for 5").isZero();
      assertThat(curve.at(6000).requests()).as("5 and 7").isCloseTo(2 / 4d, within(1e-9));
    }
  }

  @Test
  void aResponseOfUnknownSizeIsStoredOnlyIfTheProxyHoldsIt() {
    MissRatioCurve curve = new MissRatioCurve(1 << 20, 0, 1 << 20);
    ask(curve, 5, 200, MissRatioCurve.USABLE);
    ask(curve, 5, 200, MissRatioCurve.USABLE);
    assertThat(curve.at(100_000).requests()).as("a HEAD stores nothing").isZero();
    ask(curve, 9, 3000, HIT);
    ask(curve, 5, 200, MissRatioCurve.USABLE | MissRatioCurve.HELD);
    ask(curve, 9, 3000, HIT);
    assertThat(curve.at(5000).requests()).as("5 has the mean, 3,000 bytes").isZero();
    assertThat(curve.at(7000).requests()).isCloseTo(1 / 5d, within(1e-9));
  }

  @Test
  void aResponseThatMayNotBeUsedIsAMissAndIsStored() {
    MissRatioCurve curve = new MissRatioCurve(1 << 20, 0, 1 << 20);
    ask(curve, 5, 100, HIT);
    ask(curve, 5, 900, MissRatioCurve.WHOLE);
    curve.alwaysMissed(1, 900);
    assertThat(curve.at(100_000).requests()).isZero();
    ask(curve, 5, 900, HIT);
    assertThat(curve.at(2000).requests()).isCloseTo(1 / 3d, within(1e-9));
  }

  @Test
  void theOverheadCountsForEachResponse() {
    MissRatioCurve curve = new MissRatioCurve(1 << 20, 1000, 1 << 20);
    ask(curve, 5, 100, HIT);
    ask(curve, 9, 100, HIT);
    ask(curve, 5, 100, HIT);
    assertThat(curve.at(2000).requests()).isZero();
    assertThat(curve.at(2500).requests()).isCloseTo(1 / 3d, within(1e-9));
  }

  @Test
  void aSampleThatHasSunkKeepsItsRatio() {
    Trace trace = Trace.zipf(20_000, 200_000, 4);
    MissRatioCurve curve = new MissRatioCurve(LARGEST, 0, 8 * TODAY);
    MissRatioCurve whole = new MissRatioCurve(LARGEST, 0, 8 * TODAY);
    curve.sink(Long.MAX_VALUE / 4);
    assertThat(curve.threshold()).isEqualTo(Long.MAX_VALUE / 4);
    assertThat(curve.isSparse()).isTrue();
    for (int object : trace.requests()) {
      long size = trace.sizes()[object];
      for (MissRatioCurve one : new MissRatioCurve[] {curve, whole}) {
        one.seen(1, size);
        one.request(Trace.hash(object, 4), size, HIT);
      }
    }
    assertThat(curve.isSparse()).isFalse();
    assertThat(curve.at(TODAY).requests()).isCloseTo(whole.at(TODAY).requests(), within(0.03));
    curve.sink(Long.MAX_VALUE / 100);
    assertThat(curve.isSparse()).as("few of its keys are left").isTrue();
  }

  @Test
  void halvingCountsOldRequestsHalf() {
    MissRatioCurve curve = new MissRatioCurve(1 << 20, 0, 1 << 20);
    curve.seen(2, 20);
    curve.request(5, 10, HIT);
    curve.request(5, 10, HIT);
    curve.halve();
    curve.seen(3, 60);
    for (int key = 6; key < 9; key++) {
      curve.request(key, 20, HIT);
    }
    assertThat(curve.at(1000).requests()).isCloseTo(0.5 / 4, within(1e-9));
    assertThat(curve.at(1000).bytes()).isCloseTo(5 / 70d, within(1e-9));
  }

  @Test
  void halvingCountsMissesOfAnySizeHalf() {
    MissRatioCurve curve = new MissRatioCurve(1 << 20, 0, 1 << 20);
    curve.seen(4, 40);
    curve.alwaysMissed(4, 40);
    curve.halve();
    curve.seen(2, 20);
    assertThat(curve.at(1000)).isEqualTo(new HitRatio(0.5, 0.5));
  }

  /** One key in 1,024 is sampled; the response itself lies in the cache once, not 1,024 times. */
  @Test
  void aSampledResponseStandsForOthersButNotForItself() {
    MissRatioCurve curve = new MissRatioCurve(1 << 20, 0, 1 << 30);
    curve.sink(Long.MAX_VALUE >> 10);
    curve.seen(2048, 0);
    curve.request(5, 1000, HIT);
    curve.request(5, 1000, HIT);
    assertThat(curve.at(1100).requests()).isCloseTo(0.5, within(1e-6));
  }

  @Test
  void aCurveThatHasSeenNothingHasNoHits() {
    assertThat(new MissRatioCurve(1 << 20, 0, 1 << 20).at(1000)).isEqualTo(new HitRatio(0, 0));
  }
}
