package io.loligo.core.http2;

/**
 * The dynamic table of a decoder (RFC 7541 sections 2.3.2 and 4): entries as offsets into one
 * array, so that none is a heap object. Confined to one thread.
 *
 * <p>It takes memory only for entries that were added: two times their bytes at most.
 */
final class DynamicTable {
  private static final int ENTRY_OVERHEAD = 32;
  private static final int FIRST_ROOM_BYTES = 256;

  private byte[] bytes = {};
  private int writeAt;

  // rings: entry number n is at n & (length - 1)
  private int[] starts = {};
  private int[] nameLengths = {};
  private int[] valueLengths = {};
  private int oldest;
  private int next;
  private int maxBytes;
  private int size;

  DynamicTable(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  int count() {
    return next - oldest;
  }

  /** Sets the maximum size; drops the oldest entries that do not fit any more. */
  void resize(int newMaxBytes) {
    maxBytes = newMaxBytes;
    evict(0);
  }

  private void evict(int room) {
    while (size > maxBytes - room && count() > 0) {
      int place = oldest++ & starts.length - 1;
      size -= nameLengths[place] + valueLengths[place] + ENTRY_OVERHEAD;
    }
  }

  private int place(int index) {
    return next - index & starts.length - 1;
  }

  /** The array of all names and values; valid until {@link #add}. */
  byte[] bytes() {
    return bytes;
  }

  /** Where the name of entry {@code index} starts; the newest has index 1. Its value follows. */
  int start(int index) {
    return starts[place(index)];
  }

  int nameLength(int index) {
    return nameLengths[place(index)];
  }

  int valueLength(int index) {
    return valueLengths[place(index)];
  }

  /** Adds an entry; one that is larger than the table only empties it. */
  void add(
      byte[] name, int nameStart, int nameLength, byte[] value, int valueStart, int valueLength) {
    int length = nameLength + valueLength;
    if (length > maxBytes - ENTRY_OVERHEAD) {
      oldest = next;
      size = 0;
      return;
    }
    evict(length + ENTRY_OVERHEAD);
    reserve(length);
    System.arraycopy(name, nameStart, bytes, writeAt, nameLength);
    System.arraycopy(value, valueStart, bytes, writeAt + nameLength, valueLength);
    int place = next++ & starts.length - 1;
    starts[place] = writeAt;
    nameLengths[place] = nameLength;
    valueLengths[place] = valueLength;
    writeAt += length;
    size += length + ENTRY_OVERHEAD;
  }

  private void reserve(int length) {
    if (count() == starts.length) {
      growRings();
    }
    if (writeAt + length <= bytes.length) {
      return;
    }
    int live = size - count() * ENTRY_OVERHEAD;
    int from = count() == 0 ? writeAt : starts[oldest & starts.length - 1];
    int room = Math.max(FIRST_ROOM_BYTES, 2 * (live + length));
    byte[] target = bytes.length >= room ? bytes : new byte[room];
    System.arraycopy(bytes, from, target, 0, live);
    for (int entry = oldest; entry != next; entry++) {
      starts[entry & starts.length - 1] -= from;
    }
    bytes = target;
    writeAt = live;
  }

  private void growRings() {
    int length = Math.max(8, 2 * starts.length);
    int[] newStarts = new int[length];
    int[] newNames = new int[length];
    int[] newValues = new int[length];
    for (int entry = oldest; entry != next; entry++) {
      int from = entry & starts.length - 1;
      int to = entry & length - 1;
      newStarts[to] = starts[from];
      newNames[to] = nameLengths[from];
      newValues[to] = valueLengths[from];
    }
    starts = newStarts;
    nameLengths = newNames;
    valueLengths = newValues;
  }
}
