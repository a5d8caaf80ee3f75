package io.loligo.server.metrics;

import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * Who holds how much memory, and of what allowance. Thread-safe: any thread; owners are added while
 * the process starts.
 */
public final class MemoryOwners {
  /**
   * One holder of memory.
   *
   * @param name short, stable: a label value
   * @param text what it is, for the operator
   * @param usedBytes what it holds now
   * @param limitBytes what it may hold; -1 where nothing limits it
   */
  public record Owner(String name, String text, LongSupplier usedBytes, LongSupplier limitBytes) {}

  private final List<Owner> owners = new CopyOnWriteArrayList<>();

  /** Adds a holder without a limit. */
  public MemoryOwners add(String name, String text, LongSupplier usedBytes) {
    return add(name, text, usedBytes, () -> -1);
  }

  /** Adds a holder. */
  public MemoryOwners add(
      String name, String text, LongSupplier usedBytes, LongSupplier limitBytes) {
    owners.add(new Owner(name, text, usedBytes, limitBytes));
    return this;
  }

  /** Adds the Java heap and what {@code allocator} took from the system for network buffers. */
  public MemoryOwners addProcess(ByteBufAllocatorMetricProvider allocator) {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    add(
        "heap",
        "Java heap",
        () -> memory.getHeapMemoryUsage().getUsed(),
        () -> memory.getHeapMemoryUsage().getMax());
    return add(
        "allocator",
        "Direct memory of the buffer allocator, including all other owners of direct memory",
        () -> allocator.metric().usedDirectMemory(),
        PlatformDependent::maxDirectMemory);
  }

  /** Holders in the order added. */
  public List<Owner> owners() {
    return List.copyOf(owners);
  }
}
