package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.disk.DiskMemory;
import java.lang.management.ManagementFactory;

/**
 * The sum of the direct memory that a configuration may use, against what the JVM and the machine
 * (or container) grant. Immutable; all in octets.
 *
 * @param cacheBytes {@code cache_mem}
 * @param transitBytes {@code loligo_transit_memory}
 * @param disk what all {@code cache_dir}s take
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

  /** A heap grows to its limit only if needed: what must fit beside the rest is a small one. */
  static final long SMALL_HEAP_BYTES = 64L << 20;

  /**
   * Beside heap and direct memory: classes, compiled code, stacks. Budgets that no line gives leave
   * it free.
   */
  static final long JVM_BYTES = 64L << 20;

  /** Of {@code cache_mem} and {@code loligo_transit_memory} without a line, at least. */
  static final long LEAST_BYTES = 8L << 20;

  private static final String CACHE = "cache_mem";
  private static final String TRANSIT = "loligo_transit_memory";

  /** The budget of {@code config} on this JVM. */
  static MemoryBudget of(ProxyConfig config) {
    return new MemoryBudget(
        config.memory().cacheBytes(),
        config.memory().transitBytes(),
        DiskMemory.of(config.disk()),
        DirectMemory.limitBytes(),
        Runtime.getRuntime().maxMemory(),
        machineMemory());
  }

  /** What there is of the machine or container, or less where {@code -XX:MaxRAM} says so. */
  private static long machineMemory() {
    long total =
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system
            ? system.getTotalMemorySize()
            : Long.MAX_VALUE;
    return Math.min(total, DirectMemory.option("MaxRAM"));
  }

  /**
   * {@code config} with as much memory as fits here, on this JVM, where no line says how much: of
   * both budgets two thirds are for stored responses. What a line says stays as it is.
   */
  static ProxyConfig fit(ProxyConfig config) {
    return of(config).fitted(config);
  }

  /** The same in this budget, which is that of {@code config}. */
  ProxyConfig fitted(ProxyConfig config) {
    boolean cacheGiven = config.isGiven(CACHE);
    boolean transitGiven = config.isGiven(TRANSIT);
    if (cacheGiven && transitGiven) {
      return config;
    }
    long room = roomBytes();
    long cache = cacheBytes;
    long transit = transitBytes;
    if (cacheGiven) {
      transit = atMost(transit, room - cache);
    } else if (transitGiven) {
      cache = atMost(cache, room - transit);
    } else if (cache + transit > room) {
      cache = atMost(cache, room / 3 * 2);
      transit = atMost(transit, room - cache);
    }
    return config.withBudgets(cache, transit);
  }

  /** {@code usual}, or whole megabytes that fit into {@code room}, but not too few to work with. */
  private static long atMost(long usual, long room) {
    return Math.min(usual, Math.max(LEAST_BYTES, room >> 20 << 20));
  }

  /**
   * What is left for {@link #CACHE} and {@link #TRANSIT} so that the JVM can have all the heap that
   * it may take, or half the machine where it may take more.
   */
  private long roomBytes() {
    long heap = Math.min(heapLimitBytes, Math.max(machineBytes / 2, heapBytes()));
    long direct = Math.min(directLimitBytes, machineBytes - heap - JVM_BYTES);
    return direct - disk.directBytes() - OVERHEAD_BYTES;
  }

  /**
   * The budgets of {@code config}, this being the budget of what the lines alone say, and how they
   * came to be.
   */
  String report(ProxyConfig config) {
    long cache = config.memory().cacheBytes();
    long transit = config.memory().transitBytes();
    String chosen =
        "memory: "
            + report(CACHE, cache, cacheBytes)
            + ", "
            + report(TRANSIT, transit, transitBytes);
    String granted =
        mb(directLimitBytes) + " of direct memory and " + mb(heapLimitBytes) + " of heap";
    String machine = mb(machineBytes) + " of machine or container";
    return cache == cacheBytes && transit == transitBytes
        ? chosen + "; the JVM grants " + granted + ", of " + machine
        : chosen
            + ": the JVM grants "
            + granted
            + ", of "
            + machine
            + "; -XX:MaxDirectMemorySize and lines in the configuration change that";
  }

  private static String report(String name, long bytes, long usualBytes) {
    return name + " " + mb(bytes) + (bytes == usualBytes ? "" : " instead of " + mb(usualBytes));
  }

  private static String mb(long bytes) {
    return mib(bytes).replace("MiB", "MB");
  }

  /** What may be used directly. */
  long sumBytes() {
    return cacheBytes + transitBytes + disk.directBytes() + OVERHEAD_BYTES;
  }

  /** Of the heap, what must fit beside the rest. */
  private long heapBytes() {
    return Math.min(heapLimitBytes, SMALL_HEAP_BYTES + disk.heapBytes());
  }

  /** Null where it fits; else the arithmetic and the flag to set. */
  String refusal() {
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
    String remedy = hasDisk ? "lower cache_mem, or raise store_avg_object_size" : "lower cache_mem";
    if (sumBytes() + heapBytes() > machineBytes) {
      return arithmetic
          + " + heap "
          + mib(heapBytes())
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
      return "lists of what cache_dir holds take "
          + mib(disk.heapBytes())
          + " of the heap, and the JVM allows "
          + mib(heapLimitBytes)
          + ": start java with -Xmx"
          + (((disk.heapBytes() + SMALL_HEAP_BYTES) >> 20) + 1)
          + "m, or raise store_avg_object_size";
    }
    return null;
  }

  /** Null, or what will be slow: the maps are best left in the page cache. */
  String warning() {
    long left = machineBytes - sumBytes() - heapBytes();
    return disk.mappedBytes() <= left
        ? null
        : "the index files of cache_dir take "
            + mib(disk.mappedBytes())
            + ", and only "
            + mib(left)
            + " of memory are left to keep them in: lookups will wait for the disk; lower cache_mem,"
            + " or raise store_avg_object_size";
  }

  private static String mib(long bytes) {
    return ((bytes + (1 << 20) - 1) >> 20) + " MiB";
  }
}
