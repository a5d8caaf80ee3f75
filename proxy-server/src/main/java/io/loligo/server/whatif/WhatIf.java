package io.loligo.server.whatif;

import io.loligo.server.record.ExchangeSink;
import io.loligo.server.whatif.LoopSample.Count;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The hit ratio as a function of the sizes of memory and disk. Event loops give their requests to
 * {@link #loop}; one thread calls {@link #tick} each second; any thread reads the {@link
 * #forecast}.
 *
 * <p><b>Model.</b> Each tier is an LRU cache of the keys, of which a {@link MissRatioCurve} keeps a
 * sample. Memory is a cache of its own size. Memory and disk together are one cache of the size of
 * the disks, or of the memory if that is larger: a response in memory is on disk too, and its use
 * there counts as a use on disk (ADR 4). Freshness is taken from the proxy's own hits and misses: a
 * response that only a larger cache would still have is taken for fresh.
 *
 * <p><b>Load.</b> The curves take {@value #MOST_PER_TICK} requests a second. Where more come, or
 * the ring of a loop was full, fewer keys are sampled. Each {@value #HALVING_HOURS} hours all
 * weights are halved, so the traffic of the last days counts. If the sample has become too sparse
 * for the present traffic, the curves begin anew then.
 */
public final class WhatIf {
  /** Most sampled requests of all loops in one second. */
  static final int MOST_PER_TICK = 5_000;

  /** Time after which a request counts half. */
  static final int HALVING_HOURS = 24;

  private static final long HALVING_MILLIS = TimeUnit.HOURS.toMillis(HALVING_HOURS);

  private final LoopSample[] loops;
  private final LongSupplier millis;
  private final TierCurve memory;
  private final TierCurve disk;

  /** Sums of all loops at the last {@link #tick}. */
  private final long[] counted = new long[Count.values().length];

  /** Sums with the weights of the curves. */
  private final double[] weighed = new double[Count.values().length];

  private long countedDrops;
  private long sampledRequests;
  private long sinceMillis;
  private long halvedMillis;
  private volatile SizeForecast forecast;

  /**
   * Nothing seen.
   *
   * @param loops number of event loops
   * @param disk memory and disk together
   * @param millis wall clock
   */
  public WhatIf(int loops, TierSize memory, TierSize disk, LongSupplier millis) {
    this.loops = new LoopSample[loops];
    Arrays.setAll(this.loops, number -> new LoopSample());
    this.millis = millis;
    this.memory = new TierCurve(memory);
    this.disk = new TierCurve(disk);
    this.memory.look();
    this.disk.look();
    begin();
    forecast = forecastNow();
  }

  /** Takes the finished exchanges of event loop {@code number}, from 0. */
  public ExchangeSink loop(int number) {
    return loops[number];
  }

  /** The hit ratios as of the last {@link #tick}. Any thread. */
  public SizeForecast forecast() {
    return forecast;
  }

  /** Sampled requests that were dropped because a loop had no room for them. Any thread. */
  public long droppedRequests() {
    long sum = 0;
    for (LoopSample loop : loops) {
      sum += loop.ring().dropped();
    }
    return sum;
  }

  /** Memory that it takes at most, on the heap, in bytes. Any thread. */
  public long memoryBytes() {
    return 2L * MissRatioCurve.MOST_BYTES + (long) loops.length * SampleRing.BYTES;
  }

  /** Takes the requests of the last second. One thread at a time. */
  public void tick() {
    boolean memoryChanged = memory.look();
    boolean diskChanged = disk.look();
    if (memoryChanged || diskChanged) {
      begin();
    }
    long taken = take();
    long drops = droppedRequests() - countedDrops;
    countedDrops += drops;
    long sampled = taken + drops;
    count(sampled == 0 ? 1 : (double) taken / sampled);
    if (drops > 0 || sampled > MOST_PER_TICK) {
      // a full ring is one of several, so its excess says little about all of them
      sink(Math.min(drops > 0 ? 0.5 : 1, (double) MOST_PER_TICK / sampled));
    }
    if (millis.getAsLong() - halvedMillis >= HALVING_MILLIS) {
      halve();
    }
    publish();
  }

  private void begin() {
    memory.begin();
    disk.begin();
    Arrays.fill(weighed, 0);
    sampledRequests = 0;
    sinceMillis = millis.getAsLong();
    halvedMillis = sinceMillis;
  }

  /** Gives the requests of all rings to the curves, by time. */
  private long take() {
    long taken = 0;
    for (LoopSample loop : loops) {
      loop.ring().look();
    }
    for (SampleRing ring = earliest(); ring != null; ring = earliest()) {
      long number = ring.number();
      long sent = number >>> LoopSample.FLAG_BITS;
      int flags = (int) number & ((1 << LoopSample.FLAG_BITS) - 1);
      memory.request(ring.hash(), sent, flags);
      disk.request(ring.hash(), sent, flags);
      ring.next();
      taken++;
    }
    sampledRequests += taken;
    return taken;
  }

  /** The ring whose next request is the earliest of all; null: all are empty. */
  private @Nullable SampleRing earliest() {
    SampleRing earliest = null;
    for (LoopSample loop : loops) {
      SampleRing ring = loop.ring();
      if (ring.hasNext() && (earliest == null || ring.millis() < earliest.millis())) {
        earliest = ring;
      }
    }
    return earliest;
  }

  /** Counts {@code share} of the requests since the last call: the others left no sample. */
  private void count(double share) {
    double[] more = new double[counted.length];
    for (Count count : Count.values()) {
      long now = 0;
      for (LoopSample loop : loops) {
        now += loop.count(count);
      }
      int at = count.ordinal();
      more[at] = (now - counted[at]) * share;
      weighed[at] += more[at];
      counted[at] = now;
    }
    for (TierCurve tier : new TierCurve[] {memory, disk}) {
      tier.seen(more[Count.REQUESTS.ordinal()], more[Count.BYTES.ordinal()]);
      tier.alwaysMissed(
          more[Count.ALWAYS_MISSED.ordinal()], more[Count.ALWAYS_MISSED_BYTES.ordinal()]);
    }
  }

  private void sink(double share) {
    long limit = Math.max(1, (long) (threshold() * share));
    memory.sink(limit);
    disk.sink(limit);
  }

  private void halve() {
    halvedMillis = millis.getAsLong();
    if (memory.isSparse() || disk.isSparse()) {
      begin();
      return;
    }
    memory.halve();
    disk.halve();
    for (int i = 0; i < weighed.length; i++) {
      weighed[i] /= 2;
    }
  }

  private long threshold() {
    return Math.max(memory.threshold(), disk.threshold());
  }

  private void publish() {
    for (LoopSample loop : loops) {
      loop.threshold(threshold());
    }
    forecast = forecastNow();
  }

  private SizeForecast forecastNow() {
    return new SizeForecast(
        Instant.ofEpochMilli(sinceMillis),
        sampledRequests,
        memory.forecast(measured(Count.MEMORY_HITS, Count.MEMORY_HIT_BYTES)),
        disk.forecast(measured(Count.HITS, Count.HIT_BYTES)));
  }

  private HitRatio measured(Count hits, Count bytes) {
    return new HitRatio(share(hits, Count.REQUESTS), share(bytes, Count.BYTES));
  }

  private double share(Count part, Count whole) {
    double all = weighed[whole.ordinal()];
    return all == 0 ? 0 : weighed[part.ordinal()] / all;
  }
}
