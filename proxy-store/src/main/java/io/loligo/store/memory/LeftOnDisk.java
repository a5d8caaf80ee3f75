package io.loligo.store.memory;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;

/** Content that was not loaded with the head, and is not available here. Immutable. */
enum LeftOnDisk implements FurtherContent {
  ALL;

  @Override
  public FurtherContent retain() {
    return this;
  }

  @Override
  public void release() {}

  @Override
  public long bytes() {
    return 0;
  }

  @Override
  public boolean moveTo(MemoryLedger other) {
    return true;
  }

  @Override
  public boolean isResident() {
    return false;
  }

  @Override
  public ByteBuf retainedContent(long offset, int max) {
    throw new IllegalStateException("content of an entry that has its head only");
  }

  @Override
  public void read(long offset, int max, EventExecutor loop, Listener then) {
    loop.execute(() -> then.content(null));
  }
}
