package io.loligo.store.packing;

import io.netty.buffer.ByteBuf;
import java.util.BitSet;

/**
 * Memory that is cut into blocks: where they begin, and which of them are used. Threading: what is
 * final is for any thread, the rest is its packing's.
 *
 * <p>A block has a number among all chunks of a packing: that of its chunk, and behind it in
 * {@value #LOG2_GRANULES} bits the granule that it begins at. Numbers are {@code long}, as 256 GiB
 * are 2<sup>32</sup> granules.
 */
final class Chunk {
  /** Granules of a chunk. */
  static final int GRANULES = Packing.CHUNK_BYTES / Packing.GRANULE_BYTES;

  private static final int LOG2_GRANULES = 14;

  final Arena arena;
  final ByteBuf memory;
  final ByteBuf owned;

  /** The next of the chunks in which nothing is used any more and whose memory is to go. */
  Chunk nextEmptied;

  private final int number;
  private final BitSet starts = new BitSet(GRANULES);
  private final BitSet used = new BitSet(GRANULES);

  /** One free block, from begin to end. Takes {@code owned}. */
  Chunk(Arena arena, int number, ByteBuf owned) {
    this.arena = arena;
    this.number = number;
    this.owned = owned;
    // what is looked for is leaks of blocks; to look at the chunk as well costs each access
    this.memory = owned.unwrap() == null ? owned : owned.unwrap();
    starts.set(0);
  }

  /** The number of the chunk that {@code block} is in. */
  static int numberOf(long block) {
    return (int) (block >>> LOG2_GRANULES);
  }

  /** The granule that {@code block} begins at in its chunk. */
  static int startOf(long block) {
    return (int) block & GRANULES - 1;
  }

  /** Its place among the chunks of its packing. */
  int number() {
    return number;
  }

  /** The number of the block that begins at granule {@code start}. */
  long block(int start) {
    return (long) number << LOG2_GRANULES | start;
  }

  /** Where the block that begins at {@code start} ends. */
  int end(int start) {
    int next = starts.nextSetBit(start + 1);
    return next < 0 ? GRANULES : next;
  }

  /** Where the block begins that ends at {@code start}, which is not 0. */
  int before(int start) {
    return starts.previousSetBit(start - 1);
  }

  boolean isUsed(int start) {
    return used.get(start);
  }

  /** The block at {@code start} is used from now on, or free. */
  void use(int start, boolean now) {
    used.set(start, now);
  }

  /** One block becomes two, of which the second begins at {@code middle}. */
  void split(int middle) {
    starts.set(middle);
  }

  /** Two blocks, of which the second begins at {@code middle}, become one. */
  void join(int middle) {
    starts.clear(middle);
  }

  /** Writes {@code other}, the number of a block, into the block at {@code start}. */
  void link(int start, long other) {
    memory.setLong(start * Packing.GRANULE_BYTES, other);
  }

  /** What {@link #link} wrote. */
  long linked(int start) {
    return memory.getLong(start * Packing.GRANULE_BYTES);
  }
}
