package io.loligo.server.history;

import io.netty.buffer.ByteBuf;

/**
 * Records of variable length in a part of a buffer of fixed size, in the order of their slots; if
 * it is full, the oldest go. A record has a number, which never comes again. Not thread-safe.
 */
final class RecordRing {
  private final ByteBuf memory;
  private final int base;
  private final int bytes;

  // of the record with number n at n modulo their length
  private final long[] slots;
  private final int[] offsets;
  private final int[] lengths;

  private long first;
  private long end;
  private int usedBytes;

  /**
   * An empty ring.
   *
   * @param memory borrowed for its whole life
   * @param base the first byte of its part of {@code memory}
   * @param bytes the length of that part
   * @param records how many records it has at most
   */
  RecordRing(ByteBuf memory, int base, int bytes, int records) {
    this.memory = memory;
    this.base = base;
    this.bytes = bytes;
    slots = new long[records];
    offsets = new int[records];
    lengths = new int[records];
  }

  /**
   * Appends {@code record}. One that is larger than the ring is left out.
   *
   * @param slot not less than that of the record before
   */
  void add(long slot, RecordBytes record) {
    int length = record.length();
    if (length > bytes) {
      return;
    }
    if (end - first == slots.length) {
      drop();
    }
    int offset = room(length);
    memory.setBytes(base + offset, record.array(), 0, length);
    int place = place(end);
    slots[place] = slot;
    offsets[place] = offset;
    lengths[place] = length;
    usedBytes += length;
    end++;
  }

  /** Where {@code length} bytes in a row are free, after dropping as many records as that takes. */
  private int room(int length) {
    while (end > first) {
      int oldest = offsets[place(first)];
      int newest = place(end - 1);
      int next = offsets[newest] + lengths[newest];
      if (offsets[newest] >= oldest) {
        if (bytes - next >= length) {
          return next;
        }
        if (oldest >= length) {
          return 0;
        }
      } else if (oldest - next >= length) {
        return next;
      }
      drop();
    }
    return 0;
  }

  private void drop() {
    usedBytes -= lengths[place(first)];
    first++;
  }

  /** Drops all records of slots before {@code slot}. */
  void dropBefore(long slot) {
    while (end > first && slots[place(first)] < slot) {
      drop();
    }
  }

  /** The number of the oldest record; that of the next one if it is empty. */
  long first() {
    return first;
  }

  /** The number that the next record gets. */
  long end() {
    return end;
  }

  /** The slot of a record that is there. */
  long slot(long number) {
    return slots[place(number)];
  }

  /** The number of the first record of a slot from {@code slot} on; {@link #end}: there is none. */
  long firstFrom(long slot) {
    long low = first;
    long high = end;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (slots[place(middle)] < slot) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Copies a record that is there. */
  void copy(long number, RecordBytes into) {
    int place = place(number);
    memory.getBytes(base + offsets[place], into.room(lengths[place]), 0, lengths[place]);
  }

  /** Bytes of its records. */
  int usedBytes() {
    return usedBytes;
  }

  private int place(long number) {
    return (int) (number % slots.length);
  }
}
