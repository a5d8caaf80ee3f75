package io.loligo.server.metrics;

import io.loligo.store.StoreStats;

/** Numbers of a store, each of them different. */
public final class SampleStore {
  private SampleStore() {}

  public static StoreStats stats() {
    return StoreStats.builder()
        .entries(1)
        .memoryBytes(2)
        .pinnedBytes(3)
        .memoryLimitBytes(4)
        .insertions(5)
        .evictions(6)
        .evictedBytes(11)
        .weighedBytes(12)
        .weighableBytes(13)
        .rejections(7)
        .inFlight(8)
        .transitBytes(9)
        .transitLimitBytes(10)
        .build();
  }
}
