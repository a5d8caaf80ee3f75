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
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The way from the records of exchanges to the forecast, beside simulations of whole proxies of
 * each size with the same trace.
 *
 * <p>The tables of ADR 31 are of {@code -Dloligo.whatif.scale=5 -Dloligo.whatif.seeds=14}: traces
 * of five times the length, and the seeds from {@value #FIRST_SEED} to {@value #FIRST_SEED} + 13.
 */
class WhatIfTracesTest {
  private static final int SCALE = Integer.getInteger("loligo.whatif.scale", 1);

  /** How many seeds. */
  private static final int SEEDS = Integer.getInteger("loligo.whatif.seeds", 2);

  private static final long FIRST_SEED = 11;

  private static final int REQUESTS = 80_000 * SCALE;
  private static final int OBJECTS = 32_000 * SCALE;
  private static final long MEMORY = SCALE * (16L << 20);
  private static final long DISK = 4 * MEMORY;
  private static final long MEMORY_BESIDE_DISK = DISK / 16;

  /** Fewer than a hundred responses fit in less, and the hit ratio is a matter of luck. */
  private static final long LEAST_SIZE = 1 << 20;

  private static final long LARGEST = 4L << 20;
  private static final int LOOPS = 2;

  private static final CacheDecision MISS =
      new CacheDecision(Outcome.FETCH, CacheReason.URI_MISS, -1, -1);
  private static final CacheDecision CHANGED =
      new CacheDecision(Outcome.VALIDATE, CacheReason.STALE, 70, 60);
  private static final CacheDecision FRESH =
      new CacheDecision(Outcome.SERVE, CacheReason.FRESH, 1, 60);

  private final ExchangeRecord record = SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h");
  private long millis;

  /** The forecast of a proxy that has had the requests of the trace. */
  private SizeForecast forecast(Trace trace, long memoryBytes, long diskBytes, long seed) {
    WhatIf whatIf =
        new WhatIf(
            LOOPS,
            new MemorySize(
                "cache_mem",
                () -> ProxyOracle.LARGEST_IN_MEMORY,
                bytes -> bytes + ProxyOracle.OVERHEAD,
                () -> memoryBytes,
                bytes -> bytes),
            new DiskSize(
                "cache_dir",
                () -> LARGEST,
                () -> diskBytes,
                () -> ProxyOracle.MEAN_BYTES,
                () -> false),
            () -> millis);
    ProxyOracle own = new ProxyOracle(trace, memoryBytes, diskBytes);
    for (int i = 0; i < trace.requests().length; i++) {
      record(trace, i, own.request(i), seed);
      // a loop has several requests in turn: only by their times are they in order
      whatIf.loop(i / 50 % LOOPS).finished(record);
      if (i % ProxyOracle.SECOND == ProxyOracle.SECOND - 1) {
        whatIf.tick();
      }
    }
    assertThat(whatIf.droppedRequests()).isZero();
    SizeForecast forecast = whatIf.forecast();
    HitRatio measured = forecast.memory().measured();
    assertThat(measured.requests()).isCloseTo(own.memory().requests(), within(1e-9));
    assertThat(measured.bytes()).isCloseTo(own.memory().bytes(), within(1e-9));
    return forecast;
  }

  private void record(Trace trace, int i, ProxyOracle.Answer answer, long seed) {
    record.keyHigh = Trace.hash(trace.requests()[i], seed);
    record.keyLow = 1;
    record.endMillis = i;
    record.status = ProxyOracle.isConditional(i) ? 304 : 200;
    record.clientBytesOut = ProxyOracle.sent(trace, i);
    record.decision = FRESH;
    switch (answer) {
      case MEMORY -> {
        record.tag = LogTag.TCP_MEM_HIT;
        record.hitClass = HitClass.MEMORY_HIT;
      }
      case DISK -> {
        record.tag = LogTag.TCP_HIT;
        record.hitClass = HitClass.DISK_HIT;
      }
      case ORIGIN -> {
        record.tag = LogTag.TCP_MISS;
        record.hitClass = HitClass.MISS;
        record.decision = ProxyOracle.isChanged(i) ? CHANGED : MISS;
      }
    }
  }

  private static void agrees(Tier tier, LongFunction<HitRatio> whole) {
    for (Point point : tier.curve()) {
      if (point.sizeBytes() < LEAST_SIZE) {
        continue;
      }
      HitRatio real = whole.apply(point.sizeBytes());
      String at = tier.setting() + " of " + point.sizeBytes();
      assertThat(point.ratio().requests())
          .as("requests, " + at)
          .isCloseTo(real.requests(), within(0.02));
      assertThat(point.ratio().bytes()).as("bytes, " + at).isCloseTo(real.bytes(), within(0.02));
    }
  }

  private void memoryAgrees(Trace trace, long seed) {
    agrees(
        forecast(trace, MEMORY, 0, seed).memory(),
        bytes -> new ProxyOracle(trace, bytes, 0).run().memory());
  }

  private void memoryAndDiskAgree(Trace trace, long seed) {
    SizeForecast forecast = forecast(trace, MEMORY_BESIDE_DISK, DISK, seed);
    agrees(forecast.memory(), bytes -> new ProxyOracle(trace, bytes, DISK).run().memory());
    agrees(forecast.disk(), bytes -> new ProxyOracle(trace, MEMORY_BESIDE_DISK, bytes).run().all());
  }

  /** A kind of traffic. */
  enum Kind {
    ZIPF(seed -> Trace.zipf(OBJECTS, REQUESTS, seed)),
    FLAT_ZIPF(seed -> Trace.zipf(0.7, OBJECTS, REQUESTS, seed)),
    STEEP_ZIPF(seed -> Trace.zipf(0.9, OBJECTS, REQUESTS, seed)),
    STEEPEST_ZIPF(seed -> Trace.zipf(1.1, OBJECTS, REQUESTS, seed)),
    /** With another popularity from time to time, and a scan. */
    CHANGING(seed -> Trace.changing(OBJECTS, REQUESTS, seed)),
    LOOP(seed -> Trace.loop(OBJECTS, REQUESTS, seed)),
    POLYGRAPH(seed -> Trace.polygraph(REQUESTS, seed));

    final LongFunction<Trace> trace;

    Kind(LongFunction<Trace> trace) {
      this.trace = trace;
    }
  }

  static Stream<Arguments> traces() {
    return LongStream.range(FIRST_SEED, FIRST_SEED + SEEDS)
        .boxed()
        .flatMap(seed -> Stream.of(Kind.values()).map(kind -> Arguments.of(kind, seed)));
  }

  @ParameterizedTest
  @MethodSource("traces")
  void memoryAgrees(Kind kind, long seed) {
    memoryAgrees(kind.trace.apply(seed), seed);
  }

  @ParameterizedTest
  @MethodSource("traces")
  void memoryAndDiskAgree(Kind kind, long seed) {
    memoryAndDiskAgree(kind.trace.apply(seed), seed);
  }
}
