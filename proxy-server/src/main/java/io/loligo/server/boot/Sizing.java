package io.loligo.server.boot;

import io.loligo.core.caching.CacheSettings;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminPages;
import io.loligo.server.admin.WhatIfJson;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.MemoryOwners;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.time.TimeSource;
import io.loligo.server.whatif.DiskSize;
import io.loligo.server.whatif.MemorySize;
import io.loligo.server.whatif.WhatIf;
import io.loligo.store.MemorySettings;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.memory.MemoryTier;

/** The hit ratios of other sizes of the cache. Thread-safe. */
final class Sizing implements Part {
  private final WhatIf whatIf;
  private volatile long largestInMemory;
  private volatile long largest;
  private volatile DiskSettings settings = DiskSettings.NONE;

  /** Samples from now on; {@code maintenance} does the work. */
  Sizing(
      ProxyConfig config, int loops, TieredStore store, Maintenance maintenance, TimeSource time) {
    read(config);
    MemorySize memory =
        new MemorySize(
            "cache_mem",
            () -> largestInMemory,
            MemoryTier::weightBytes,
            () -> store.stats().memoryLimitBytes(),
            store::weighableBytes);
    DiskSize disk =
        new DiskSize(
            "cache_dir",
            () -> largest,
            () -> diskBytes(store),
            () -> settings.meanObjectBytes(),
            () -> settings.onSecondRequest());
    whatIf = new WhatIf(loops, memory, disk, time::millis);
    maintenance.every(1, whatIf::tick);
  }

  private void read(ProxyConfig config) {
    settings = DiskSettings.of(config);
    largestInMemory = MemorySettings.of(config).maxObjectInMemoryBytes();
    largest = new CacheSettings(config, DiskSettings.largestMaxSize(config)).maxObjectBytes;
  }

  @Override
  public void reconfigured(ProxyConfig before, ProxyConfig now) {
    read(now);
  }

  /** The size of all directories in use; 0 without one. */
  private static long diskBytes(TieredStore store) {
    long bytes = 0;
    for (DiskStats directory : store.diskStats()) {
      bytes += directory.state() == DiskStats.State.OFF ? 0 : directory.capacityBytes();
    }
    return bytes;
  }

  /** The forecast, and the sinks of the loops. */
  WhatIf whatIf() {
    return whatIf;
  }

  /** Adds its memory to {@code owners}. */
  void owns(MemoryOwners owners) {
    owners.add(
        "what_if",
        "Simulations of other sizes for /whatif, on the Java heap.",
        whatIf::memoryBytes,
        whatIf::memoryBytes);
  }

  @Override
  public void showPages(AdminPages pages) {
    pages.addJson("/whatif", () -> WhatIfJson.of(whatIf.forecast()));
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.counter(
        "loligo.what_if.dropped",
        null,
        "Requests left out of the samples for /whatif because more came than the samples take in a"
            + " second.",
        whatIf::droppedRequests);
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.counter("what_if_dropped", whatIf::droppedRequests);
  }
}
