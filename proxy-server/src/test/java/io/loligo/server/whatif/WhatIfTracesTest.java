package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.whatif.SizeForecast.Point;
import io.loligo.server.whatif.SizeForecast.Tier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The way from the records of exchanges to the forecast, beside simulations of the whole trace. */
class WhatIfTracesTest {
  private static final long MEMORY = 64L << 20;
  private static final long DISK = 256L << 20;
  private static final long LARGEST_IN_MEMORY = 512L << 10;
  private static final long LARGEST = 4L << 20;
  private static final int OVERHEAD = 512;
  private static final int LOOPS = 2;

  private static final CacheDecision MISS =
      new CacheDecision(Outcome.FETCH, CacheReason.URI_MISS, -1, -1);
  private static final CacheDecision CHANGED =
      new CacheDecision(Outcome.VALIDATE, CacheReason.STALE, 70, 60);
  private static final CacheDecision FRESH =
      new CacheDecision(Outcome.SERVE, CacheReason.FRESH, 1, 60);

  private long millis;
  private final WhatIf whatIf =
      new WhatIf(
          LOOPS,
          new TierSize("cache_mem", LARGEST_IN_MEMORY, OVERHEAD, () -> MEMORY),
          new TierSize("cache_dir", LARGEST, 0, () -> DISK),
          () -> millis);

  private final ExchangeRecord record = SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h");

  /** The kind of the {@code i}th request. */
  private static boolean isChanged(int i) {
    return i % 10 == 3;
  }

  private static boolean isConditional(int i) {
    return i % 7 == 5;
  }

  private static long sent(int i, long size) {
    return isConditional(i) ? 200 : size;
  }

  private static LruOracle run(Trace trace, long capacity, long largest, int overhead) {
    LruOracle lru = new LruOracle(trace.sizes().length, capacity, largest + overhead);
    for (int i = 0; i < trace.requests().length; i++) {
      ask(lru, trace, i, overhead);
    }
    return lru;
  }

  private static boolean ask(LruOracle lru, Trace trace, int i, int overhead) {
    int object = trace.requests()[i];
    long size = trace.sizes()[object];
    long stored = isConditional(i) ? -1 : size + overhead;
    return lru.request(object, sent(i, size), stored, !isChanged(i));
  }

  /** Gives the trace to the forecast as a proxy with LRU in memory and no disk would record it. */
  private void record(Trace trace, long seed) {
    LruOracle own = new LruOracle(trace.sizes().length, MEMORY, LARGEST_IN_MEMORY + OVERHEAD);
    for (int i = 0; i < trace.requests().length; i++) {
      boolean hit = ask(own, trace, i, OVERHEAD);
      int object = trace.requests()[i];
      record.keyHigh = Trace.hash(object, seed);
      record.keyLow = 1;
      record.endMillis = i;
      record.status = isConditional(i) ? 304 : 200;
      record.clientBytesOut = sent(i, trace.sizes()[object]);
      record.tag = hit ? LogTag.TCP_MEM_HIT : LogTag.TCP_MISS;
      record.hitClass = hit ? HitClass.MEMORY_HIT : HitClass.MISS;
      record.decision = hit ? FRESH : isChanged(i) ? CHANGED : MISS;
      // a loop has several requests in turn: only by their times are they in order
      whatIf.loop(i / 50 % LOOPS).finished(record);
      if (i % 1000 == 999) {
        whatIf.tick();
      }
    }
    assertThat(whatIf.droppedRequests()).isZero();
    SizeForecast forecast = whatIf.forecast();
    HitRatio measured = own.ratio();
    assertThat(forecast.memory().measured().requests())
        .isCloseTo(measured.requests(), within(1e-9));
    assertThat(forecast.memory().measured().bytes()).isCloseTo(measured.bytes(), within(1e-9));
  }

  private static void agrees(Tier tier, Trace trace, long largest, int overhead) {
    for (Point point : tier.curve()) {
      HitRatio whole = run(trace, point.sizeBytes(), largest, overhead).ratio();
      String at = tier.setting() + " of " + point.sizeBytes();
      assertThat(point.ratio().requests())
          .as("requests, " + at)
          .isCloseTo(whole.requests(), within(0.02));
      assertThat(point.ratio().bytes()).as("bytes, " + at).isCloseTo(whole.bytes(), within(0.02));
    }
  }

  private void agrees(Trace trace, long seed) {
    record(trace, seed);
    SizeForecast forecast = whatIf.forecast();
    assertThat(forecast.sampledRequests()).isLessThanOrEqualTo(trace.requests().length);
    agrees(forecast.memory(), trace, LARGEST_IN_MEMORY, OVERHEAD);
    agrees(forecast.disk(), trace, LARGEST, 0);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12})
  void agreesWithAWholeSimulationForAZipfTrace(long seed) {
    agrees(Trace.zipf(150_000, 400_000, seed), seed);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12})
  void agreesWithAWholeSimulationForATraceWithScansAndChanges(long seed) {
    agrees(Trace.changing(150_000, 400_000, seed), seed);
  }

  /** Hit ratio of the policy of the memory tier, W-TinyLFU with weights in units of 64 bytes. */
  private static double byOwnPolicy(Trace trace, long capacity) {
    Cache<Integer, Integer> cache =
        Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight(capacity / 64)
            .weigher((Integer object, Integer size) -> (size + 63) / 64)
            .build();
    int hits = 0;
    for (int object : trace.requests()) {
      int size = (int) trace.sizes()[object];
      if (cache.getIfPresent(object) != null) {
        hits++;
      } else if (size <= LARGEST_IN_MEMORY) {
        cache.put(object, size);
      }
    }
    return (double) hits / trace.requests().length;
  }

  /** The table of ADR 31: per cent at 64, 128 and 256 MB, by LRU and by the policy of memory. */
  @Test
  void thePolicyOfMemoryDiffersFromLruAsTheAdrSays() {
    differs(Trace.zipf(150_000, 500_000, 1), 33.4, 42.3, 42.1, 49.3, 52.6, 57.1);
    differs(Trace.changing(150_000, 500_000, 1), 29.0, 26.7, 36.3, 31.0, 44.7, 37.7);
    differs(Trace.polygraph(400_000, 1), 17.1, 13.5, 25.6, 17.3, 39.0, 23.0);
  }

  private static void differs(Trace trace, double... percents) {
    for (int i = 0; i < percents.length; i += 2) {
      long capacity = MEMORY << i / 2;
      LruOracle lru = new LruOracle(trace.sizes().length, capacity, LARGEST_IN_MEMORY);
      for (int object : trace.requests()) {
        lru.request(object, trace.sizes()[object]);
      }
      assertThat(100 * lru.ratio().requests()).isCloseTo(percents[i], within(0.1));
      assertThat(100 * byOwnPolicy(trace, capacity)).isCloseTo(percents[i + 1], within(0.5));
    }
  }
}
