package io.loligo.store.memory;

import io.netty.buffer.ByteBuf;

/** Content that is not in memory: it must be read. Thread-safe: any thread. */
public interface AbsentContent extends FurtherContent {
  @Override
  default long bytes() {
    return 0;
  }

  @Override
  default boolean moveTo(MemoryLedger other) {
    return true;
  }

  @Override
  default boolean isResident() {
    return false;
  }

  @Override
  default ByteBuf retainedContent(long offset, int max) {
    throw new IllegalStateException("content on disk, requested as if it were in memory");
  }
}
