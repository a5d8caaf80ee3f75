package io.loligo.server.metrics;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.ToLongFunction;

/**
 * The pauses of the garbage collectors, since the start of the virtual machine. Stateless; any
 * thread.
 */
public final class GcPauses {
  /** A bean of a concurrent collector with this name counts whole cycles, its sister pauses. */
  private static final String CYCLES = "Cycles";

  /** How many there were. */
  public long count() {
    return sum(GarbageCollectorMXBean::getCollectionCount);
  }

  /** Their time together. */
  public long millis() {
    return sum(GarbageCollectorMXBean::getCollectionTime);
  }

  /** A collector that does not tell gives -1. The beans load classes, which a start should not. */
  private static long sum(ToLongFunction<GarbageCollectorMXBean> number) {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .filter(bean -> !bean.getName().endsWith(CYCLES))
        .mapToLong(number)
        .filter(value -> value > 0)
        .sum();
  }
}
