package io.loligo.server.whatif;

import io.loligo.server.record.ExchangeSink;
import io.loligo.server.whatif.LoopSample.Count;
import io.loligo.server.whatif.SizeForecast.Tier;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The hit ratio as a function of the sizes of memory and disk. Event loops give their requests to
 * {@link #loop}; one thread calls {@link #tick} each second; any thread reads the {@link
 * #forecast}.
 *
 * <p><b>Model.</b> Each tier is simulated by its own policy in a few sizes, for a sample of the
 * keys ({@link SizeTrial}): memory in front of the present disk, and disks behind the present
 * memory. Freshness is taken from the proxy's own hits and misses: a response that only a larger
 * cache would still have is taken for fresh.
 *
 * <p><b>Load.</b> The trials take {@value #MOST_PER_TICK} requests a second. Where more come, or
 * the ring of a loop was full, fewer keys are sampled. Each {@value #HALVING_HOURS} hours all
 * weights are halved, so the traffic of the last days counts. If the samples have become too sparse
 * for the present traffic, they begin anew then. They begin anew too when a size changes.
 */
public final class WhatIf {
  /** Most sampled requests of all loops in one second. */
  static final int MOST_PER_TICK = 5_000;

  /**
   * Heap of the models of memory without a disk, from the smallest size. A larger size has a
   * smaller share of its keys there, so an entry stands for more of them.
   */
  private static final int[] MEMORY_HEAP = kilobytes(64, 64, 64, 72, 88, 108);

  /** The same beside a disk: memory is then for few responses, which are requested often. */
  private static final int[] MEMORY_BESIDE_DISK_HEAP = kilobytes(20, 20, 24, 24, 24, 24);

  /** The same of the disk. */
  private static final int[] DISK_HEAP = kilobytes(40, 40, 44, 60, 68, 88);

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

  private boolean besideDisk;
  private long countedDrops;
  private long sampledRequests;
  private long sinceMillis;
  private long halvedMillis;
  private volatile SizeForecast forecast;

  /**
   * Nothing seen.
   *
   * @param loops number of event loops
   * @param millis wall clock
   */
  public WhatIf(int loops, MemorySize memory, DiskSize disk, LongSupplier millis) {
    this.loops = new LoopSample[loops];
    Arrays.setAll(this.loops, number -> new LoopSample());
    this.millis = millis;
    this.memory =
        new TierCurve(
            memory.setting(),
            memory.largestObject(),
            memory.storedBytes(),
            memory.sizeBytes(),
            () -> besideDisk ? MEMORY_BESIDE_DISK_HEAP : MEMORY_HEAP,
            (bytes, heapBytes) -> memoryModel(memory, disk, bytes, heapBytes));
    this.disk =
        new TierCurve(
            disk.setting(),
            disk.largestObject(),
            IntUnaryOperator.identity(),
            disk.sizeBytes(),
            () -> DISK_HEAP,
            (bytes, heapBytes) -> new DiskModel(bytes, memory, disk, heapBytes));
    look();
    begin();
    forecast = forecastNow();
  }

  private MemoryModel memoryModel(MemorySize memory, DiskSize disk, long sizeBytes, int heapBytes) {
    return new MemoryModel(
        memory,
        sizeBytes,
        besideDisk ? new RecentDiskHits() : null,
        disk.onSecondRequest().getAsBoolean(),
        MemoryModel.mostEntries(heapBytes - RecentDiskHits.BYTES));
  }

  /** Reads the present sizes. Returns whether one has changed. */
  private boolean look() {
    boolean memoryChanged = memory.look();
    boolean diskChanged = disk.look();
    besideDisk = disk.exists();
    return memoryChanged || diskChanged;
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
    int besideDisk = sum(MEMORY_BESIDE_DISK_HEAP) + sum(DISK_HEAP);
    return Math.max(sum(MEMORY_HEAP), besideDisk) + (long) loops.length * SampleRing.BYTES;
  }

  private static int sum(int[] sizes) {
    return Arrays.stream(sizes).sum();
  }

  /** Takes the requests of the last second. One thread at a time. */
  public void tick() {
    if (look()) {
      begin();
    }
    long taken = take();
    memory.second();
    disk.second();
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

  private static int[] kilobytes(int... sizes) {
    return Arrays.stream(sizes).map(size -> size << 10).toArray();
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
      memory.request(ring.hash(), sent, flags, (flags & LoopSample.IN_MEMORY) != 0);
      disk.request(ring.hash(), sent, flags, (flags & LoopSample.HELD) != 0);
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
    for (Count count : Count.values()) {
      long now = 0;
      for (LoopSample loop : loops) {
        now += loop.count(count);
      }
      int at = count.ordinal();
      weighed[at] += (now - counted[at]) * share;
      counted[at] = now;
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
        forecast(memory, load(Count.MEMORY_HITS, Count.MEMORY_HIT_BYTES)),
        forecast(disk, load(Count.HITS, Count.HIT_BYTES)));
  }

  private @Nullable Tier forecast(TierCurve of, Load hits) {
    Load all = load(Count.REQUESTS, Count.BYTES);
    Load cold = load(Count.COLD_MISSES, Count.COLD_MISS_BYTES);
    Load anywhere = load(Count.HITS, Count.HIT_BYTES);
    Load misses =
        new Load(
            cold.requests() + anywhere.requests() - hits.requests(),
            cold.bytes() + anywhere.bytes() - hits.bytes());
    HitRatio measured =
        new HitRatio(share(hits.requests(), all.requests()), share(hits.bytes(), all.bytes()));
    return of.forecast(measured, all, misses);
  }

  private Load load(Count requests, Count bytes) {
    return new Load(weighed[requests.ordinal()], weighed[bytes.ordinal()]);
  }

  private static double share(double part, double whole) {
    return whole == 0 ? 0 : part / whole;
  }
}
