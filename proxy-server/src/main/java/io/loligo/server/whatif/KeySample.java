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
  /** Most keys. */
  static final int CAPACITY = 4096;

  /** Slots; those beyond {@link #CAPACITY} put off the next compaction. */
  static final int SLOTS = CAPACITY + CAPACITY / 4;

  /** The answer for a key that is not in the sample. */
  static final long ABSENT = -1;

  private static final int CELLS = 2 * CAPACITY;
  private static final int FREE = -1;

  private final long[] hashes = new long[SLOTS];
  private final int[] sizes = new int[SLOTS];
  private final long[] sums = new long[SLOTS + 1];
  private final int[] cells = new int[CELLS];

  private int next;
  private int keys;
  private long bytes;

  KeySample() {
    Arrays.fill(cells, FREE);
  }

  /** Number of keys, from 0 to {@value #CAPACITY}. */
  int keys() {
    return keys;
  }

  /** Whether {@link #put} has room; otherwise call {@link #compact}. */
  boolean hasRoom() {
    return next < SLOTS && keys < CAPACITY;
  }

  /**
   * Removes a key.
   *
   * @return the bytes of all keys used since its last use, its own included, or {@link #ABSENT}
   */
  long take(long hash) {
    int slot = cells[cell(hash)];
    if (slot == FREE || sizes[slot] < 0) {
      return ABSENT;
    }
    long since = bytes - sumBefore(slot);
    add(slot, -sizes[slot]);
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
    int cell = (int) hash & CELLS - 1; // the high bits are alike: they chose the key
    while (cells[cell] != FREE && hashes[cells[cell]] != hash) {
      cell = cell + 1 & CELLS - 1;
    }
    return cell;
  }

  private void add(int slot, int size) {
    bytes += size;
    for (int i = slot + 1; i <= SLOTS; i += i & -i) {
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
