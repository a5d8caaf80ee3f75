package io.loligo.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.function.ToDoubleFunction;

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
    for (AllocatorNumber number : AllocatorNumber.values()) {
      if (number.grows()) {
        FunctionCounter.builder(number.meter(), allocator, number::of)
            .description(number.text())
            .baseUnit(number.unit())
            .register(registry);
      } else {
        Gauge.builder(number.meter(), allocator, number::of)
            .description(number.text())
            .baseUnit(number.unit())
            .strongReference(true)
            .register(registry);
      }
    }
  }
}
