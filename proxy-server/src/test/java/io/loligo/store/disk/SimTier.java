package io.loligo.store.disk;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;

/** Opens the tier on disks that are played to tests elsewhere. Stateless. */
public final class SimTier {
  private SimTier() {}

  /** As {@link DiskTier#claim}, on {@code medium}. */
  public static DiskTier claim(
      ProxyConfig.Disk disk,
      ByteBufAllocator allocator,
      MemoryLedger transit,
      DiskTier.MemoryView memory,
      SimMedium medium)
      throws IOException {
    return DiskTier.claim(disk, allocator, transit, memory, medium);
  }
}
