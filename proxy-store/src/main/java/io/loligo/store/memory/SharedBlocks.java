package io.loligo.store.memory;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.UnaryOperator;

/**
 * Content after the first block: {@link Entry#BLOCK_BYTES} in each block but the last. Shared by an
 * entry and its freshened successors, so that it is entered in the ledger once. Thread-safe: any
 * thread; only a holder of a reference may retain it.
 */
final class SharedBlocks implements FurtherContent {
  private static final AtomicReferenceFieldUpdater<SharedBlocks, MemoryLedger> LEDGER =
      AtomicReferenceFieldUpdater.newUpdater(SharedBlocks.class, MemoryLedger.class, "ledger");

  private final ByteBuf[] blocks;
  private final int lastLength;
  private volatile MemoryLedger ledger;
  private final AtomicInteger count = new AtomicInteger(1);

  /** Takes {@code blocks}, which are entered in {@code ledger} already. */
  SharedBlocks(ByteBuf[] blocks, int lastLength, MemoryLedger ledger) {
    this.blocks = blocks;
    this.lastLength = lastLength;
    this.ledger = ledger;
  }

  /** The result of {@code view} for each block, borrowed. */
  ByteBuf[] of(UnaryOperator<ByteBuf> view) {
    ByteBuf[] views = new ByteBuf[blocks.length];
    Arrays.setAll(views, number -> view.apply(blocks[number]));
    return views;
  }

  @Override
  public SharedBlocks retain() {
    int before = count.getAndIncrement();
    assert before > 0 : "retained after release";
    return this;
  }

  @Override
  public void release() {
    if (count.decrementAndGet() == 0) {
      long bytes = bytes();
      for (ByteBuf block : blocks) {
        block.release();
      }
      ledger.release(bytes);
    }
  }

  @Override
  public boolean moveTo(MemoryLedger other) {
    return other.takeOver(this, LEDGER, bytes());
  }

  @Override
  public long bytes() {
    long bytes = 0;
    for (ByteBuf block : blocks) {
      bytes += SizeClass.packed(block.capacity());
    }
    return bytes;
  }

  @Override
  public boolean isResident() {
    return true;
  }

  @Override
  public ByteBuf retainedContent(long offset, int max) {
    return retainedContent(blocks, offset, max);
  }

  /** The same from {@code same}, which has these blocks as other buffers. */
  ByteBuf retainedContent(ByteBuf[] same, long offset, int max) {
    int number = (int) (offset / Entry.BLOCK_BYTES);
    int within = (int) (offset % Entry.BLOCK_BYTES);
    int end = number == blocks.length - 1 ? lastLength : Entry.BLOCK_BYTES;
    return same[number].retainedSlice(within, Math.min(max, end - within));
  }

  @Override
  public void read(long offset, int max, EventExecutor loop, Listener then) {
    ByteBuf content = retainedContent(offset, max);
    loop.execute(() -> then.content(content));
  }
}
