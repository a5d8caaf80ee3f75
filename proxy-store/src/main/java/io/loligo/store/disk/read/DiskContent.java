package io.loligo.store.disk.read;

import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.memory.AbsentContent;
import io.loligo.store.memory.FurtherContent;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Content of a stored response that stays on disk and is read block by block. Its pieces are held
 * while it lives; each block is entered in the ledger while it is read and passed on. Thread-safe:
 * any thread.
 */
final class DiskContent implements AbsentContent {
  private static final long BUSY_MILLIS = 5;

  private final IndexedResponse stored;
  private final Layout layout;
  private final long id;
  private final PieceReader pieces;
  private final AtomicInteger count = new AtomicInteger(1);

  /** Takes one {@link Catalogue#beginReading} of {@code stored}. */
  DiskContent(IndexedResponse stored, Layout layout, long id, PieceReader pieces) {
    this.stored = stored;
    this.layout = layout;
    this.id = id;
    this.pieces = pieces;
    pieces.beginResponse();
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
      pieces.endReading(stored);
      pieces.endResponse();
    }
  }

  @Override
  public void read(long offset, int max, EventExecutor loop, Listener then) {
    retain();
    submit(layout.firstContent() + offset, max, loop, then);
  }

  private void submit(long offset, int max, EventExecutor loop, Listener then) {
    long number = layout.blockAt(offset);
    int charge = SizeClass.packed(Block.HEADER_BYTES + layout.contentOfBlock(number));
    if (pieces.threads().isClosed()) {
      tell(null, 0, loop, then);
      return;
    }
    if (!pieces.transit().tryReserve(charge)) {
      // a reader is waiting in the middle of a response: other readers pass their blocks on
      loop.schedule(() -> submit(offset, max, loop, then), BUSY_MILLIS, TimeUnit.MILLISECONDS);
      return;
    }
    ByteBuf block = pieces.furtherNow(stored, layout, id, number);
    if (block != null) {
      tell(part(block, offset, max), charge, loop, then);
    } else if (!pieces.threads().read(() -> readNow(offset, max, charge, loop, then), loop)) {
      pieces.transit().release(charge);
      loop.schedule(() -> submit(offset, max, loop, then), BUSY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void readNow(long offset, int max, int charge, EventExecutor loop, Listener then) {
    long number = layout.blockAt(offset);
    pieces.expect(stored, layout, number);
    ByteBuf block = pieces.further(stored, layout, id, number);
    tell(block == null ? null : part(block, offset, max), charge, loop, then);
  }

  private ByteBuf part(ByteBuf block, long offset, int max) {
    int within = (int) (offset - layout.startOf(layout.blockAt(offset)));
    block.skipBytes(within);
    return block.writerIndex(block.readerIndex() + Math.min(max, block.readableBytes()));
  }

  private void tell(@Nullable ByteBuf block, int charge, EventExecutor loop, Listener then) {
    try {
      loop.execute(
          () -> {
            pieces.transit().release(charge); // owned by its taker from now on
            then.content(block);
            release();
          });
    } catch (RejectedExecutionException shutDown) {
      if (block != null) {
        block.release();
      }
      pieces.transit().release(charge);
      release();
    }
  }
}
