package io.loligo.store;

import io.loligo.core.caching.CachingDirectives;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Reading;

/**
 * Budgets of memory.
 *
 * @param cacheBytes {@code cache_mem}
 * @param maxObjectInMemoryBytes {@code maximum_object_size_in_memory}
 * @param transitBytes {@code loligo_transit_memory}: all bytes in transit that no tier holds
 * @param streamBufferBytes {@code loligo_stream_buffer_size}, default 64 KiB
 * @param readAheadGapBytes {@code read_ahead_gap}
 */
public record MemorySettings(
    long cacheBytes,
    long maxObjectInMemoryBytes,
    long transitBytes,
    int streamBufferBytes,
    long readAheadGapBytes) {
  /** The settings of {@code config}. */
  public static MemorySettings of(ProxyConfig config) {
    return new MemorySettings(
        config.get(MemoryDirectives.CACHE_MEM),
        largestObject(
            config.get(MemoryDirectives.MAXIMUM_OBJECT_SIZE_IN_MEMORY),
            config.get(CachingDirectives.MAXIMUM_OBJECT_SIZE)),
        config.get(MemoryDirectives.TRANSIT_MEMORY),
        config.get(MemoryDirectives.STREAM_BUFFER_SIZE),
        config.get(MemoryDirectives.READ_AHEAD_GAP));
  }

  /** The size of the largest object in memory, in bytes, while a file is read. */
  public static long largestObject(Reading reading) {
    return largestObject(
        reading.value(MemoryDirectives.MAXIMUM_OBJECT_SIZE_IN_MEMORY),
        reading.value(CachingDirectives.MAXIMUM_OBJECT_SIZE));
  }

  private static long largestObject(long inMemory, long anywhere) {
    return anywhere == ProxyConfig.NO_LIMIT ? inMemory : Math.min(inMemory, anywhere);
  }
}
