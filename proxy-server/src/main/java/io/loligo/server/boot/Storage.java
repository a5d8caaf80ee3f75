package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.history.HistorySources;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.metrics.DiskTimes;
import io.loligo.server.metrics.MemoryOwners;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.time.TimeSource;
import io.loligo.store.MemorySettings;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DirectoryChange;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.MemoryShortage;
import io.loligo.store.memory.PacedExecutor;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The store of the process. Thread-safe. */
final class Storage implements Part {
  /** Pace of the tiers' maintenance: batches of hits instead of a wake-up for every few. */
  private static final long MAINTENANCE_MILLIS = 5;

  private final DiskTimes diskTimes;
  private final TieredStore store;

  /** Null until they are shown. */
  private volatile @Nullable MetricsExport export;

  /** Null until they are shown. */
  private volatile @Nullable ManagementBeans beans;

  /**
   * Makes the store; its directories are not open yet.
   *
   * @param stripes of the event loops and the thread of maintenance
   * @throws IOException if a directory cannot be claimed; names the line and the remedy
   */
  Storage(
      ProxyConfig config,
      ByteBufAllocator allocator,
      Stripes stripes,
      Maintenance maintenance,
      TimeSource time)
      throws IOException {
    diskTimes = new DiskTimes(time::nanos);
    MemorySettings memory = MemorySettings.of(config);
    DiskSettings disk = DiskSettings.of(config);
    var packed = new PackedAllocator(allocator, stripes, memory.cacheBytes());
    var transit = new MemoryLedger(memory.transitBytes(), stripes, new MemoryShortage(time::nanos));
    store =
        new TieredStore(
            packed,
            memory,
            view -> DiskTier.claim(disk, packed, transit, view, new SystemMedium(diskTimes)),
            transit,
            new PacedExecutor(
                task ->
                    maintenance.thread().schedule(task, MAINTENANCE_MILLIS, TimeUnit.MILLISECONDS)),
            time::millis);
    maintenance.every(1, store::tick);
  }

  /** The store. */
  TieredStore store() {
    return store;
  }

  /** The times of its directories. */
  DiskTimes diskTimes() {
    return diskTimes;
  }

  /** Adds its memory to {@code owners}. */
  void owns(MemoryOwners owners) {
    owners
        .add(
            "cache",
            "Stored responses.",
            () -> store.stats().memoryBytes(),
            () -> store.stats().memoryLimitBytes())
        .add(
            "transit",
            "Bytes in transit that no tier holds.",
            () -> store.stats().transitBytes(),
            () -> store.stats().transitLimitBytes());
  }

  /**
   * Claims the folders that {@code now} adds; see {@link DirectoryChange}.
   *
   * @throws IOException one cannot be used; nothing has changed then
   */
  DirectoryChange prepare(ProxyConfig now) throws IOException {
    DiskSettings wanted = DiskSettings.of(now);
    List<CacheDir> changed = wanted.dirs().stream().filter(dir -> !isInUse(dir)).toList();
    // a directory whose disk has failed since does not prevent a reload
    CacheFolders.prepare(DiskSettings.with(changed).build());
    return store.prepare(wanted);
  }

  private boolean isInUse(CacheDir dir) {
    // a folder that was in use and is gone must not be made on the disk below its mount point
    boolean gone = Files.notExists(Path.of(dir.path()));
    return store.diskStats().stream()
        .anyMatch(
            disk ->
                disk.path().equals(dir.path()) && (gone || disk.capacityBytes() == dir.maxBytes()));
  }

  /** Uses the directories of {@code change}. Blocks until the others are closed. */
  void commit(DirectoryChange change) {
    store.commit(change);
    MetricsExport shown = export;
    if (shown != null) {
      shown.disks(store::diskStats);
    }
    ManagementBeans registered = beans;
    if (registered != null) {
      registered.cacheDirs(store::diskStats);
    }
  }

  @Override
  public void reconfigured(ProxyConfig before, ProxyConfig now) {
    store.reconfigure(MemorySettings.of(now));
  }

  @Override
  public void open() {
    store.open();
  }

  @Override
  public void showMeters(MetricsExport export) {
    this.export = export;
    export.store(store::stats);
    export.disks(store::diskStats);
    export.diskTimes(diskTimes);
    export.counter(
        "loligo.memory.shortages",
        null,
        "Failed memory allocations, each of which ended its task. The log names the remedy.",
        this::shortages);
  }

  @Override
  public void showBeans(ManagementBeans beans) {
    this.beans = beans;
    beans.diskTimes(diskTimes);
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.store(store::stats);
    sources.disks(store::diskStats);
    sources.diskTimes(diskTimes);
    sources.counter("memory_shortages", this::shortages);
  }

  private long shortages() {
    return store.transit().shortage().count();
  }

  @Override
  public void close() {
    store.close();
  }
}
