package io.loligo.server.record;

import io.loligo.store.disk.DiskStats;

/** Numbers of a directory that are all different, for tests. */
public final class SampleDisk {
  private SampleDisk() {}

  /** A directory in this state. */
  public static DiskStats of(String path, DiskStats.State state, String reason) {
    return DiskStats.of(path, "squid.conf:7")
        .state(state, reason)
        .capacityBytes(1)
        .usedBytes(2)
        .objects(3)
        .hits(4)
        .reads(5)
        .singleReadHits(2)
        .writes(7)
        .writtenBytes(8)
        .skippedQueueFull(9)
        .skippedAdmission(10)
        .skippedOther(11)
        .evictions(12)
        .damaged(13)
        .queueDepth(14)
        .queuedBytes(15)
        .scrubbedBlocks(16)
        .build();
  }
}
