package io.loligo.server.metrics;

import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of Netty's pooled allocator, each declared once: its name, its unit, whether it only
 * grows, and its text for the operator. Immutable.
 */
public enum AllocatorNumber {
  PINNED(
      "pinned",
      "bytes",
      false,
      "Direct memory of buffers in use, in the allocator's arenas; the rest of"
          + " loligo_allocator_used_bytes is free, cached by threads or fragmented.",
      PooledByteBufAllocator::pinnedDirectMemory),
  ARENAS(
      "arenas",
      null,
      false,
      "Arenas of direct memory.",
      allocator -> allocator.metric().numDirectArenas()),
  THREAD_CACHES(
      "thread.caches",
      null,
      false,
      "Threads with a cache of free buffers.",
      allocator -> allocator.metric().numThreadLocalCaches()),
  ACTIVE_BUFFERS(
      "active.buffers",
      null,
      false,
      "Buffers of direct memory in use.",
      allocator -> sum(allocator, PoolArenaMetric::numActiveAllocations)),
  ALLOCATIONS(
      "allocations",
      null,
      true,
      "Buffers of direct memory that were not taken from a thread's cache.",
      allocator -> sum(allocator, PoolArenaMetric::numAllocations)),
  HUGE_ALLOCATIONS(
      "huge.allocations",
      null,
      true,
      "Buffers larger than a chunk, which the system gives one by one.",
      allocator -> sum(allocator, PoolArenaMetric::numHugeAllocations));

  private final String name;
  private final @Nullable String unit;
  private final boolean grows;
  private final String text;

  @SuppressWarnings("ImmutableEnumChecker") // a function without state
  private final ToLongFunction<PooledByteBufAllocator> number;

  AllocatorNumber(
      String name,
      @Nullable String unit,
      boolean grows,
      String text,
      ToLongFunction<PooledByteBufAllocator> number) {
    this.name = name;
    this.unit = unit;
    this.grows = grows;
    this.text = text;
    this.number = number;
  }

  private static long sum(
      PooledByteBufAllocator allocator, ToLongFunction<PoolArenaMetric> number) {
    long sum = 0;
    for (PoolArenaMetric arena : allocator.metric().directArenas()) {
      sum += number.applyAsLong(arena);
    }
    return sum;
  }

  /** Its meter. */
  public String meter() {
    return "loligo.allocator." + name;
  }

  /** Base unit; null: a number of things. */
  public @Nullable String unit() {
    return unit;
  }

  /** Whether it only grows. */
  public boolean grows() {
    return grows;
  }

  /** For the operator. */
  String text() {
    return text;
  }

  /** The present number of {@code allocator}. */
  public long of(PooledByteBufAllocator allocator) {
    return number.applyAsLong(allocator);
  }
}
