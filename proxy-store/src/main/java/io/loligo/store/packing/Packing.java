package io.loligo.store.packing;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Chunks of memory, each cut without gaps into blocks that are used or free: two-level segregated
 * fit (Masmano et al., "TLSF: a new dynamic memory allocator for real-time systems", 2004). There
 * are lists of free blocks of about the same size, eight per doubling: one that fits is among the
 * first few of its own list, or else any of a list of larger ones will do. What is left of it is
 * free again, and a block given back is joined with free neighbours.
 *
 * <p>Sizes are in granules of {@value #GRANULE_BYTES} octets. The lists run through the free memory
 * itself; where blocks begin is known by a bit for each granule. Not thread-safe.
 */
final class Packing {
  static final int GRANULE_BYTES = 64;
  static final int CHUNK_BYTES = 1 << 20;
  static final int NONE = -1;

  private static final int LOG2_GRANULES = 14;
  private static final int GRANULES = CHUNK_BYTES / GRANULE_BYTES;
  private static final int LOG2_GROUP = 3;
  private static final int TRIES = 8;
  private static final int NEXT = 0;
  private static final int PREVIOUS = Integer.BYTES;

  private final List<Chunk> chunks = new ArrayList<>();
  private final int[] heads = new int[list(GRANULES) + 1];
  private final BitSet filled = new BitSet(heads.length);

  Packing() {
    Arrays.fill(heads, NONE);
  }

  /** Where blocks begin, and which of them are used. */
  private static final class Chunk {
    final ByteBuf owned;
    final ByteBuf memory;
    final BitSet starts = new BitSet(GRANULES);
    final BitSet used = new BitSet(GRANULES);

    Chunk(ByteBuf owned) {
      this.owned = owned;
      // what is looked for is leaks of blocks; to look at the chunk as well costs each access
      this.memory = owned.unwrap() == null ? owned : owned.unwrap();
    }

    int end(int start) {
      int next = starts.nextSetBit(start + 1);
      return next < 0 ? GRANULES : next;
    }
  }

  /** The list a free block of {@code granules} is in. */
  private static int list(int granules) {
    if (granules < 1 << LOG2_GROUP) {
      return granules;
    }
    int shift = 31 - Integer.numberOfLeadingZeros(granules) - LOG2_GROUP;
    return (shift << LOG2_GROUP) + (granules >>> shift);
  }

  /** The block that is used from now on, or {@link #NONE} where no free one is large enough. */
  int take(int granules) {
    int block = find(granules);
    if (block == NONE) {
      return NONE;
    }
    Chunk chunk = chunk(block);
    int start = start(block);
    int end = chunk.end(start);
    unlink(block, end - start);
    chunk.used.set(start);
    if (end - start > granules) {
      chunk.starts.set(start + granules);
      link(block + granules, end - start - granules);
    }
    return block;
  }

  private int find(int granules) {
    int own = list(granules);
    int block = heads[own];
    for (int i = 0; block != NONE && i < TRIES; i++) {
      if (chunk(block).end(start(block)) - start(block) >= granules) {
        return block;
      }
      block = get(block, NEXT);
    }
    int list = filled.nextSetBit(own + 1);
    return list < 0 ? NONE : heads[list];
  }

  /** Takes {@code memory}, of {@value #CHUNK_BYTES} octets, to cut it up. */
  void add(ByteBuf memory) {
    int number = chunks.indexOf(null);
    if (number < 0) {
      number = chunks.size();
      chunks.add(null);
    }
    Chunk chunk = new Chunk(memory);
    chunk.starts.set(0);
    chunks.set(number, chunk);
    link(number << LOG2_GRANULES, GRANULES);
  }

  /**
   * Makes a used block free. Returns owned the chunk in which nothing is used any more, or null.
   */
  ByteBuf give(int block) {
    Chunk chunk = chunk(block);
    int number = block >>> LOG2_GRANULES;
    int start = start(block);
    int end = chunk.end(start);
    chunk.used.clear(start);
    if (end < GRANULES && !chunk.used.get(end)) {
      int behind = end;
      end = chunk.end(behind);
      unlink(number << LOG2_GRANULES | behind, end - behind);
      chunk.starts.clear(behind);
    }
    int before = start == 0 ? NONE : chunk.starts.previousSetBit(start - 1);
    if (before != NONE && !chunk.used.get(before)) {
      unlink(number << LOG2_GRANULES | before, start - before);
      chunk.starts.clear(start);
      start = before;
    }
    if (end - start == GRANULES) {
      chunks.set(number, null);
      return chunk.owned;
    }
    link(number << LOG2_GRANULES | start, end - start);
    return null;
  }

  /** The memory that {@code block} is in, borrowed. */
  ByteBuf memory(int block) {
    return chunk(block).memory;
  }

  /** Where it begins there, in octets. */
  static int offset(int block) {
    return start(block) * GRANULE_BYTES;
  }

  private Chunk chunk(int block) {
    return chunks.get(block >>> LOG2_GRANULES);
  }

  private static int start(int block) {
    return block & (GRANULES - 1);
  }

  private void link(int block, int granules) {
    int list = list(granules);
    int next = heads[list];
    set(block, NEXT, next);
    set(block, PREVIOUS, NONE);
    if (next == NONE) {
      filled.set(list);
    } else {
      set(next, PREVIOUS, block);
    }
    heads[list] = block;
  }

  private void unlink(int block, int granules) {
    int next = get(block, NEXT);
    int previous = get(block, PREVIOUS);
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

  private int get(int block, int which) {
    return memory(block).getInt(offset(block) + which);
  }

  private void set(int block, int which, int other) {
    memory(block).setInt(offset(block) + which, other);
  }
}
