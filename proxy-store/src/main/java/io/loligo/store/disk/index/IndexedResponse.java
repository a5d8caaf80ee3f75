package io.loligo.store.disk.index;

import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.netty.buffer.ByteBuf;

/**
 * What the catalogue knew of a stored response at one moment. It may have moved or gone since; what
 * is read at its place is verified, so that a reader notices.
 *
 * @param slot number in the index
 * @param version of its first block
 * @param place of the first block
 * @param length bytes of the first block
 * @param pieces null where the first block is all
 * @param part whether it is a part of a response
 */
public record IndexedResponse(
    int slot,
    long high,
    long low,
    long version,
    long place,
    int length,
    Pieces pieces,
    boolean part) {
  /** Places of the pieces, empty where the first block is all. */
  public long[] places() {
    return pieces == null ? Contents.NO_PIECES : pieces.places;
  }

  /** Whether {@code block}, a first block, is the one that was known. */
  public boolean isSame(ByteBuf block) {
    return FirstBlock.high(block) == high
        && FirstBlock.low(block) == low
        && FirstBlock.version(block) == version;
  }
}
