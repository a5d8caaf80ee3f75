package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;

/**
 * The sum of the direct memory that a configuration may use, against what the JVM and the machine
 * (or container) grant. Immutable; all in octets.
 *
 * @param cacheBytes {@code cache_mem}
 * @param transitBytes {@code loligo_transit_memory}
 * @param diskBytes indexes and maps of all {@code cache_dir}s, beside the JVM's heap and direct
 *     memory
 * @param directLimitBytes {@code -XX:MaxDirectMemorySize}, or its default
 * @param heapLimitBytes {@code -Xmx}, or its default
 * @param machineBytes memory of the machine or container
 */
record MemoryBudget(
    long cacheBytes,
    long transitBytes,
    long diskBytes,
    long directLimitBytes,
    long heapLimitBytes,
    long machineBytes) {
  /** Arenas, access log rings, codecs. */
  static final long OVERHEAD_BYTES = 32L << 20;

  /** A heap grows to its limit only if needed: what must fit beside the rest is a small one. */
  static final long SMALL_HEAP_BYTES = 64L << 20;

  /** The budget of {@code config} on this JVM. */
  static MemoryBudget of(ProxyConfig config) {
    return new MemoryBudget(
        config.memory().cacheBytes(),
        config.memory().transitBytes(),
        diskBytes(config.disk()),
        PlatformDependent.maxDirectMemory(),
        Runtime.getRuntime().maxMemory(),
        machineMemory());
  }

  /** What an object on disk costs in memory, at most. */
  private static final long INDEX_BYTES = 100;

  private static long diskBytes(ProxyConfig.Disk disk) {
    long objects = 0;
    for (ProxyConfig.CacheDir dir : disk.dirs()) {
      objects += dir.maxBytes() / disk.meanObjectBytes();
    }
    return objects * INDEX_BYTES;
  }

  private static long machineMemory() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : Long.MAX_VALUE;
  }

  /** What may be used directly. */
  long sumBytes() {
    return cacheBytes + transitBytes + OVERHEAD_BYTES;
  }

  /** Null where it fits; else the arithmetic and the flag to set. */
  String refusal() {
    String arithmetic =
        "cache_mem "
            + mib(cacheBytes)
            + " + loligo_transit_memory "
            + mib(transitBytes)
            + " + overhead "
            + mib(OVERHEAD_BYTES)
            + " = "
            + mib(sumBytes())
            + " of direct memory";
    long heap = Math.min(heapLimitBytes, SMALL_HEAP_BYTES);
    if (sumBytes() + heap + diskBytes > machineBytes) {
      String index = diskBytes == 0 ? "" : " + index of cache_dir " + mib(diskBytes);
      String remedy =
          diskBytes == 0 ? "lower cache_mem" : "lower cache_mem, or raise store_avg_object_size";
      return arithmetic
          + " + heap "
          + mib(heap)
          + index
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
          + "m, or lower cache_mem";
    }
    return null;
  }

  private static String mib(long bytes) {
    return ((bytes + (1 << 20) - 1) >> 20) + " MiB";
  }
}
