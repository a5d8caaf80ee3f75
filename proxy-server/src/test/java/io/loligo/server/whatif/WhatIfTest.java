package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.whatif.SizeForecast.Point;
import io.loligo.server.whatif.SizeForecast.Tier;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WhatIfTest {
  private static final int SIZE = 1000;
  private static final int SEED = 5;

  private long millis = 1_000_000;
  private long memoryBytes = 100 * SIZE;
  private long diskBytes;
  private final ExchangeRecord record = SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h");
  private final WhatIf whatIf =
      new WhatIf(
          2,
          new MemorySize(
              "cache_mem", () -> 1 << 20, bytes -> bytes, () -> memoryBytes, bytes -> bytes),
          new DiskSize("cache_dir", () -> 1 << 20, () -> diskBytes, () -> SIZE, () -> false),
          () -> millis);

  private void ask(int loop, int object, boolean hit) {
    ask(whatIf, loop, object, hit);
  }

  private void ask(WhatIf asked, int loop, int object, boolean hit) {
    record.keyHigh = Trace.hash(object, SEED);
    record.keyLow = 1;
    record.endMillis++;
    record.clientBytesOut = SIZE;
    record.tag = hit ? LogTag.TCP_HIT : LogTag.TCP_MISS;
    record.hitClass = hit ? HitClass.DISK_HIT : HitClass.MISS;
    record.decision = hit ? null : new CacheDecision(Outcome.FETCH, CacheReason.URI_MISS, -1, -1);
    asked.loop(loop).finished(record);
  }

  private Tier memory() {
    Tier tier = whatIf.forecast().memory();
    assertThat(tier).isNotNull();
    return tier;
  }

  @Test
  void pointsReachFromAnEighthToFourTimesTodaysSize() {
    whatIf.tick();
    List<Point> curve = memory().curve();
    assertThat(curve)
        .hasSize(6)
        .isSortedAccordingTo((a, b) -> Long.compare(a.sizeBytes(), b.sizeBytes()));
    assertThat(curve.get(0).sizeBytes()).isEqualTo(memoryBytes / 8);
    assertThat(curve.get(5).sizeBytes()).isEqualTo(memoryBytes * 4);
    assertThat(memory().today().sizeBytes()).isEqualTo(memoryBytes);
    assertThat(memory().halved().sizeBytes()).isEqualTo(memoryBytes / 2);
    assertThat(memory().doubled().sizeBytes()).isEqualTo(memoryBytes * 2);
    assertThat(whatIf.forecast().disk()).isNull();
  }

  /** 150 objects in turn: a cache of 200 has all but the first requests, and one of 100 fewer. */
  @Test
  void tellsTheGainOfTwiceTheSize() {
    for (int i = 0; i < 600; i++) {
      ask(i % 2, i % 150, false);
    }
    whatIf.tick();
    assertThat(whatIf.forecast().sampledRequests()).isEqualTo(600);
    assertThat(memory().doubled().ratio()).isEqualTo(new HitRatio(0.75, 0.75));
    double today = memory().today().ratio().requests();
    assertThat(today).isBetween(0.1, 0.6);
    assertThat(memory().points(memory().doubled())).isCloseTo(75 - 100 * today, within(0.1));
    assertThat(memory().bytePoints(memory().doubled())).isCloseTo(75 - 100 * today, within(0.1));
    assertThat(memory().text())
        .matches("doubling cache_mem: \\+[0-9.]+ points of hit ratio; halving: -[0-9.]+");
  }

  /** The forecast is the measured ratio, and the difference that the size makes. */
  @Test
  void aRequestThatNoSampleHasCountsAsItWas() {
    for (int i = 0; i < 4; i++) {
      ask(0, 7, i > 0);
    }
    whatIf.tick();
    record.hitClass = HitClass.UNCACHEABLE;
    record.tag = LogTag.TCP_MISS;
    for (int i = 0; i < 4; i++) {
      whatIf.loop(0).finished(record);
    }
    whatIf.tick();
    assertThat(memory().today().ratio()).isEqualTo(new HitRatio(3 / 8d, 3 / 8d));
  }

  /** A 304 does not tell the size, so nothing is stored: it is a hit only after the other one. */
  @Test
  void takesTheRequestsOfAllLoopsByTheirTimes() {
    ask(1, 7, false);
    record.status = 304;
    ask(0, 7, false);
    whatIf.tick();
    assertThat(memory().today().ratio().requests()).isEqualTo(0.5);
  }

  @Test
  void aDiskHitIsNoHitOfMemory() {
    diskBytes = 1000 * SIZE;
    whatIf.tick();
    ask(0, 1, false);
    ask(0, 1, true);
    whatIf.tick();
    assertThat(memory().measured()).isEqualTo(new HitRatio(0, 0));
    assertThat(whatIf.forecast().disk().measured()).isEqualTo(new HitRatio(0.5, 0.5));
    assertThat(whatIf.forecast().disk().today().sizeBytes()).isEqualTo(diskBytes);
    diskBytes = 0;
    whatIf.tick();
    assertThat(whatIf.forecast().disk()).isNull();
    assertThat(whatIf.forecast().sampledRequests()).as("memory has another policy now").isZero();
  }

  /** The ring of a loop has room for 2,048 requests; the others must not look like hits. */
  @Test
  void droppedRequestsDoNotChangeTheRatio() {
    for (int i = 0; i < 4 * SampleRing.CAPACITY; i++) {
      ask(0, i, false);
    }
    whatIf.tick();
    assertThat(whatIf.droppedRequests()).isEqualTo(3L * SampleRing.CAPACITY);
    assertThat(memory().today().ratio().requests()).isCloseTo(0, within(1e-9));
  }

  /** 6,000 requests a second of four loops, whose rings have room for them. */
  @Test
  void moreRequestsASecondAreSampledLess() {
    WhatIf many =
        new WhatIf(
            4,
            new MemorySize(
                "cache_mem", () -> 1 << 20, bytes -> bytes, () -> 10_000 * SIZE, bytes -> bytes),
            new DiskSize("cache_dir", () -> 1 << 20, () -> 0, () -> SIZE, () -> false),
            () -> millis);
    for (int tick = 0; tick < 2; tick++) {
      for (int i = 0; i < 6_000; i++) {
        ask(many, i % 4, i % 701, false);
      }
      many.tick();
    }
    assertThat(many.droppedRequests()).isZero();
    assertThat(many.forecast().sampledRequests() - 6_000).isBetween(4_200L, 5_000L);
  }

  /** 3,000 requests a second are few for the trials, and too many for the ring of a loop. */
  @Test
  void aLoopWhoseRingWasFullIsSampledLess() {
    for (int tick = 0; tick < 3; tick++) {
      for (int i = 0; i < 3_000; i++) {
        ask(0, i % 150, false);
      }
      whatIf.tick();
    }
    assertThat(whatIf.droppedRequests()).isEqualTo(3_000 - SampleRing.CAPACITY);
    assertThat(whatIf.forecast().sampledRequests()).isGreaterThan(SampleRing.CAPACITY);
  }

  @Test
  void requestsOfYesterdayCountHalf() {
    diskBytes = 1000 * SIZE;
    for (int i = 0; i < 100; i++) {
      ask(0, 7, i > 0);
    }
    whatIf.tick();
    assertThat(memory().today().ratio().requests()).isCloseTo(0.99, within(1e-9));
    millis += Duration.ofHours(WhatIf.HALVING_HOURS).toMillis() - 1;
    whatIf.tick();
    assertThat(memory().today().ratio().requests()).isCloseTo(0.99, within(1e-9));
    millis++;
    whatIf.tick();
    for (int i = 0; i < 50; i++) {
      ask(0, 1000 + i, false);
    }
    whatIf.tick();
    assertThat(memory().today().ratio().requests()).isCloseTo(0.495, within(1e-9));
    assertThat(whatIf.forecast().disk().measured().requests()).isCloseTo(0.495, within(1e-9));
    assertThat(whatIf.forecast().since()).isEqualTo(Instant.ofEpochMilli(1_000_000));
  }

  @Test
  void aSampleThatHasBecomeTooSparseBeginsAnewAfterADay() {
    for (int tick = 0; tick < 20; tick++) {
      for (int i = 0; i < 20_000; i++) {
        ask(i % 2, i % 150, false);
      }
      whatIf.tick();
    }
    assertThat(whatIf.forecast().since()).isEqualTo(Instant.ofEpochMilli(1_000_000));
    millis += Duration.ofHours(WhatIf.HALVING_HOURS).toMillis();
    whatIf.tick();
    assertThat(whatIf.forecast().since()).isEqualTo(Instant.ofEpochMilli(millis));
    ask(0, 1, false);
    whatIf.tick();
    assertThat(whatIf.forecast().sampledRequests()).as("all keys are sampled").isEqualTo(1);
  }

  @Test
  void anotherSizeBeginsAnew() {
    ask(0, 7, false);
    whatIf.tick();
    assertThat(whatIf.forecast().sampledRequests()).isEqualTo(1);
    millis += 5000;
    memoryBytes *= 2;
    whatIf.tick();
    assertThat(whatIf.forecast().sampledRequests()).isZero();
    assertThat(whatIf.forecast().since()).isEqualTo(Instant.ofEpochMilli(millis));
    assertThat(memory().curve().get(5).sizeBytes()).isEqualTo(4 * memoryBytes);
  }

  /** The bytes of all arrays that it reaches, after requests that fill the models. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void takesLessThanHalfAMegabyteAndARingForEachLoop(boolean withDisk) throws Exception {
    memoryBytes = 2_000_000L * SIZE;
    diskBytes = withDisk ? 8_000_000L * SIZE : 0;
    whatIf.tick();
    for (int i = 0; i < 200_000; i++) {
      ask(i % 2, i, false);
      if (i % 2_000 == 0) {
        whatIf.tick();
      }
    }
    long modelled = whatIf.memoryBytes() - 2 * SampleRing.BYTES;
    assertThat(modelled).isLessThan(500_000);
    long arrays = ArrayBytes.of(whatIf) - 2 * SampleRing.BYTES;
    assertThat(arrays).isBetween(modelled / 2, modelled + 10_000);
  }
}
