package io.loligo.server.whatif;

import java.util.Arrays;

/**
 * The keys of a sample in the order of their last use, with the size of each. It answers how many
 * bytes other keys used since. Not thread-safe.
 *
 * <p>A use takes the next slot and frees the key's earlier one. A Fenwick tree sums the sizes over
 * the slots (P. M. Fenwick, "A new data structure for cumulative frequency tables", 1994). A table
 * with linear probing finds the slot of a key. {@link #compact} closes the gaps and builds both
 * again; nothing is allocated after construction.
 */
final class KeySample {
  /** The answer for a key that is not in the sample. */
  static final long ABSENT = -1;

  private static final int FREE = -1;

  private final int capacity;
  private final long[] hashes;
  private final int[] sizes;
  private final long[] sums;
  private final int[] cells;

  private int next;
  private int keys;
  private long bytes;
  private int takenSize;

  /**
   * An empty sample.
   *
   * @param capacity most keys, a power of two, at least 4
   */
  KeySample(int capacity) {
    this.capacity = capacity;
    int slots = capacity + capacity / 4; // those beyond the capacity put off the next compaction
    hashes = new long[slots];
    sizes = new int[slots];
    sums = new long[slots + 1];
    cells = new int[2 * capacity];
    Arrays.fill(cells, FREE);
  }

  /** Number of keys, from 0 to the capacity. */
  int keys() {
    return keys;
  }

  /** Whether {@link #put} has room; otherwise call {@link #compact}. */
  boolean hasRoom() {
    return next < sizes.length && keys < capacity;
  }

  /** Mean size of the keys; 0 without one. */
  long meanSize() {
    return keys == 0 ? 0 : bytes / keys;
  }

  /** Size of the key that {@link #take} has removed last. */
  int takenSize() {
    return takenSize;
  }

  /**
   * Removes a key.
   *
   * @return the bytes of all other keys used since its last use, or {@link #ABSENT}
   */
  long take(long hash) {
    int slot = cells[cell(hash)];
    if (slot == FREE || sizes[slot] < 0) {
      return ABSENT;
    }
    takenSize = sizes[slot];
    long since = bytes - sumBefore(slot) - takenSize;
    add(slot, -takenSize);
    sizes[slot] = -1;
    keys--;
    return since;
  }

  /** Adds a key that is not in the sample as the last used; needs room. */
  void put(long hash, int size) {
    cells[cell(hash)] = next;
    hashes[next] = hash;
    sizes[next] = size;
    add(next, size);
    next++;
    keys++;
  }

  /**
   * Forgets the keys that take no part any more, and closes the gaps between the others.
   *
   * @param below the keys stay whose {@link SampledMisses#position} is below this
   * @param mostBytes the keys stay that are among the last used ones of so many bytes
   */
  void compact(long below, long mostBytes) {
    int first = next;
    long kept = 0;
    while (first > 0 && kept <= mostBytes) {
      first--;
      kept += stays(first, below) ? sizes[first] : 0;
    }
    int to = 0;
    for (int from = first; from < next; from++) {
      if (stays(from, below)) {
        hashes[to] = hashes[from];
        sizes[to] = sizes[from];
        to++;
      }
    }
    Arrays.fill(cells, FREE);
    Arrays.fill(sums, 0);
    next = 0;
    keys = 0;
    bytes = 0;
    while (next < to) {
      put(hashes[next], sizes[next]);
    }
  }

  /**
   * Removes the keys with the highest positions; needs no gaps.
   *
   * @param left number of keys that stay, less than {@link #keys}
   * @return the position below which all positions lie now
   */
  long keepLowest(int left) {
    for (int slot = 0; slot < next; slot++) {
      sums[slot] = SampledMisses.position(hashes[slot]);
    }
    Arrays.sort(sums, 0, next);
    long below = sums[left];
    compact(below, Long.MAX_VALUE); // it makes the sums again
    return below;
  }

  private boolean stays(int slot, long below) {
    return sizes[slot] >= 0 && SampledMisses.position(hashes[slot]) < below;
  }

  /** The cell of a key, or the free one where it belongs. */
  private int cell(long hash) {
    int cell = (int) hash & (cells.length - 1); // the high bits are alike: they chose the key
    while (cells[cell] != FREE && hashes[cells[cell]] != hash) {
      cell = cell + 1 & (cells.length - 1);
    }
    return cell;
  }

  private void add(int slot, int size) {
    bytes += size;
    for (int i = slot + 1; i < sums.length; i += i & -i) {
      sums[i] += size;
    }
  }

  private long sumBefore(int slot) {
    long sum = 0;
    for (int i = slot; i > 0; i -= i & -i) {
      sum += sums[i];
    }
    return sum;
  }
}
