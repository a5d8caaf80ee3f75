package io.loligo.store.disk;

import io.loligo.store.memory.FurtherContent;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Content of a stored response that stays on disk and is read block by block. Its segments are
 * pinned as long as it lives, and the memory for one block is set aside. Thread-safe: any thread.
 */
final class DiskContent implements FurtherContent {
  /** Octets of memory set aside, in the ledger of transit, by who makes one. */
  static final int CHARGE = SizeClass.packed(Block.MAX_BYTES);

  private static final long BUSY_MILLIS = 5;

  private final Stored stored;
  private final Layout layout;
  private final long id;
  private final Loader loader;
  private final AtomicInteger count = new AtomicInteger(1);

  /** Takes one pin of {@code stored} and {@link #CHARGE} entered in the loader's ledger. */
  DiskContent(Stored stored, Layout layout, long id, Loader loader) {
    this.stored = stored;
    this.layout = layout;
    this.id = id;
    this.loader = loader;
  }

  @Override
  public FurtherContent retain() {
    int before = count.getAndIncrement();
    assert before > 0 : "retained after release";
    return this;
  }

  @Override
  public void release() {
    if (count.decrementAndGet() == 0) {
      loader.transit().release(CHARGE);
      loader.unpin(stored);
    }
  }

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
    throw new IllegalStateException("content on disk, asked for as if it were in memory");
  }

  @Override
  public void read(long offset, int max, EventExecutor loop, Listener then) {
    retain();
    submit(layout.firstContent() + offset, max, loop, then);
  }

  private void submit(long offset, int max, EventExecutor loop, Listener then) {
    if (loader.threads().isClosed()) {
      tell(null, loop, then);
    } else if (!loader.threads().read(() -> readNow(offset, max, loop, then), loop)) {
      // somebody is waiting in the middle of an answer: too many reads at once pass
      loop.schedule(() -> submit(offset, max, loop, then), BUSY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void readNow(long offset, int max, EventExecutor loop, Listener then) {
    long number = layout.blockAt(offset);
    ByteBuf block = loader.further(stored, layout, id, number);
    if (block != null) {
      int within = (int) (offset - layout.startOf(number));
      block.skipBytes(within);
      block.writerIndex(block.readerIndex() + Math.min(max, block.readableBytes()));
    }
    tell(block, loop, then);
  }

  private void tell(ByteBuf block, EventExecutor loop, Listener then) {
    try {
      loop.execute(
          () -> {
            then.content(block);
            release();
          });
    } catch (RejectedExecutionException shutDown) {
      if (block != null) {
        block.release();
      }
      release();
    }
  }
}
