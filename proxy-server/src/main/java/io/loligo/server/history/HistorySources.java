package io.loligo.server.history;

import io.loligo.server.counts.Count;
import io.loligo.server.counts.CountText;
import io.loligo.server.counts.Counts;
import io.loligo.server.metrics.AllocatorNumber;
import io.loligo.server.metrics.Concurrency;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.metrics.DiskNumber;
import io.loligo.server.metrics.DiskTimes;
import io.loligo.server.metrics.LatencySnapshot;
import io.loligo.server.metrics.MemoryOwners;
import io.loligo.server.metrics.PeerCount;
import io.loligo.server.metrics.PeerNumbers;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Stage;
import io.loligo.store.StoreStats;
import io.loligo.store.disk.DiskStats;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The numbers that a history keeps, and where they come from. All are known at the start, but for
 * the names of things that a reload adds ({@link NumbersByName}); a peer chooses no name of them.
 * Numbers are added by the thread that starts; then one thread reads times, and any thread counters
 * and gauges.
 */
public final class HistorySources {
  /** Facts that are asked for once in each sample, and the numbers taken from them. */
  private static final class Group<T> {
    private final Supplier<T> facts;
    private final List<Measure<T>> numbers = new ArrayList<>();

    Group(Supplier<T> facts) {
      this.facts = facts;
    }

    void read(long[] counters, long[] gauges) {
      T now = facts.get();
      for (Measure<T> number : numbers) {
        long[] into = number.series.kind() == Series.Kind.COUNTER ? counters : gauges;
        into[number.series.index()] = number.value.applyAsLong(now);
      }
    }
  }

  private record Measure<T>(Series series, ToLongFunction<T> value) {}

  private static final long NANOS_IN_MICRO = 1_000;
  private static final int MORE_DISKS = 4;
  private static final HitClass[] CLASSES = HitClass.values();
  private static final Stage[] STAGES = Stage.values();

  private final ProxyMetrics metrics;
  private final SeriesList series = new SeriesList();
  private final List<BiConsumer<long[], long[]>> readings = new ArrayList<>();
  private final Group<ProxyMetrics> loops;
  private final List<Consumer<LatencySnapshot>> furtherTimes = new ArrayList<>();
  private final LatencySnapshot merged = new LatencySnapshot();

  /**
   * All counters, gauges and times of the loops, and the present owners of memory.
   *
   * <p>Times are {@code time.CLASS}, the whole time by class of response, and {@code stage.STAGE},
   * over all classes.
   */
  public HistorySources(ProxyMetrics metrics) {
    this.metrics = metrics;
    loops = group(() -> metrics);
    for (Counter counter : Counter.values()) {
      counter(loops, name(counter), m -> m.value(counter));
    }
    for (CounterFamily family : CounterFamily.values()) {
      for (int i = 0; i < family.labelValues().size(); i++) {
        int index = i;
        counter(loops, name(family, index), m -> m.value(family, index));
      }
    }
    for (ConnectionGauge gauge : ConnectionGauge.values()) {
      gauge(loops, key(gauge.meter(), null), m -> m.value(gauge));
    }
    for (MemoryOwners.Owner owner : metrics.ledger().owners()) {
      gauge(loops, "memory_used_bytes." + owner.name(), m -> owner.usedBytes().getAsLong());
    }
    gauge(loops, "loop_lag_microseconds", m -> m.lagNanos() / NANOS_IN_MICRO);
    counter(loops, "gc_pauses", m -> m.gcPauses().count());
    counter(loops, "gc_paused_milliseconds", m -> m.gcPauses().millis());
    for (HitClass one : CLASSES) {
      series.add(Series.Kind.TIMES, name(one));
    }
    for (Stage one : STAGES) {
      series.add(Series.Kind.TIMES, name(one));
    }
  }

  /** The name of a counter's series. */
  public static String name(Counter counter) {
    return key(counter.meter(), counter.unit());
  }

  /** The name of the series of one label value. */
  public static String name(CounterFamily family, int index) {
    return key(family.meter(), null) + '.' + word(family.labelValues().get(index));
  }

  /** The name of the series of the whole time of a class. */
  public static String name(HitClass hitClass) {
    return "time." + hitClass.name().toLowerCase(Locale.ROOT);
  }

  /** The name of the series of a stage. */
  public static String name(Stage stage) {
    return "stage." + stage.name().toLowerCase(Locale.ROOT);
  }

  /** The name of the series of a number of the {@code cache_dir} with this path. */
  public static String name(String path, DiskNumber number) {
    return "disk." + path + '.' + number.key();
  }

  /** The numbers of the store. */
  public void store(Supplier<StoreStats> stats) {
    Group<StoreStats> store = group(stats);
    gauge(store, "store_entries", StoreStats::entries);
    gauge(store, "store_memory_used_bytes", StoreStats::memoryBytes);
    gauge(store, "store_memory_pinned_bytes", StoreStats::pinnedBytes);
    gauge(store, "store_in_flight", StoreStats::inFlight);
    gauge(store, "store_transit_used_bytes", StoreStats::transitBytes);
    gauge(store, "store_weight_bytes", StoreStats::weighedBytes);
    counter(store, "store_insertions", StoreStats::insertions);
    counter(store, "store_evictions", StoreStats::evictions);
    counter(store, "store_evicted_bytes", StoreStats::evictedBytes);
    counter(store, "store_rejections", StoreStats::rejections);
  }

  /**
   * The numbers of each {@code cache_dir}, as {@code disk.PATH.NUMBER}; a reload adds and removes
   * some, up to {@value #MORE_DISKS} more than now with series of their own.
   */
  public void disks(Supplier<List<DiskStats>> stats) {
    List<NumbersByName.Measurement<DiskStats>> numbers = new ArrayList<>();
    for (DiskNumber number : DiskNumber.values()) {
      numbers.add(
          new NumbersByName.Measurement<>(
              number.grows() ? Series.Kind.COUNTER : Series.Kind.GAUGE,
              "disk",
              '.' + number.key(),
              number::of));
    }
    int most = stats.get().size() + MORE_DISKS;
    readings.add(new NumbersByName<>(series, numbers, most, DiskStats::path, stats)::read);
  }

  /** The numbers of Netty's allocator. */
  public void allocator(ByteBufAllocatorMetricProvider allocator) {
    gauge("allocator_used_bytes.direct", allocator.metric()::usedDirectMemory);
    gauge("allocator_used_bytes.heap", allocator.metric()::usedHeapMemory);
    if (allocator instanceof PooledByteBufAllocator pooled) {
      Group<PooledByteBufAllocator> numbers = group(() -> pooled);
      for (AllocatorNumber number : AllocatorNumber.values()) {
        String name = key(number.meter(), number.unit());
        if (number.grows()) {
          counter(numbers, name, number::of);
        } else {
          gauge(numbers, name, number::of);
        }
      }
    }
  }

  /**
   * The counts of things of one kind, as {@code KIND_COUNT.NAME}; times are in microseconds.
   *
   * @param kind the prefix of the names, as in the metrics
   */
  public <C extends Count> void things(
      String kind, C[] counts, Supplier<? extends List<? extends Counts<C>>> things) {
    List<NumbersByName.Measurement<Counts<C>>> numbers = new ArrayList<>();
    for (C count : counts) {
      numbers.add(
          new NumbersByName.Measurement<>(
              count.isGauge() ? Series.Kind.GAUGE : Series.Kind.COUNTER,
              kind + '_' + name(count),
              "",
              thing -> value(thing, count)));
    }
    readings.add(new NumbersByName<>(series, numbers, Counts::name, things)::read);
  }

  private static String name(Count count) {
    CountText told = count.told();
    return told.isTime() ? told.name() + "_microseconds" : told.name();
  }

  private static <C extends Count> long value(Counts<C> thing, C count) {
    long value = thing.has(count) ? thing.value(count) : 0;
    return count.told().isTime() ? value / NANOS_IN_MICRO : value;
  }

  /** The state and the counts of parents. */
  public void peers(Supplier<List<PeerNumbers>> peers) {
    things("peer", PeerCount.values(), peers);
    List<NumbersByName.Measurement<PeerNumbers>> further =
        List.of(
            new NumbersByName.Measurement<>(
                Series.Kind.COUNTER, "peer_checks", ".good", PeerNumbers::goodChecks),
            new NumbersByName.Measurement<>(
                Series.Kind.COUNTER, "peer_checks", ".bad", PeerNumbers::badChecks),
            new NumbersByName.Measurement<>(
                Series.Kind.GAUGE, "peer_up", "", one -> one.up() ? 1 : 0),
            new NumbersByName.Measurement<>(
                Series.Kind.GAUGE, "peer_connections", "", PeerNumbers::connections),
            new NumbersByName.Measurement<>(
                Series.Kind.GAUGE,
                "peer_round_trip_microseconds",
                "",
                one -> 1_000L * one.roundTripMillis()));
    readings.add(new NumbersByName<>(series, further, PeerNumbers::name, peers)::read);
  }

  /**
   * The times of the file work, as {@code disk_time.PART}, and the number of responses that share a
   * write with others.
   */
  public void diskTimes(DiskTimes times) {
    for (DiskTimes.Part part : DiskTimes.Part.values()) {
      series.add(Series.Kind.TIMES, "disk_time." + part.name().toLowerCase(Locale.ROOT));
      furtherTimes.add(into -> times.addTo(into, part));
    }
    counter("disk_shared_writes", times::sharedWrites);
  }

  /**
   * The samples of requests and disk operations in progress: their number and their sum, whose
   * quotient is the mean. Of the disks, all samples, as {@code concurrency.disk_reads}.
   */
  public void concurrency(Concurrency sampled) {
    for (Concurrency.Of of : Concurrency.Of.values()) {
      String name = "concurrency_" + of.name().toLowerCase(Locale.ROOT);
      counter(name + "_samples", () -> sampled.count(of));
      counter(name + "_sum", () -> sampled.sum(of));
      if (of.isOfDisks()) {
        numbers(of.name().toLowerCase(Locale.ROOT), into -> sampled.addTo(into, of));
      }
    }
  }

  /** Further numbers, of which the history has the distribution, as {@code concurrency.NAME}. */
  public void numbers(String name, Consumer<LatencySnapshot> sinceStart) {
    series.add(Series.Kind.TIMES, numbers(name));
    furtherTimes.add(sinceStart);
  }

  /** The name of the series of {@link #numbers(String, Consumer)}. */
  public static String numbers(String name) {
    return Series.NUMBERS + name;
  }

  /** A further number that only rises. */
  public void counter(String name, LongSupplier value) {
    counter(loops, name, ignored -> value.getAsLong());
  }

  /** A further number that also falls. */
  public void gauge(String name, LongSupplier value) {
    gauge(loops, name, ignored -> value.getAsLong());
  }

  private <T> Group<T> group(Supplier<T> facts) {
    Group<T> group = new Group<>(facts);
    readings.add(group::read);
    return group;
  }

  private <T> void counter(Group<T> group, String name, ToLongFunction<T> value) {
    group.numbers.add(new Measure<>(series.add(Series.Kind.COUNTER, name), value));
  }

  private <T> void gauge(Group<T> group, String name, ToLongFunction<T> value) {
    group.numbers.add(new Measure<>(series.add(Series.Kind.GAUGE, name), value));
  }

  /** {@code loligo.client.sent} in bytes is {@code client_sent_bytes}. */
  private static String key(String meter, @Nullable String unit) {
    String name = meter.substring("loligo.".length()).replace('.', '_');
    return unit == null ? name : name + '_' + unit;
  }

  private static String word(String label) {
    return label.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_");
  }

  /** The series, complete when the first history is made. */
  SeriesList series() {
    return series;
  }

  /** Reads all counters and gauges, by the index of their series. */
  void read(long[] counters, long[] gauges) {
    readings.forEach(reading -> reading.accept(counters, gauges));
  }

  /** Reads all durations since the start of the process, by the index of their series. */
  void readTimes(long[][] buckets, long[] sums) {
    for (HitClass one : CLASSES) {
      merged.clear();
      metrics.addLatency(Stage.TOTAL, one, merged);
      take(buckets, sums, one.ordinal());
    }
    for (Stage stage : STAGES) {
      merged.clear();
      for (HitClass one : CLASSES) {
        metrics.addLatency(stage, one, merged);
      }
      take(buckets, sums, CLASSES.length + stage.ordinal());
    }
    for (int i = 0; i < furtherTimes.size(); i++) {
      merged.clear();
      furtherTimes.get(i).accept(merged);
      take(buckets, sums, CLASSES.length + STAGES.length + i);
    }
  }

  private void take(long[][] buckets, long[] sums, int index) {
    long[] into = buckets[index];
    Arrays.fill(into, 0);
    for (int i = 0; i < LatencySnapshot.BUCKETS; i++) {
      long count = merged.count(i);
      if (count != 0) {
        into[TimeBuckets.bucket(LatencySnapshot.lowestNanos(i))] += count;
      }
    }
    sums[index] = merged.sumNanos();
  }
}
