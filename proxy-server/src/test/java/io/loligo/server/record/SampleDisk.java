package io.loligo.server.record;

import io.loligo.store.disk.DiskStats;

/** Numbers of a directory that are all different, for tests. */
public final class SampleDisk {
  private SampleDisk() {}

  /** A directory in this state. */
  public static DiskStats of(String path, DiskStats.State state, String reason) {
    return new DiskStats(
        path, "squid.conf:7", state, reason, 1, 2, 3, 4, 5, 2, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
  }
}
