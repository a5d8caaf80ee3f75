package io.loligo.store.disk;

import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.patrol.Patrol;
import io.netty.buffer.ByteBuf;

/**
 * Tells memory of the responses that the patrol of a directory reads. Thread-safe: disk threads.
 */
record PatrolFinds(String directory, DiskTier.MemoryView memory) implements Patrol.Finds {
  @Override
  public void found(ByteBuf first) {
    if (memory.watches()) {
      memory.found(FirstBlock.key(first), FirstBlock.meta(first));
    }
  }

  @Override
  public void round() {
    memory.wentRound(directory);
  }
}
