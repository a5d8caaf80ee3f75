package io.loligo.store.disk;

import io.netty.buffer.ByteBuf;

/**
 * What the catalogue knows of a stored object, for who reads it: its segments are pinned until
 * {@link Catalogue#unpin}.
 *
 * @param slot number in the index
 * @param place of the first block
 * @param length octets of the first block
 * @param pieces places of the pieces, empty where the first block is all
 * @param inRecord whether the record held all of its first block when it was pinned
 */
record Stored(
    int slot, long high, long low, long place, int length, long[] pieces, boolean inRecord) {
  static final long[] NO_PIECES = {};

  /** Whether {@code block}, a first block, is of this object. */
  boolean isSame(ByteBuf block) {
    return FirstBlock.high(block) == high && FirstBlock.low(block) == low;
  }
}
