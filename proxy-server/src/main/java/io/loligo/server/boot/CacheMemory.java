package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.TieredStore;
import java.io.IOException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory for stored responses while the process runs: that of {@code cache_mem}, until an
 * administrator changes it. All other memory is fixed at the start, and so is the limit of the JVM.
 * Thread-safe: any thread.
 */
final class CacheMemory implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(CacheMemory.class);
  private static final int MIB_BITS = 20;

  private final TieredStore store;
  private final Supplier<ProxyConfig> config;
  private final LongSupplier historyBytes;

  /**
   * Changes nothing yet.
   *
   * @param config the configuration in force
   * @param historyBytes the memory of the history
   */
  CacheMemory(TieredStore store, Supplier<ProxyConfig> config, LongSupplier historyBytes) {
    this.store = store;
    this.config = config;
    this.historyBytes = historyBytes;
  }

  /**
   * {@code now}, with a default of {@code cache_mem} lowered to the memory beside the budgets that
   * only a start changes.
   *
   * @throws IOException if a line of {@code cache_mem} does not fit
   */
  ProxyConfig fitted(ProxyConfig now) throws IOException {
    long wanted = now.get(MemoryDirectives.CACHE_MEM);
    long most = mostBytes(now);
    if (wanted <= most) {
      return now;
    }
    if (now.isGiven(MemoryDirectives.CACHE_MEM)) {
      throw new IOException(
          now.source(MemoryDirectives.CACHE_MEM) + ": cache_mem: " + refusal(wanted, most, now));
    }
    return now.with(MemoryDirectives.CACHE_MEM, most)
        .showing(MemoryDirectives.CACHE_MEM, (most >> MIB_BITS) + " MB");
  }

  /** The largest size, in whole megabytes; a size in force is never too large. */
  private long mostBytes(ProxyConfig now) {
    MemoryBudget budget = MemoryBudget.of(now);
    long most = budget.mostBytes() - budget.transitBytes() - historyBytes.getAsLong();
    return Math.max(store.stats().memoryLimitBytes(), most >> MIB_BITS << MIB_BITS);
  }

  private String refusal(long wanted, long most, ProxyConfig now) {
    String why = MemoryBudget.of(now).with(wanted, transit(now)).refusal();
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
          bytes < 0 ? "value: " + bytes + " (expected: >= 0)" : refusal(bytes, most, now));
    }
    String change = change(bytes);
    return change + ", until the next reload or restart puts cache_mem in force again";
  }

  private String change(long bytes) {
    long before = store.stats().memoryLimitBytes();
    store.resize(bytes);
    return "memory for stored responses: " + mib(bytes) + ", was " + mib(before);
  }

  @Override
  public synchronized void reconfigured(ProxyConfig before, ProxyConfig now) {
    long bytes = now.get(MemoryDirectives.CACHE_MEM);
    if (bytes != store.stats().memoryLimitBytes()) {
      LOG.info("{}", change(bytes));
    }
  }
}
