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
 * @param directLimitBytes {@code -XX:MaxDirectMemorySize}, or its default
 * @param heapLimitBytes {@code -Xmx}, or its default
 * @param machineBytes memory of the machine or container
 */
record MemoryBudget(
    long cacheBytes,
    long transitBytes,
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
        PlatformDependent.maxDirectMemory(),
        Runtime.getRuntime().maxMemory(),
        machineMemory());
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
    if (sumBytes() + heap > machineBytes) {
      return arithmetic
          + " + heap "
          + mib(heap)
          + " do not fit the "
          + mib(machineBytes)
          + " of this machine or container: lower cache_mem";
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
