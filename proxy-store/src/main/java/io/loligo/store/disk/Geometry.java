package io.loligo.store.disk;

/**
 * How the space of a directory is divided: the map's records, and segments of slab for the rest.
 * What the configuration says is the sum of everything; nothing grows later.
 *
 * @param totalBytes all files together, at most
 * @param records responses at most
 * @param mapBytes the map's file
 * @param segmentBytes a segment, a power of two
 * @param segments of them
 */
record Geometry(long totalBytes, int records, long mapBytes, int segmentBytes, int segments) {
  /** In front of the blocks of a segment. */
  static final int SEGMENT_HEADER_BYTES = Block.ALIGNMENT;

  /** For header, marks, lock and purges. */
  private static final long SMALL_FILES_BYTES = (64L << 10) + PurgeFile.BYTES;

  private static final int MIN_SEGMENT_BYTES = 256 << 10;
  private static final int MAX_SEGMENT_BYTES = 16 << 20;
  private static final int WANTED_SEGMENTS = 2048;
  private static final int MIN_SEGMENTS = 12;
  private static final int MAX_RECORDS = 1 << 25;

  /** An object may take this share of the slabs at most, as a divisor. */
  private static final int LARGEST_SHARE = 2;

  /** Of the first block, what is left for key, meta and field lines in any case. */
  private static final int HEAD_BYTES = 24 << 10;

  /** Octets of the map's file for so many records. */
  interface MapSize {
    long bytes(int records);
  }

  /**
   * The geometry for {@code totalBytes}, or null where that is too little.
   *
   * @param meanObjectBytes {@code store_avg_object_size}; half as many records again are planned
   */
  static Geometry of(long totalBytes, long meanObjectBytes, MapSize mapSize) {
    long wanted = totalBytes / Math.max(1, meanObjectBytes) * 3 / 2;
    int records = (int) Math.max(1024, Math.min(MAX_RECORDS, wanted));
    long mapBytes = mapSize.bytes(records);
    long slabBytes = totalBytes - mapBytes - SMALL_FILES_BYTES;
    int segmentBytes = MIN_SEGMENT_BYTES;
    while (segmentBytes < MAX_SEGMENT_BYTES && slabBytes / segmentBytes > 2L * WANTED_SEGMENTS) {
      segmentBytes *= 2;
    }
    long segments = slabBytes / segmentBytes;
    if (segments < MIN_SEGMENTS) {
      return null;
    }
    return new Geometry(totalBytes, records, mapBytes, segmentBytes, (int) segments);
  }

  /** Octets of the smallest directory that can be. */
  static long minBytes(long meanObjectBytes, MapSize mapSize) {
    long bytes = (long) MIN_SEGMENTS * MIN_SEGMENT_BYTES;
    while (of(bytes, meanObjectBytes, mapSize) == null) {
      bytes += 1 << 20;
    }
    return bytes;
  }

  /** Octets of the slabs. */
  long slabBytes() {
    return (long) segments * segmentBytes;
  }

  /** Blocks of full size in a segment, and so in a piece, at most. */
  int blocksPerPiece() {
    return (segmentBytes - SEGMENT_HEADER_BYTES) / Block.MAX_BYTES;
  }

  /** Content in a piece at most. */
  long pieceContent() {
    return (long) blocksPerPiece() * Block.FURTHER_CONTENT;
  }

  /** Content of the largest object: its pieces' places must fit its first block. */
  long maxContentBytes() {
    long byTable = (Block.MAX_BYTES - HEAD_BYTES) / FirstBlock.PIECE_BYTES * pieceContent();
    return Math.min(byTable, slabBytes() / LARGEST_SHARE);
  }

  /** Octets that a piece of {@code content} takes, its blocks aligned. */
  static int pieceBytes(long content) {
    int full = (int) (content / Block.FURTHER_CONTENT);
    int rest = (int) (content % Block.FURTHER_CONTENT);
    int last = rest == 0 ? 0 : Block.aligned(rest + Block.HEADER_BYTES);
    return full * Block.MAX_BYTES + last;
  }
}
