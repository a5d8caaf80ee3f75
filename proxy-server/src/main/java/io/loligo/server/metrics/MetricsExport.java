package io.loligo.server.metrics;

import io.loligo.server.adapt.ServiceCount;
import io.loligo.server.adapt.ServiceCounts;
import io.loligo.server.helper.HelperCount;
import io.loligo.server.helper.HelperNumbers;
import io.loligo.server.login.LoginCount;
import io.loligo.server.login.LoginCounts;
import io.loligo.server.shaping.PoolCount;
import io.loligo.server.shaping.PoolCounts;
import io.loligo.server.shaping.PoolLevel;
import io.loligo.server.shaping.PoolLevels;
import io.loligo.store.StoreStats;
import io.loligo.store.disk.DiskStats;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.jmx.JmxConfig;
import io.micrometer.jmx.JmxMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Exports metrics through Micrometer: Prometheus text and JMX. It has only functions and gauges
 * that read the counts of the loops; nothing is recorded here. Thread-safe: any thread reads;
 * meters are added while the process starts.
 */
public final class MetricsExport implements AutoCloseable {
  /** JMX domain of Micrometer's registry; the proxy's own beans are under {@code io.loligo}. */
  public static final String JMX_DOMAIN = "io.loligo.metrics";

  /** The media type of {@link #openMetricsText}. */
  public static final String OPEN_METRICS =
      "application/openmetrics-text; version=1.0.0; charset=utf-8";

  private static final long[] CONCURRENCY_BOUNDS = {
    0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000
  };
  private static final double NANOS_IN_SECOND = 1e9;

  private final PrometheusMeterRegistry prometheus =
      new PrometheusMeterRegistry(new OnlyOnBuckets());
  private final ProxyMetrics metrics;
  private final CompositeMeterRegistry registry = new CompositeMeterRegistry();
  private final JvmGcMetrics gc = new JvmGcMetrics();
  // Micrometer keeps its sources by weak references
  private final List<Object> held = new ArrayList<>();

  /** By the path of the directory. Guarded by this. */
  private final Map<String, List<Meter>> diskMeters = new HashMap<>();

  /** Exports all of {@code metrics}, and metrics of the virtual machine. */
  public MetricsExport(ProxyMetrics metrics) {
    this.metrics = metrics;
    registry.add(prometheus);
    registry.add(new JmxMeterRegistry(new OwnDomain(), Clock.SYSTEM));
    held.add(metrics);
    for (Counter counter : Counter.values()) {
      counter(counter.meter(), counter.unit(), counter.text(), () -> metrics.value(counter));
    }
    for (CounterFamily family : CounterFamily.values()) {
      bind(family, metrics);
    }
    for (ConnectionGauge gauge : ConnectionGauge.values()) {
      gauge(gauge.meter(), null, gauge.text(), () -> metrics.value(gauge));
    }
    process(metrics);
    prometheus.getPrometheusRegistry().register(new StageCollector(metrics));
    prometheus.getPrometheusRegistry().register(new OriginMissCollector(metrics));
    bindVirtualMachine();
  }

  /**
   * Exemplars stand at buckets and counters only, as OpenMetrics 1.0 says. Micrometer also wants
   * them at other samples, which Prometheus rejects together with the whole scrape.
   */
  private static final class OnlyOnBuckets implements PrometheusConfig {
    @Override
    public @Nullable String get(String key) {
      return null;
    }

    @Override
    public Properties prometheusProperties() {
      return new Properties();
    }
  }

  private static final class OwnDomain implements JmxConfig {
    @Override
    public @Nullable String get(String key) {
      return null;
    }

    @Override
    public String domain() {
      return JMX_DOMAIN;
    }
  }

  private void bind(CounterFamily family, ProxyMetrics metrics) {
    for (int i = 0; i < family.labelValues().size(); i++) {
      int index = i;
      FunctionCounter.builder(family.meter(), metrics, m -> m.value(family, index))
          .description(family.text())
          .tag(family.label(), family.labelValues().get(i))
          .register(registry);
    }
  }

  private void process(ProxyMetrics metrics) {
    for (int i = 0; i < metrics.loops(); i++) {
      Gauge.builder("loligo.loop.lag", metrics.loop(i).lag(), lag -> lag.nanos() / NANOS_IN_SECOND)
          .description(
              "The longest time within the last second that work waited for an event loop, by four"
                  + " probes; more than a few milliseconds: a loop is too busy, or the process was"
                  + " suspended.")
          .baseUnit("seconds")
          .tag("loop", Integer.toString(i))
          .register(registry);
    }
    GcPauses pauses = metrics.gcPauses();
    counter("loligo.gc.pauses", null, "Pauses of the garbage collectors.", pauses::count);
    counter(
        "loligo.gc.paused",
        "milliseconds",
        "Time that the garbage collectors stopped the process.",
        pauses::millis);
  }

  private void bindVirtualMachine() {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    gc.bindTo(registry);
  }

  /** The registry, for meters that are not on the path of a request. */
  public MeterRegistry registry() {
    return registry;
  }

  /**
   * Exports a number that only grows.
   *
   * @param unit base unit, or null
   */
  public void counter(String name, @Nullable String unit, String text, LongSupplier value) {
    held.add(value);
    FunctionCounter.builder(name, value, LongSupplier::getAsLong)
        .description(text)
        .baseUnit(unit)
        .register(registry);
  }

  /**
   * Exports a number that goes up and down.
   *
   * @param unit base unit, or null
   */
  public void gauge(String name, @Nullable String unit, String text, LongSupplier value) {
    held.add(value);
    Gauge.builder(name, value, LongSupplier::getAsLong)
        .description(text)
        .baseUnit(unit)
        .register(registry);
  }

  /** Exports the present owners: owners added later do not appear. */
  public void ledger(MemoryOwners ledger) {
    for (MemoryOwners.Owner owner : ledger.owners()) {
      held.add(owner);
      Gauge.builder("loligo.memory.used", owner, o -> o.usedBytes().getAsLong())
          .description("Memory in use, by owner.")
          .baseUnit("bytes")
          .tag("owner", owner.name())
          .register(registry);
      Gauge.builder("loligo.memory.limit", owner, o -> o.limitBytes().getAsLong())
          .description("Memory limit of an owner; -1: no limit of its own.")
          .baseUnit("bytes")
          .tag("owner", owner.name())
          .register(registry);
    }
  }

  /** Exports the numbers of the store. */
  public void store(Supplier<StoreStats> stats) {
    storeGauge(stats, "entries", null, "Stored responses in memory.", StoreStats::entries);
    storeGauge(
        stats,
        "memory.used",
        "bytes",
        "Direct memory of stored responses.",
        StoreStats::memoryBytes);
    storeGauge(stats, "memory.limit", "bytes", "cache_mem.", StoreStats::memoryLimitBytes);
    storeGauge(
        stats,
        "memory.pinned",
        "bytes",
        "Memory of responses dropped from the store that are still being sent.",
        StoreStats::pinnedBytes);
    storeGauge(stats, "in.flight", null, "Fetches in progress.", StoreStats::inFlight);
    storeGauge(
        stats,
        "transit.used",
        "bytes",
        "Direct memory used by or reserved for fetches in progress.",
        StoreStats::transitBytes);
    storeGauge(
        stats, "transit.limit", "bytes", "loligo_transit_memory.", StoreStats::transitLimitBytes);
    counter(
        "loligo.store.insertions",
        null,
        "Responses that entered memory.",
        () -> stats.get().insertions());
    counter(
        "loligo.store.evictions",
        null,
        "Responses dropped for space; normal once the memory is full.",
        () -> stats.get().evictions());
    counter(
        "loligo.store.evicted",
        "bytes",
        "Direct memory of responses dropped for space.",
        () -> stats.get().evictedBytes());
    storeGauge(
        stats,
        "weight",
        "bytes",
        "The weight of stored responses for eviction: direct memory, heap, and dropped responses"
            + " that are still being sent.",
        StoreStats::weighedBytes);
    storeGauge(
        stats,
        "weight.limit",
        "bytes",
        "The weight from which a response is dropped for a new one.",
        StoreStats::weighableBytes);
    counter(
        "loligo.store.rejections",
        null,
        "Responses not stored, for lack of space or because of their size.",
        () -> stats.get().rejections());
  }

  /** Exports the numbers of Netty's allocator. */
  public void allocator(ByteBufAllocatorMetricProvider allocator) {
    AllocatorMeters.bind(allocator, registry);
  }

  /**
   * Exports the queue of an event loop.
   *
   * @param loop its number
   * @param pendingTasks in its queue
   */
  public void loopTasks(int loop, IntSupplier pendingTasks) {
    held.add(pendingTasks);
    Gauge.builder("loligo.loop.pending.tasks", pendingTasks, IntSupplier::getAsInt)
        .description(
            "Tasks that wait for their turn on an event loop; hundreds of them for some time: the"
                + " loop is overloaded.")
        .tag("loop", Integer.toString(loop))
        .register(registry);
  }

  /** Exports the counts of schemes by which users log in. */
  public void logins(Supplier<List<LoginCounts>> schemes) {
    prometheus
        .getPrometheusRegistry()
        .register(new CountsCollector<>("login", "scheme", List.of(LoginCount.values()), schemes));
  }

  /** Exports the counts of helper programs. */
  public void helpers(Supplier<List<HelperNumbers>> helpers) {
    prometheus
        .getPrometheusRegistry()
        .register(
            new CountsCollector<>("helper", "helper", List.of(HelperCount.values()), helpers));
  }

  /** Exports the state and the counts of parents. */
  public void peers(Supplier<List<PeerNumbers>> peers) {
    prometheus.getPrometheusRegistry().register(new PeerCollector(peers));
    prometheus
        .getPrometheusRegistry()
        .register(new CountsCollector<>("peer", "peer", List.of(PeerCount.values()), peers));
  }

  /** Exports the counts of pools of bandwidth and of request rates, and what their buckets hold. */
  public void pools(Supplier<List<PoolCounts>> pools, Supplier<List<PoolLevels>> levels) {
    prometheus
        .getPrometheusRegistry()
        .register(new CountsCollector<>("pool", "pool", List.of(PoolCount.values()), pools));
    prometheus
        .getPrometheusRegistry()
        .register(new CountsCollector<>("pool", "pool", List.of(PoolLevel.values()), levels));
  }

  /** Exports the counts of ICAP services. */
  public void icapServices(Supplier<List<ServiceCounts>> services) {
    prometheus
        .getPrometheusRegistry()
        .register(
            new CountsCollector<>("icap", "service", List.of(ServiceCount.values()), services));
  }

  /** Exports the validity of the certificates of TLS ports. */
  public void certificates(Supplier<List<CertificateExpiry>> certificates) {
    prometheus.getPrometheusRegistry().register(new CertificateCollector(certificates));
  }

  /** Exports the times of the file work of all directories. */
  public void diskTimes(DiskTimes times) {
    prometheus
        .getPrometheusRegistry()
        .register(
            Distributions.ofTimes(
                "loligo_disk_operation_duration_seconds",
                "Time of a read from a file, of a write, of a response's wait to be written, and of"
                    + " all the work until a response is stored (store; of those up to 8 KB and 16"
                    + " KB, and of the second block of those of two).",
                "operation",
                DiskTimes.Part.values(),
                times::addTo));
  }

  /** Exports the samples of what is in progress. */
  public void concurrency(Concurrency sampled) {
    prometheus
        .getPrometheusRegistry()
        .register(
            Distributions.ofNumbers(
                "loligo_concurrency",
                "In progress at each sample: requests every 10 ms, disk operations every 2 ms.",
                "of",
                Concurrency.Of.values(),
                sampled::addTo,
                CONCURRENCY_BOUNDS));
  }

  /**
   * Exports state and numbers of each {@code cache_dir}, by its path: of those that are there now.
   * To be called again when directories were added or removed.
   */
  public synchronized void disks(Supplier<List<DiskStats>> disks) {
    List<String> paths = disks.get().stream().map(DiskStats::path).toList();
    diskMeters.keySet().stream()
        .filter(path -> !paths.contains(path))
        .toList()
        .forEach(path -> diskMeters.remove(path).forEach(registry::remove));
    for (String path : paths) {
      if (!diskMeters.containsKey(path)) {
        diskMeters.put(path, List.of());
        disk(path, disks);
      }
    }
  }

  private void disk(String path, Supplier<List<DiskStats>> disks) {
    Supplier<DiskStats> one =
        () -> {
          for (DiskStats disk : disks.get()) {
            if (disk.path().equals(path)) {
              return disk;
            }
          }
          return DiskStats.of(path, "").state(DiskStats.State.OFF, "removed").build();
        };
    List<Meter> meters = new ArrayList<>();
    for (DiskNumber number : DiskNumber.values()) {
      meters.add(disk(one, path, number));
    }
    for (DiskStats.State state : DiskStats.State.values()) {
      meters.add(
          Gauge.builder("loligo.disk.state", one, disk -> disk.get().state() == state ? 1 : 0)
              .description(
                  "1 for the current state of the directory; /disk of the admin port gives the"
                      + " reason.")
              .tag("path", path)
              .tag("state", state.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    held.add(one);
    diskMeters.put(path, meters);
  }

  private Meter disk(Supplier<DiskStats> one, String path, DiskNumber number) {
    if (number.grows()) {
      return FunctionCounter.builder(number.meter(), one, disk -> number.of(disk.get()))
          .description(number.text())
          .baseUnit(number.unit())
          .tag("path", path)
          .register(registry);
    }
    return Gauge.builder(number.meter(), one, disk -> number.of(disk.get()))
        .description(number.text())
        .baseUnit(number.unit())
        .tag("path", path)
        .register(registry);
  }

  private void storeGauge(
      Supplier<StoreStats> stats,
      String name,
      @Nullable String unit,
      String text,
      ToLongFunction<StoreStats> number) {
    gauge("loligo.store." + name, unit, text, () -> number.applyAsLong(stats.get()));
  }

  /** All families as they are now, also those without a series. */
  public MetricSnapshots families() {
    return prometheus.getPrometheusRegistry().scrape();
  }

  /**
   * A new string: everything in the format OpenMetrics 1.0. From the first time on, the whole time
   * of exchanges has exemplars with the ids of requests.
   */
  public String openMetricsText() {
    metrics.keepExamples();
    return prometheus.scrape(OPEN_METRICS);
  }

  /** A new string: everything in Prometheus' text format 0.0.4. */
  public String prometheusText() {
    return prometheus.scrape();
  }

  @Override
  public void close() {
    gc.close();
    registry.close();
  }
}
