package io.loligo.store.disk.record;

/**
 * Where things are in the file of a map, as arithmetic, so that a directory can budget the file
 * before Chronicle Map is loaded. Immutable.
 *
 * <p>All of Chronicle Map's own sizes are set by hand from this, and what it makes of them is
 * compared when the file is mapped. A segment is, in this order: slots (4 octets for each of {@link
 * #slots}), {@value #COUNTERS_BYTES} octets of counters, one bit for each chunk, the chunks. Before
 * the segments come a first page with header and global state, and one header for each segment.
 *
 * @param segments parts with a lock each
 * @param chunks entries a segment has room for
 */
record Geometry(int segments, int chunks) {
  /** Octets of a key. */
  static final int KEY_BYTES = 16;

  /** Octets of an entry: key, then record. */
  static final int CHUNK_BYTES = KEY_BYTES + RecordMap.RECORD_BYTES;

  /** Octets of the first page; the headers of the segments follow it. */
  static final int FIRST_PAGE_BYTES = 4096;

  static final int COUNTERS_BYTES = 64;
  static final int SLOT_BYTES = 4;

  /** With so many in a segment, 0.90 of it is 6 standard deviations of hashing away from full. */
  private static final int MOST_CHUNKS = 4096;

  private static final double PLANNED_FILL = 0.90;
  private static final int CACHE_LINE = 64;

  /** For a number of records that all have room, whatever they hash to, but for a freak. */
  static Geometry of(long records) {
    if (records < 1 || records > (1L << 36)) {
      throw new IllegalArgumentException("records: " + records + " (expected: 1 to 2^36)");
    }
    long entries = (long) Math.ceil(records / PLANNED_FILL);
    long segments = Math.max(1, (entries + MOST_CHUNKS - 1) / MOST_CHUNKS);
    return new Geometry(Math.toIntExact(segments), (int) ((entries + segments - 1) / segments));
  }

  /** Slots of a segment, a power of two: at most two of three are ever taken. */
  int slots() {
    int slots = Math.max(64, Integer.highestOneBit(Math.max(1, chunks - 1)) << 1);
    return 3L * chunks > 2L * slots ? slots << 1 : slots;
  }

  /** Octets from one header of a segment to the next. */
  int headerBytes() {
    if (segments * 192L < 2 * 4096) {
      return 192;
    }
    if (segments * 128L < 3 * 4096) {
      return 128;
    }
    return segments <= 16 * 1024 ? 64 : 32;
  }

  /** Octets from the beginning of a segment to its first chunk. */
  long chunksOffset() {
    return align(SLOT_BYTES * (long) slots(), CACHE_LINE) + COUNTERS_BYTES + freeListBytes();
  }

  private long freeListBytes() {
    return align((chunks + 7L) / 8, CACHE_LINE);
  }

  /**
   * Octets from one segment to the next; odd in cache lines, so that sets of a cache are shared.
   */
  long segmentBytes() {
    long bytes = chunksOffset() + align((long) CHUNK_BYTES * chunks, CACHE_LINE);
    int nth = Math.max(1, 2048 >> Long.numberOfTrailingZeros(bytes));
    return nth < segments ? bytes | CACHE_LINE : bytes;
  }

  /** Octets in use. */
  long dataBytes() {
    return FIRST_PAGE_BYTES + segments * (headerBytes() + segmentBytes());
  }

  /** Octets of the file. */
  long fileBytes() {
    return align(dataBytes(), 4096);
  }

  private static long align(long bytes, int unit) {
    return (bytes + unit - 1) & -unit;
  }
}
