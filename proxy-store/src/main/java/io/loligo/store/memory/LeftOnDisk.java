package io.loligo.store.memory;

import io.netty.util.concurrent.EventExecutor;

/** Content that was not loaded with the head, and is not available here. Immutable. */
enum LeftOnDisk implements AbsentContent {
  ALL;

  @Override
  public FurtherContent retain() {
    return this;
  }

  @Override
  public void release() {}

  @Override
  public void read(long offset, int max, EventExecutor loop, Listener then) {
    loop.execute(() -> then.content(null));
  }
}
