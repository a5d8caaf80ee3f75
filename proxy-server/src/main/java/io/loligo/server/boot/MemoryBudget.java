package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.launch.AvailableMemory;
import io.loligo.server.launch.MemoryShares;
import io.loligo.server.launch.Relaunch;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.disk.DiskMemory;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.purge.Moments;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * The sum of the direct memory that a configuration may use, against the limits of the JVM and the
 * machine (or container). Immutable; all in bytes.
 *
 * @param cacheBytes {@code cache_mem}
 * @param transitBytes {@code loligo_transit_memory}
 * @param disk memory of all {@code cache_dir}s
 * @param directLimitBytes {@code -XX:MaxDirectMemorySize}, or its default
 * @param heapLimitBytes {@code -Xmx}, or its default
 * @param machineBytes memory of the machine or container
 */
record MemoryBudget(
    long cacheBytes,
    long transitBytes,
    DiskMemory disk,
    long directLimitBytes,
    long heapLimitBytes,
    long machineBytes) {
  /** Arenas, access log rings, codecs. */
  static final long OVERHEAD_BYTES = 32L << 20;

  /**
   * A heap grows to its limit only if needed: a small one must fit beside the rest. Of it, {@link
   * Moments#MEMORY_BYTES} are for the names of purges.
   */
  static final long SMALL_HEAP_BYTES = MemoryShares.SMALL_HEAP_BYTES;

  /** The budget of {@code config} on this JVM. */
  static MemoryBudget of(ProxyConfig config) {
    return new MemoryBudget(
        config.get(MemoryDirectives.CACHE_MEM),
        config.get(MemoryDirectives.TRANSIT_MEMORY),
        DiskMemory.of(DiskSettings.of(config)),
        DirectMemory.limitBytes(),
        Runtime.getRuntime().maxMemory(),
        machineMemory());
  }

  /**
   * The budget of {@code config} in a process that {@code run} would start with the flags of this
   * JVM, which may be none.
   */
  static MemoryBudget ofRun(ProxyConfig config) {
    MemoryBudget here = of(config);
    if (!Relaunch.choosesFlags()) {
      return here;
    }
    long line = config.isGiven(MemoryDirectives.CACHE_MEM) ? here.cacheBytes : -1;
    MemoryShares shares = MemoryShares.of(here.machineBytes, line);
    return new MemoryBudget(
        here.cacheBytes,
        here.transitBytes,
        here.disk,
        shares.directBytes(),
        shares.heapBytes(),
        here.machineBytes);
  }

  /** The memory of the machine or container, or {@code -XX:MaxRAM} if that is less. */
  private static long machineMemory() {
    long known = AvailableMemory.bytes();
    long total = known == AvailableMemory.UNKNOWN ? knownToTheJvm() : known;
    return Math.min(total, DirectMemory.option("MaxRAM"));
  }

  /** On systems other than Linux. Loads 45 classes, before the port is open. */
  private static long knownToTheJvm() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : Long.MAX_VALUE;
  }

  /** The same limits with other budgets. */
  MemoryBudget with(long otherCacheBytes, long otherTransitBytes) {
    return new MemoryBudget(
        otherCacheBytes, otherTransitBytes, disk, directLimitBytes, heapLimitBytes, machineBytes);
  }

  /**
   * Room for {@code cache_mem} and {@code loligo_transit_memory} beside a heap of its full size, or
   * of half the machine if the JVM would let it grow further.
   */
  long roomBytes() {
    long heap = Math.min(heapLimitBytes, Math.max(machineBytes / 2, heapBytes()));
    long direct = Math.min(directLimitBytes, machineBytes - heap - MemoryShares.jvmBytes(heap));
    return direct - disk.directBytes() - OVERHEAD_BYTES;
  }

  /** Largest sum of {@code cache_mem} and {@code loligo_transit_memory}. */
  long mostBytes() {
    return Math.min(directLimitBytes, machineBytes - heapBytes() - jvmBytes())
        - disk.directBytes()
        - OVERHEAD_BYTES;
  }

  /**
   * The same where buffers have a limit of their own, {@code allocatorBytes}: indexes are not in
   * it, nor is the part of the overhead that is no buffer.
   */
  long mostBytes(long allocatorBytes) {
    long buffers = disk.directBytes() - disk.indexBytes();
    return allocatorBytes - buffers - (OVERHEAD_BYTES - DirectMemory.OTHERS_BYTES);
  }

  /** Whether the configuration fits. */
  boolean fits() {
    return refusal("") == null;
  }

  /** Direct memory that may be used. */
  long sumBytes() {
    return cacheBytes + transitBytes + disk.directBytes() + OVERHEAD_BYTES;
  }

  /** The part of the heap that must fit beside the rest. */
  private long heapBytes() {
    return Math.min(heapLimitBytes, SMALL_HEAP_BYTES + disk.heapBytes());
  }

  /** Classes, compiled code, stacks, and the tables of a collector. */
  private long jvmBytes() {
    return MemoryShares.jvmBytes(heapBytes());
  }

  /** Null if it fits; else the arithmetic and the flag to set. */
  @Nullable String refusal() {
    return refusal(
        disk.directBytes() > 0
            ? "lower cache_mem, or raise store_avg_object_size"
            : "lower cache_mem");
  }

  /** The same with a remedy other than a flag. */
  @Nullable String refusal(String remedy) {
    boolean hasDisk = disk.directBytes() > 0;
    String arithmetic =
        "cache_mem "
            + mib(cacheBytes)
            + " + loligo_transit_memory "
            + mib(transitBytes)
            + (hasDisk ? " + index of cache_dir " + mib(disk.directBytes()) : "")
            + " + overhead "
            + mib(OVERHEAD_BYTES)
            + " = "
            + mib(sumBytes())
            + " of direct memory";
    if (sumBytes() + heapBytes() + jvmBytes() > machineBytes) {
      return arithmetic
          + " + heap "
          + mib(heapBytes())
          + " + JVM "
          + mib(jvmBytes())
          + " do not fit the "
          + mib(machineBytes)
          + " of this machine or container: "
          + remedy;
    }
    if (sumBytes() > directLimitBytes) {
      return arithmetic
          + ", but the JVM allows "
          + mib(directLimitBytes)
          + ": start java with -XX:MaxDirectMemorySize="
          + ((sumBytes() >> 20) + 1)
          + "m, or "
          + remedy;
    }
    if (disk.heapBytes() > heapLimitBytes / 2) {
      return "lists of the responses in cache_dir take "
          + mib(disk.heapBytes())
          + " of the heap, and the JVM allows "
          + mib(heapLimitBytes)
          + ": start java with -Xmx"
          + (((disk.heapBytes() + SMALL_HEAP_BYTES) >> 20) + 1)
          + "m, or raise store_avg_object_size";
    }
    return null;
  }

  private static String mib(long bytes) {
    return ((bytes + (1 << 20) - 1) >> 20) + " MiB";
  }
}
