package io.loligo.store.purge;

import io.loligo.store.purge.Purges.Table;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The last purge of each name, in bounded memory. Thread-safe: any thread. Reading takes no lock;
 * each page is changed under its own, which is short.
 *
 * <p>A name is a number of 64 bits. Its low bits select a bucket of {@value #CELLS} cells: one
 * floor for each {@link Table}, then {@value #NAMES} names with their moments. A full bucket
 * forgets the name whose purge is the oldest, and raises the floor of its table to that moment. All
 * names of the table and bucket then count as purged at the floor: once too often, never too
 * seldom.
 *
 * <p>With a million names some 15 share a bucket, and one bucket in two thousand has a floor. A
 * cell has {@value #TAG_BITS} bits of the number: one name in ten thousand finds the moment of
 * another one.
 *
 * <p>A page is created when one of its names is purged: a process without purges uses no memory
 * here.
 */
public final class Moments {
  /** Buckets; a power of two. */
  public static final int BUCKETS = 1 << 16;

  /** Cells of a bucket, floors included. */
  public static final int CELLS = 32;

  /** Floors of a bucket, one for each table. */
  public static final int FLOORS = 3;

  /** Names of a bucket. */
  public static final int NAMES = CELLS - FLOORS;

  private static final int PAGE_BUCKETS = 16;

  /** Heap used at most, with all pages; bytes. */
  public static final long MEMORY_BYTES =
      BUCKETS / PAGE_BUCKETS * (32L + Long.BYTES) + (long) BUCKETS * CELLS * Long.BYTES;

  // a cell: 44 bits of milliseconds, 2 of the table, 18 of the number
  private static final int NUMBER_BITS = 18;
  private static final int TAG_BITS = 20;
  private static final long TAG_MASK = (1L << TAG_BITS) - 1;

  /** The latest possible moment, in the year 2248: no cell is negative. */
  static final long MAX_MILLIS = (1L << (Long.SIZE - 1 - TAG_BITS)) - 1;

  private final AtomicReferenceArray<AtomicLongArray> pages =
      new AtomicReferenceArray<>(BUCKETS / PAGE_BUCKETS);

  /** {@code number} was purged at {@code millis}; an older purge changes nothing. */
  void mark(Table table, long number, long millis) {
    long wanted = Math.min(millis, MAX_MILLIS);
    if (wanted > 0) {
      AtomicLongArray page = page(bucket(number));
      synchronized (page) {
        mark(page, cell(bucket(number)), table, tag(table, number), wanted);
      }
    }
  }

  private static void mark(AtomicLongArray page, int first, Table table, long tag, long millis) {
    int floor = first + table.ordinal();
    if (millis <= page.get(floor) >>> TAG_BITS) {
      return;
    }
    int oldest = first + FLOORS;
    for (int i = first + FLOORS; i < first + CELLS; i++) {
      long cell = page.get(i);
      if (cell == 0 || (cell & TAG_MASK) == tag) {
        page.set(i, Math.max(cell, millis << TAG_BITS | tag));
        return;
      }
      oldest = cell < page.get(oldest) ? i : oldest; // the high bits are the moment
    }
    long victim = page.get(oldest);
    if (victim >>> TAG_BITS >= millis) {
      raise(page, floor, millis);
    } else {
      // the floor first: a reader looks at it last
      raise(page, first + (int) ((victim & TAG_MASK) >>> NUMBER_BITS), victim >>> TAG_BITS);
      page.set(oldest, millis << TAG_BITS | tag);
    }
  }

  /**
   * All names whose low bits are those of {@code bucket}, of {@code buckets}, were purged at {@code
   * millis}.
   */
  void raiseFloor(Table table, int bucket, int buckets, long millis) {
    for (int i = bucket; i < BUCKETS; i += buckets) {
      AtomicLongArray page = page(i);
      synchronized (page) {
        raise(page, cell(i) + table.ordinal(), Math.min(millis, MAX_MILLIS));
      }
    }
  }

  private static void raise(AtomicLongArray page, int floor, long millis) {
    page.set(floor, Math.max(page.get(floor) >>> TAG_BITS, millis) << TAG_BITS);
  }

  private AtomicLongArray page(int bucket) {
    int index = bucket / PAGE_BUCKETS;
    if (pages.get(index) == null) {
      pages.compareAndSet(index, null, new AtomicLongArray(PAGE_BUCKETS * CELLS));
    }
    return pages.get(index);
  }

  /** The last purge of {@code number}; 0: never. */
  long moment(Table table, long number) {
    AtomicLongArray page = pages.get(bucket(number) / PAGE_BUCKETS);
    if (page == null) {
      return 0;
    }
    int first = cell(bucket(number));
    long tag = tag(table, number);
    long found = 0;
    for (int i = first + FLOORS; i < first + CELLS && found == 0; i++) {
      long cell = page.get(i);
      found = cell != 0 && (cell & TAG_MASK) == tag ? cell >>> TAG_BITS : 0;
    }
    return Math.max(found, page.get(first + table.ordinal()) >>> TAG_BITS);
  }

  /** Cells of all existing pages. */
  int cells() {
    int cells = 0;
    for (int i = 0; i < pages.length(); i++) {
      AtomicLongArray page = pages.get(i);
      cells += page == null ? 0 : page.length();
    }
    return cells;
  }

  private static int bucket(long number) {
    return (int) number & (BUCKETS - 1);
  }

  private static int cell(int bucket) {
    return bucket % PAGE_BUCKETS * CELLS;
  }

  private static long tag(Table table, long number) {
    return (long) table.ordinal() << NUMBER_BITS | number >>> (Long.SIZE - NUMBER_BITS);
  }
}
