package io.loligo.store.packing;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Chunks of memory, each cut without gaps into blocks that are used or free: two-level segregated
 * fit (Masmano et al., "TLSF: a new dynamic memory allocator for real-time systems", 2004). There
 * are lists of free blocks of similar size, eight per doubling: a block that fits is among the
 * first few of its own list, or else any of a list of larger ones. The rest of the block stays
 * free, and a returned block is joined with free neighbours.
 *
 * <p>Sizes are in granules of {@value #GRANULE_BYTES} bytes. The lists run through the free memory
 * itself, as numbers of blocks ({@link Chunk}); a bit per granule tells where blocks begin. Not
 * thread-safe.
 */
final class Packing {
  static final int GRANULE_BYTES = 64;
  static final int CHUNK_BYTES = 1 << 20;
  static final long NONE = -1;

  private static final int LOG2_GROUP = 3;
  private static final int TRIES = 8;
  private static final int NEXT = 0;
  private static final int PREVIOUS = Long.BYTES;

  private final Arena arena;
  private final int firstNumber;
  private final List<Chunk> chunks = new ArrayList<>();
  private final Deque<Integer> freeNumbers = new ArrayDeque<>();
  private final long[] heads = new long[list(Chunk.GRANULES) + 1];
  private final BitSet filled = new BitSet(heads.length);
  private long free;

  /** Has no memory yet; its blocks are those of {@code arena}. */
  Packing(Arena arena) {
    this(arena, 0);
  }

  /** The same, whose chunks have numbers from {@code firstNumber} on. */
  Packing(Arena arena, int firstNumber) {
    this.arena = arena;
    this.firstNumber = firstNumber;
    Arrays.fill(heads, NONE);
  }

  /** The list for a free block of {@code granules}: larger blocks have larger numbers. */
  static int list(int granules) {
    if (granules < 1 << LOG2_GROUP) {
      return granules;
    }
    int shift = 31 - Integer.numberOfLeadingZeros(granules) - LOG2_GROUP;
    return (shift << LOG2_GROUP) + (granules >>> shift);
  }

  /** The block that is used from now on, or {@link #NONE} if no free one is large enough. */
  long take(int granules) {
    long block = find(granules);
    if (block == NONE) {
      return NONE;
    }
    Chunk chunk = chunk(block);
    int start = Chunk.startOf(block);
    int end = chunk.end(start);
    unlink(block, end - start);
    chunk.use(start, true);
    if (end - start > granules) {
      chunk.split(start + granules);
      link(chunk.block(start + granules), end - start - granules);
    }
    return block;
  }

  private long find(int granules) {
    int own = list(granules);
    long block = heads[own];
    for (int i = 0; block != NONE && i < TRIES; i++) {
      int start = Chunk.startOf(block);
      if (chunk(block).end(start) - start >= granules) {
        return block;
      }
      block = get(block, NEXT);
    }
    int list = filled.nextSetBit(own + 1);
    return list < 0 ? NONE : heads[list];
  }

  /** The {@link #list} of the largest free blocks, -1 if there are none. */
  int largest() {
    return filled.length() - 1;
  }

  /** Takes {@code memory}, of {@value #CHUNK_BYTES} bytes, to cut it up. */
  void add(ByteBuf memory) {
    Integer free = freeNumbers.poll();
    int place = free == null ? chunks.size() : free;
    if (free == null) {
      chunks.add(null);
    }
    Chunk chunk = new Chunk(arena, firstNumber + place, memory);
    chunks.set(place, chunk);
    link(chunk.block(0), Chunk.GRANULES);
  }

  /**
   * Frees a used block. Returns the chunk, with its memory owned, if nothing in it is used any
   * more; else null.
   */
  @Nullable Chunk give(long block) {
    Chunk chunk = chunk(block);
    int start = Chunk.startOf(block);
    int end = chunk.end(start);
    chunk.use(start, false);
    if (end < Chunk.GRANULES && !chunk.isUsed(end)) {
      int behind = end;
      end = chunk.end(behind);
      unlink(chunk.block(behind), end - behind);
      chunk.join(behind);
    }
    int before = start == 0 ? -1 : chunk.before(start);
    if (before >= 0 && !chunk.isUsed(before)) {
      unlink(chunk.block(before), start - before);
      chunk.join(start);
      start = before;
    }
    if (end - start == Chunk.GRANULES) {
      int place = chunk.number() - firstNumber;
      chunks.set(place, null);
      freeNumbers.push(place);
      return chunk;
    }
    link(chunk.block(start), end - start);
    return null;
  }

  /** The chunk that {@code block} is in. */
  Chunk chunk(long block) {
    return chunks.get(Chunk.numberOf(block) - firstNumber);
  }

  /** Granules in free blocks; -1: there is no memory. */
  long free() {
    return chunks.size() == freeNumbers.size() ? -1 : free;
  }

  private void link(long block, int granules) {
    free += granules;
    int list = list(granules);
    long next = heads[list];
    set(block, NEXT, next);
    set(block, PREVIOUS, NONE);
    if (next == NONE) {
      filled.set(list);
    } else {
      set(next, PREVIOUS, block);
    }
    heads[list] = block;
  }

  private void unlink(long block, int granules) {
    free -= granules;
    long next = get(block, NEXT);
    long previous = get(block, PREVIOUS);
    if (next != NONE) {
      set(next, PREVIOUS, previous);
    }
    if (previous != NONE) {
      set(previous, NEXT, next);
      return;
    }
    int list = list(granules);
    heads[list] = next;
    if (next == NONE) {
      filled.clear(list);
    }
  }

  private long get(long block, int which) {
    return chunk(block).memory.getLong(Chunk.startOf(block) * GRANULE_BYTES + which);
  }

  private void set(long block, int which, long other) {
    chunk(block).memory.setLong(Chunk.startOf(block) * GRANULE_BYTES + which, other);
  }
}
