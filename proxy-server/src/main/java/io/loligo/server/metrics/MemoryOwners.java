package io.loligo.server.metrics;

import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * Memory by owner, with its limit. Thread-safe: any thread; owners are added while the process
 * starts.
 */
public final class MemoryOwners {
  /**
   * One owner of memory.
   *
   * @param name short, stable: a label value
   * @param text description for the operator
   * @param usedBytes memory in use
   * @param limitBytes its limit; -1 without one
   */
  public record Owner(String name, String text, LongSupplier usedBytes, LongSupplier limitBytes) {}

  private final List<Owner> owners = new CopyOnWriteArrayList<>();

  /** Adds an owner without a limit. */
  public MemoryOwners add(String name, String text, LongSupplier usedBytes) {
    return add(name, text, usedBytes, () -> -1);
  }

  /** Adds an owner. */
  public MemoryOwners add(
      String name, String text, LongSupplier usedBytes, LongSupplier limitBytes) {
    owners.add(new Owner(name, text, usedBytes, limitBytes));
    return this;
  }

  /**
   * Adds the Java heap and the memory that {@code allocator} took from the system for network
   * buffers.
   */
  public MemoryOwners addProcess(ByteBufAllocatorMetricProvider allocator) {
    add("heap", "Java heap", () -> heap().getUsed(), () -> heap().getMax());
    return add(
        "allocator",
        "Direct memory of the buffer allocator, including all other owners of direct memory",
        () -> allocator.metric().usedDirectMemory(),
        PlatformDependent::maxDirectMemory);
  }

  /** The bean is not kept: the first one loads classes, which a start should not. */
  private static MemoryUsage heap() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
  }

  /** CacheOwners in the order added. */
  public List<Owner> owners() {
    return List.copyOf(owners);
  }
}
