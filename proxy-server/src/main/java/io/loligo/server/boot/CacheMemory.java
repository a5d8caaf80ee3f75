package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskMemory;
import io.loligo.store.disk.DiskSettings;
import java.io.IOException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory budgets while the process runs, within the limits of the JVM and the machine. That for
 * stored responses is {@code cache_mem}, until an administrator changes it. Thread-safe: any
 * thread.
 */
final class CacheMemory implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(CacheMemory.class);
  private static final int MIB_BITS = 20;

  private final TieredStore store;
  private final Supplier<ProxyConfig> config;
  private final LongSupplier historyBytes;
  private final long allocatorBytes;

  /**
   * Changes nothing yet.
   *
   * @param config the configuration in force
   * @param historyBytes the memory of the history
   * @param allocatorBytes the limit of buffers, which was chosen at the start; see {@link
   *     DirectMemory}
   */
  CacheMemory(
      TieredStore store,
      Supplier<ProxyConfig> config,
      LongSupplier historyBytes,
      long allocatorBytes) {
    this.store = store;
    this.config = config;
    this.historyBytes = historyBytes;
    this.allocatorBytes = allocatorBytes;
  }

  /**
   * {@code now}, with the default budgets lowered to the memory that is left.
   *
   * @throws IOException if a line does not fit
   */
  ProxyConfig fitted(ProxyConfig now) throws IOException {
    ProxyConfig transit = fitted(now, MemoryDirectives.TRANSIT_MEMORY, mostTransit(now));
    ProxyConfig both = fitted(transit, MemoryDirectives.CACHE_MEM, mostBytes(transit));
    String refusal = MemoryBudget.of(both).refusal();
    if (refusal != null && isMore(both)) {
      throw new IOException(refusal);
    }
    return both;
  }

  private ProxyConfig fitted(ProxyConfig now, Setting<Long> budget, long most) throws IOException {
    long wanted = now.get(budget);
    if (wanted <= most) {
      return now;
    }
    if (now.isGiven(budget)) {
      throw new IOException(
          now.source(budget) + ": " + budget.name() + ": " + refusal(budget, wanted, most, now));
    }
    return now.with(budget, most).showing(budget, (most >> MIB_BITS) + " MB");
  }

  /** The largest size of {@code cache_mem}, in whole megabytes. */
  private long mostBytes(ProxyConfig now) {
    MemoryBudget budget = MemoryBudget.of(now);
    long most = mostOf(budget) - budget.transitBytes() - historyBytes.getAsLong();
    // a size in force is never too large
    long inForce = isMore(now.with(MemoryDirectives.CACHE_MEM, 0L)) ? 0 : limitBytes();
    return Math.max(inForce, most >> MIB_BITS << MIB_BITS);
  }

  /** The same of {@code loligo_transit_memory}; a default of {@code cache_mem} gives way to it. */
  private long mostTransit(ProxyConfig now) {
    MemoryBudget budget = MemoryBudget.of(now);
    long cache =
        now.isGiven(MemoryDirectives.CACHE_MEM)
            ? budget.cacheBytes()
            : Math.min(budget.cacheBytes(), MemoryFit.LEAST_BYTES);
    long most = mostOf(budget) - cache - historyBytes.getAsLong();
    return Math.max(transit(config.get()), most >> MIB_BITS << MIB_BITS);
  }

  /** An index that goes makes no room for buffers: their limit is that of the start. */
  private long mostOf(MemoryBudget budget) {
    return Math.min(budget.mostBytes(), budget.mostBytes(allocatorBytes));
  }

  /** Whether a budget of {@code now} is larger than the present one. */
  private boolean isMore(ProxyConfig now) {
    ProxyConfig before = config.get();
    return now.get(MemoryDirectives.CACHE_MEM) > limitBytes()
        || transit(now) > transit(before)
        || DiskMemory.of(DiskSettings.of(now)).directBytes()
            > DiskMemory.of(DiskSettings.of(before)).directBytes();
  }

  private long limitBytes() {
    return store.stats().memoryLimitBytes();
  }

  private String refusal(Setting<Long> budget, long wanted, long most, ProxyConfig now) {
    boolean ofCache = budget.equals(MemoryDirectives.CACHE_MEM);
    MemoryBudget budgetOfIt =
        MemoryBudget.of(now)
            .with(
                ofCache ? wanted : now.get(MemoryDirectives.CACHE_MEM),
                ofCache ? transit(now) : wanted);
    String why = budgetOfIt.refusal();
    if (why == null
        && budgetOfIt.cacheBytes() + budgetOfIt.transitBytes()
            > budgetOfIt.mostBytes(allocatorBytes)) {
      why =
          "buffers were limited to "
              + mib(allocatorBytes)
              + " at the start, beside the cache_dirs of that time: restart to use more";
    }
    return "value: "
        + mib(wanted)
        + " (expected: at most "
        + (most >> MIB_BITS)
        + " MiB while this process runs)"
        + (why == null ? ": the history has " + mib(historyBytes.getAsLong()) : ": " + why);
  }

  private static long transit(ProxyConfig now) {
    return now.get(MemoryDirectives.TRANSIT_MEMORY);
  }

  /** Rounded up. */
  private static String mib(long bytes) {
    return ((bytes >> MIB_BITS) + (bytes % (1 << MIB_BITS) == 0 ? 0 : 1)) + " MiB";
  }

  /** See {@link io.loligo.server.admin.Operations#resizeCacheMemory}. */
  synchronized String resize(long bytes) {
    ProxyConfig now = config.get();
    long most = mostBytes(now);
    if (bytes < 0 || bytes > most) {
      throw new IllegalArgumentException(
          bytes < 0
              ? "value: " + bytes + " (expected: >= 0)"
              : refusal(MemoryDirectives.CACHE_MEM, bytes, most, now));
    }
    String change = change(bytes);
    return change + ", until the next reload or restart puts cache_mem in force again";
  }

  private String change(long bytes) {
    long before = limitBytes();
    store.resize(bytes);
    return "memory for stored responses: " + mib(bytes) + ", was " + mib(before);
  }

  @Override
  public synchronized void reconfigured(ProxyConfig before, ProxyConfig now) {
    long bytes = now.get(MemoryDirectives.CACHE_MEM);
    if (bytes != limitBytes()) {
      LOG.info("{}", change(bytes));
    }
  }
}
