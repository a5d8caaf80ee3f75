package io.loligo.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocatorMetric;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * The numbers of Netty's buffer allocator. They have stable names and no label that changes with
 * each start, other than those of Micrometer's binder. Stateless.
 */
final class AllocatorMeters {
  private AllocatorMeters() {}

  /** Binds them; those of arenas only where the allocator has arenas. */
  static void bind(ByteBufAllocatorMetricProvider allocator, MeterRegistry registry) {
    ByteBufAllocatorMetric metric = allocator.metric();
    used(metric, "direct", ByteBufAllocatorMetric::usedDirectMemory, registry);
    used(metric, "heap", ByteBufAllocatorMetric::usedHeapMemory, registry);
    if (allocator instanceof PooledByteBufAllocator pooled) {
      bindPooled(pooled, registry);
    }
  }

  private static void used(
      ByteBufAllocatorMetric metric,
      String memory,
      ToDoubleFunction<ByteBufAllocatorMetric> bytes,
      MeterRegistry registry) {
    Gauge.builder("loligo.allocator.used", metric, bytes)
        .description("Memory that Netty's allocator has taken from the system for buffers.")
        .baseUnit("bytes")
        .tag("memory", memory)
        .strongReference(true)
        .register(registry);
  }

  private static void bindPooled(PooledByteBufAllocator allocator, MeterRegistry registry) {
    Gauge.builder("loligo.allocator.pinned", allocator, a -> a.pinnedDirectMemory())
        .description(
            "Direct memory of buffers in use, in the allocator's arenas; the rest of"
                + " loligo_allocator_used_bytes is free, cached by threads or fragmented.")
        .baseUnit("bytes")
        .strongReference(true)
        .register(registry);
    gauge(
        "arenas",
        "Arenas of direct memory.",
        PooledByteBufAllocatorMetric::numDirectArenas,
        allocator,
        registry);
    gauge(
        "thread.caches",
        "Threads with a cache of free buffers.",
        PooledByteBufAllocatorMetric::numThreadLocalCaches,
        allocator,
        registry);
    gauge(
        "active.buffers",
        "Buffers of direct memory in use.",
        metric -> sum(metric, PoolArenaMetric::numActiveAllocations),
        allocator,
        registry);
    counter(
        "allocations",
        "Buffers of direct memory that were not taken from a thread's cache.",
        metric -> sum(metric, PoolArenaMetric::numAllocations),
        allocator,
        registry);
    counter(
        "huge.allocations",
        "Buffers larger than a chunk, which the system gives one by one.",
        metric -> sum(metric, PoolArenaMetric::numHugeAllocations),
        allocator,
        registry);
  }

  private static double sum(
      PooledByteBufAllocatorMetric metric, ToLongFunction<PoolArenaMetric> number) {
    long sum = 0;
    for (PoolArenaMetric arena : metric.directArenas()) {
      sum += number.applyAsLong(arena);
    }
    return (double) sum;
  }

  private static void gauge(
      String name,
      String text,
      ToDoubleFunction<PooledByteBufAllocatorMetric> number,
      PooledByteBufAllocator allocator,
      MeterRegistry registry) {
    Gauge.builder("loligo.allocator." + name, allocator.metric(), number)
        .description(text)
        .strongReference(true)
        .register(registry);
  }

  private static void counter(
      String name,
      String text,
      ToDoubleFunction<PooledByteBufAllocatorMetric> number,
      PooledByteBufAllocator allocator,
      MeterRegistry registry) {
    FunctionCounter.builder("loligo.allocator." + name, allocator.metric(), number)
        .description(text)
        .register(registry);
  }
}
