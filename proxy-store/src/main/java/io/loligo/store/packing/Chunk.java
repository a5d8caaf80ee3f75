package io.loligo.store.packing;

import io.netty.buffer.ByteBuf;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * Memory that is cut into blocks: where they begin, and which of them are in use. Threading: final
 * fields are for any thread, the rest belongs to its packing.
 *
 * <p>A block has a number among all chunks of a packing: that of its chunk, followed by {@value
 * #LOG2_GRANULES} bits for the granule where it begins. Numbers are {@code long}, because 256 GiB
 * are 2<sup>32</sup> granules.
 */
public final class Chunk {
  /** Granules of a chunk. */
  static final int GRANULES = Packing.CHUNK_BYTES / Packing.GRANULE_BYTES;

  private static final int LOG2_GRANULES = 14;

  final Arena arena;

  /**
   * The bytes. Any number of threads use it at once, so it must not be a buffer that copies through
   * a view of its own, as those of the adaptive allocator do: two threads would move one position.
   */
  final ByteBuf memory;

  private final ByteBuf owned;

  /** The next of the emptied chunks whose memory is to be released. */
  @Nullable Chunk nextEmptied;

  private final ByteBuf view;
  private final int number;
  private final BitSet starts = new BitSet(GRANULES);
  private final BitSet used = new BitSet(GRANULES);

  /** One free block, from beginning to end. Takes {@code owned}. */
  Chunk(Arena arena, int number, ByteBuf owned) {
    this.arena = arena;
    this.number = number;
    this.owned = owned;
    this.memory = SharedMemory.of(owned);
    this.view = new ChunkView(this);
    starts.set(0);
  }

  /**
   * All of it, to read and write used blocks. The view cannot be retained: the owner of a block
   * decides when that ends. Its retained slices are copies.
   */
  public ByteBuf view() {
    return view;
  }

  /** Whether {@code buffer} is the {@link #view}. */
  public boolean isView(ByteBuf buffer) {
    return buffer instanceof ChunkView other && other.chunk() == this;
  }

  /**
   * Frees the block that begins at byte {@code offset}. Any thread; never waits.
   *
   * @param offset {@link PackedBuf#offset} of a block that {@link PackedAllocator#cut} cut
   */
  public void free(int offset) {
    arena.give(this, offset / Packing.GRANULE_BYTES);
  }

  /** Returns its memory, of which no block is in use. */
  void release() {
    memory.release();
    owned.release();
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

  /** Marks the block at {@code start} as used, or free. */
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

  /** The number that {@link #link} wrote. */
  long linked(int start) {
    return memory.getLong(start * Packing.GRANULE_BYTES);
  }
}
