package io.loligo.store.disk.index;

import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FirstBlock;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge of the catalogue about a stored response at one moment. The response may have moved
 * or gone since; the bytes read at its place are verified, so a reader notices.
 *
 * @param slot number in the index
 * @param version of its first block
 * @param place of the first block
 * @param length bytes of the first block
 * @param pieces null if it is in the first block only
 * @param part whether it is a part of a response
 */
public record IndexedResponse(
    int slot,
    long high,
    long low,
    long version,
    long place,
    int length,
    @Nullable Pieces pieces,
    boolean part) {
  /** Places of the pieces, empty if it is in the first block only. */
  public long[] places() {
    return pieces == null ? Contents.NO_PIECES : pieces.places;
  }

  /** Whether {@code block}, a first block, is the known one. */
  public boolean isSame(ByteBuf block) {
    return FirstBlock.high(block) == high
        && FirstBlock.low(block) == low
        && FirstBlock.version(block) == version;
  }
}
