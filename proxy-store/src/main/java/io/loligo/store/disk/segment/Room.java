package io.loligo.store.disk.segment;

import io.loligo.store.admission.Lane;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.FirstBlock;
import io.loligo.store.disk.format.SlabPlace;
import io.netty.buffer.ByteBuf;

/**
 * Room for a block in a buffer. Its owner fills it and then calls {@link Segments#done}, in any
 * case.
 *
 * @param version of a first block that is written here; higher than all before
 */
public record Room(SegmentBuffer buffer, int offset, int bytes, Lane lane, long version) {
  public long place() {
    return SlabPlace.of(buffer.segment().number, offset);
  }

  long generation() {
    return buffer.generation();
  }

  /** Its memory, borrowed: written from index 0 on. */
  public ByteBuf block() {
    return buffer.room(offset, bytes).setIndex(0, 0);
  }

  /** Completes {@code block}, a first block in this room, borrowed. */
  public void seal(ByteBuf block) {
    FirstBlock.version(block, version);
    Block.seal(block, lane.ordinal(), generation());
    block.setZero(block.writerIndex(), bytes - block.writerIndex());
  }
}
