package io.loligo.store.disk.read;

import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.segment.Blocks;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;

/** Further content assembled in memory, in the blocks that entries have. Confined to one thread. */
final class ContentAssembly {
  private final PieceReader pieces;
  private final Blocks allocator;
  private final MemoryLedger transit;
  private final ByteBuf[] blocks;
  private final int lastLength;
  private final long length;

  /** For {@code length} bytes of content. */
  ContentAssembly(PieceReader pieces, Blocks allocator, long length) {
    this.pieces = pieces;
    this.allocator = allocator;
    this.transit = pieces.transit();
    this.length = length;
    this.blocks = new ByteBuf[(int) ((length - 1) / Entry.BLOCK_BYTES) + 1];
    this.lastLength = (int) (length - (blocks.length - 1L) * Entry.BLOCK_BYTES);
  }

  /**
   * The blocks, owned by the caller once they are filled; each is entered in the ledger of transit.
   */
  ByteBuf[] blocks() {
    return blocks;
  }

  /** Bytes used in the last block. */
  int lastLength() {
    return lastLength;
  }

  /** Reads all; false, and nothing is held, if that failed. */
  boolean fill(IndexedResponse stored, Layout layout, long id) {
    boolean done = false;
    try {
      done = allocate() && read(stored, layout, id);
    } finally {
      if (!done) {
        release();
      }
    }
    return done;
  }

  private boolean read(IndexedResponse stored, Layout layout, long id) {
    long at = 0;
    for (long number = 0; at < length; number++) {
      ByteBuf further = pieces.further(stored, layout, id, number);
      if (further == null) {
        return false;
      }
      at += further.readableBytes();
      append(further);
    }
    return true;
  }

  private boolean allocate() {
    for (int i = 0; i < blocks.length; i++) {
      int bytes = i == blocks.length - 1 ? lastLength : Entry.BLOCK_BYTES;
      int charge = SizeClass.packed(bytes);
      if (!transit.tryReserve(charge)) {
        return false;
      }
      try {
        blocks[i] = allocator.buffer(bytes);
      } finally {
        if (blocks[i] == null) {
          transit.release(charge);
        }
      }
    }
    return true;
  }

  private void append(ByteBuf further) {
    for (int i = 0; further.isReadable(); i++) {
      int bytes = Math.min(further.readableBytes(), blocks[i].writableBytes());
      blocks[i].writeBytes(further, bytes);
    }
    further.release();
  }

  private void release() {
    for (ByteBuf block : blocks) {
      if (block != null) {
        transit.release(SizeClass.packed(block.capacity()));
        block.release();
      }
    }
  }
}
