package io.loligo.store.disk.space;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.Layout;
import io.loligo.store.disk.format.SlabPlace;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.index.Publication;
import io.loligo.store.disk.segment.Blocks;
import io.loligo.store.disk.segment.Extent;
import io.loligo.store.disk.segment.Room;
import io.loligo.store.disk.segment.Segments;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.concurrent.atomic.LongAdder;

/**
 * Moves stored responses out of a segment that is being emptied, to the main lane: the pieces in
 * it, then the first block. Space comes from the reserve. Thread-safe: the disk threads that make
 * space.
 */
final class Mover {
  private final Catalogue catalogue;
  private final Segments segments;
  private final Blocks blocks;
  private final LongAdder damaged;

  Mover(Catalogue catalogue, Blocks blocks, LongAdder damaged) {
    this.catalogue = catalogue;
    this.segments = catalogue.segments();
    this.blocks = blocks;
    this.damaged = damaged;
  }

  /**
   * Writes the bytes of {@code stored} in {@code segment} elsewhere; NO_RECORD if that failed.
   *
   * @param block its first one, borrowed, which is changed
   */
  Catalogue.Published move(IndexedResponse stored, ByteBuf block, int segment) throws IOException {
    long[] pieces = FirstBlock.allPieces(block);
    Extent[] extents = new Extent[pieces.length];
    try {
      return movePieces(block, pieces, segment, extents)
          ? moveFirst(block, stored, FirstBlock.allPieces(block), segment)
          : Catalogue.Published.NO_RECORD;
    } finally {
      for (Extent extent : extents) {
        if (extent != null) {
          segments.unpin(extent.place());
        }
      }
    }
  }

  private boolean movePieces(ByteBuf block, long[] pieces, int segment, Extent[] extents)
      throws IOException {
    Layout layout = Layout.of(block);
    long number = 0;
    for (int i = 0; i < pieces.length; i++) {
      int count = layout.blocksOf(i);
      if (SlabPlace.segment(pieces[i]) == segment) {
        extents[i] = segments.allocate(layout.bytesOf(i), Lane.MAIN, true);
        if (extents[i] == null || !copy(block, layout, pieces, number, count, extents[i])) {
          return false;
        }
        FirstBlock.piece(block, i, extents[i].place());
      }
      number += count;
    }
    return true;
  }

  private boolean copy(ByteBuf first, Layout layout, long[] pieces, long from, int count, Extent to)
      throws IOException {
    for (int i = 0; i < count; i++) {
      long number = from + i;
      int content = layout.contentOfBlock(number);
      ByteBuf block =
          blocks.tryReadFurther(
              layout.placeOf(number, pieces), content, Block.id(first), (int) number + 1);
      if (block == null) {
        damaged.increment();
        return false;
      }
      ByteBuf pages = null;
      try {
        pages = blocks.pageBuffer(Block.HEADER_BYTES + content);
        pages.writeBytes(block, 0, Block.HEADER_BYTES + content);
        Block.seal(pages, to.lane().ordinal(), to.generation());
        blocks.writePages(to.place() + (long) i * Block.STRIDE, pages);
      } finally {
        block.release();
        if (pages != null) {
          pages.release();
        }
      }
    }
    return true;
  }

  /**
   * Writes {@code block}, borrowed, the first block of {@code stored} with {@code pieces} in other
   * places, and publishes it.
   *
   * @param segment that is being emptied
   */
  private Catalogue.Published moveFirst(
      ByteBuf block, IndexedResponse stored, long[] pieces, int segment) {
    Room room =
        segments.reserve(
            Block.aligned(block.writerIndex()),
            Contents.entryBytes(pieces.length),
            Lane.MAIN,
            true,
            true);
    if (room == null) {
      return Catalogue.Published.NO_RECORD;
    }
    ByteBuf copy = room.block();
    Catalogue.Published published = Catalogue.Published.CANCELLED;
    try {
      copy.writeBytes(block, 0, block.writerIndex());
      room.seal(copy);
      Publication moved =
          new Publication(copy, room.place(), pieces, Layout.of(copy)).moved(stored);
      if (SlabPlace.segment(stored.place()) == segment) {
        moved.leavesNothing();
      }
      published = catalogue.publish(moved);
      return published;
    } finally {
      if (published != Catalogue.Published.DONE) {
        Block.strike(copy);
      }
      segments.done(room);
    }
  }
}
