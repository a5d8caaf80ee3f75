package io.loligo.store.disk.format;

import org.jspecify.annotations.Nullable;

/**
 * The division of a directory's space: segments for the responses, room for two checkpoints and the
 * one being written, and the journals. The configured size is the sum of everything; nothing grows
 * later. Immutable.
 *
 * @param totalBytes all files together, at most
 * @param records stored responses at most
 * @param segmentBytes a segment, a power of two
 * @param segments number of segments
 */
public record Geometry(long totalBytes, int records, int segmentBytes, int segments) {
  /** Bytes before the blocks of a packed segment. */
  public static final int SEGMENT_HEADER_BYTES = Block.ALIGNMENT;

  /** A slab file holds this many bytes at most; a power of two. */
  public static final long FILE_BYTES = 1L << 36;

  /** Stored responses of one directory at most: {@value}. */
  public static final int MAX_RECORDS = 1 << 30;

  /** For header, marks and lock. */
  private static final long SMALL_FILES_BYTES = 64L << 10;

  private static final long MIN_JOURNAL_BYTES = 64 << 10;
  private static final long MAX_JOURNAL_BYTES = 4 << 20;

  /** Share of a journal file in all bytes, as a divisor. */
  private static final int JOURNAL_SHARE = 256;

  private static final int MIN_SEGMENT_BYTES = 256 << 10;
  private static final int MAX_SEGMENT_BYTES = 64 << 20;
  private static final int WANTED_SEGMENTS = 1024;
  private static final int MIN_SEGMENTS = 16;

  /** A directory that has grown keeps the size of its segments up to this number of them. */
  private static final int MOST_SEGMENTS = 16_384;

  /** Average number of responses in a segment, at most: the footer stays small. */
  private static final int MAX_PER_SEGMENT = 8192;

  /** Largest share of the slabs for one response, as a divisor. */
  private static final int LARGEST_SHARE = 2;

  /** Bytes of the first block that are left for key, meta and field lines in any case. */
  private static final int HEAD_BYTES = 24 << 10;

  // written out: a directory that is there is compared with its line before a port is open, and the
  // first comparison that a record makes itself takes some two hundred classes

  @Override
  public boolean equals(@Nullable Object object) {
    return object instanceof Geometry other
        && totalBytes == other.totalBytes
        && records == other.records
        && segmentBytes == other.segmentBytes
        && segments == other.segments;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(totalBytes) + records;
  }

  /** Blocks in a piece of a response of unknown length, at most. */
  private static final int UNKNOWN_PIECE_BLOCKS = 64;

  /**
   * The geometry for {@code totalBytes}, or null if that is too little.
   *
   * @param meanObjectBytes {@code store_avg_object_size}; the plan has half as many records again
   */
  public static @Nullable Geometry of(long totalBytes, long meanObjectBytes) {
    long mean = Math.max(1, meanObjectBytes);
    int records = records(totalBytes, meanObjectBytes);
    int largest = MIN_SEGMENT_BYTES;
    while (largest < MAX_SEGMENT_BYTES && largest * 2L <= mean * MAX_PER_SEGMENT) {
      largest *= 2;
    }
    int segmentBytes = MIN_SEGMENT_BYTES;
    while (segmentBytes < largest && totalBytes / segmentBytes > WANTED_SEGMENTS) {
      segmentBytes *= 2;
    }
    return of(totalBytes, records, segmentBytes);
  }

  private static @Nullable Geometry of(long totalBytes, int records, int segmentBytes) {
    long segments = totalBytes / segmentBytes;
    while (segments >= MIN_SEGMENTS
        && segments * segmentBytes + besides(totalBytes, records, segments, segmentBytes)
            > totalBytes) {
      segments--;
    }
    if (segments < MIN_SEGMENTS) {
      return null;
    }
    return new Geometry(totalBytes, records, segmentBytes, Math.toIntExact(segments));
  }

  /**
   * The geometry for at least as many bytes and records, with the segments as they are, so that the
   * content stays; null if it would be smaller than this one, or have more than {@value
   * #MOST_SEGMENTS} segments.
   */
  public @Nullable Geometry grownTo(long newTotalBytes, long meanObjectBytes) {
    if (newTotalBytes / segmentBytes > MOST_SEGMENTS) {
      return null;
    }
    Geometry grown = of(newTotalBytes, records(newTotalBytes, meanObjectBytes), segmentBytes);
    return grown != null && grown.isGrown(this) ? grown : null;
  }

  /** Whether a directory of {@code before} can become one of this geometry and keep its content. */
  public boolean isGrown(Geometry before) {
    return segmentBytes == before.segmentBytes
        && totalBytes >= before.totalBytes
        && segments >= before.segments
        && records >= before.records;
  }

  private static int records(long totalBytes, long meanObjectBytes) {
    return (int) Math.max(1024, Math.min(MAX_RECORDS, wantedRecords(totalBytes, meanObjectBytes)));
  }

  /** Records that {@link #of} plans, unless that is above {@link #MAX_RECORDS}. */
  public static long wantedRecords(long totalBytes, long meanObjectBytes) {
    return totalBytes / Math.max(1, meanObjectBytes) * 3 / 2;
  }

  private static long besides(long totalBytes, int records, long segments, int segmentBytes) {
    return SMALL_FILES_BYTES
        + FileSizes.purges(totalBytes)
        + 2 * FileSizes.checkpoint(records, segments, segmentBytes)
        + FileSizes.JOURNALS * journalBytes(totalBytes);
  }

  /** Bytes of the smallest possible directory. */
  public static long minBytes(long meanObjectBytes) {
    long bytes = (long) MIN_SEGMENTS * MIN_SEGMENT_BYTES;
    while (of(bytes, meanObjectBytes) == null) {
      bytes += 1 << 20;
    }
    return bytes;
  }

  /** Bytes of the slabs. */
  public long slabBytes() {
    return (long) segments * segmentBytes;
  }

  /** Bytes of the large files, which are allocated when the directory is created. */
  public long neededBytes() {
    return slabBytes() + besides(totalBytes, records, segments, segmentBytes) - SMALL_FILES_BYTES;
  }

  private static long journalBytes(long totalBytes) {
    return Math.max(MIN_JOURNAL_BYTES, Math.min(MAX_JOURNAL_BYTES, totalBytes / JOURNAL_SHARE))
        & -Block.PAGE_BYTES;
  }

  /** Bytes of a journal file; a checkpoint is due when half of them are in use. */
  public long journalBytes() {
    return journalBytes(totalBytes);
  }

  /** Bytes of each of the two checkpoints. */
  public long checkpointBytes() {
    return FileSizes.checkpoint(records, segments, segmentBytes);
  }

  /** Slab files. */
  public int files() {
    return (int) ((slabBytes() + FILE_BYTES - 1) / FILE_BYTES);
  }

  /** Bytes of slab file {@code number}. */
  public long fileBytes(int number) {
    return Math.min(FILE_BYTES, slabBytes() - number * FILE_BYTES);
  }

  /** Blocks in a full piece of a response of known length: a whole segment. */
  int pieceBlocks() {
    return segmentBytes / Block.STRIDE;
  }

  /** Blocks in a full piece of a response of unknown length. */
  public int unknownPieceBlocks() {
    return Math.max(1, Math.min(UNKNOWN_PIECE_BLOCKS, pieceBlocks() / 4));
  }

  /** Content of the largest response: the places of its pieces must fit its first block. */
  public long maxContentBytes() {
    long byTable =
        (long) ((Block.MAX_BYTES - HEAD_BYTES) / FirstBlock.PIECE_BYTES)
            * pieceBlocks()
            * Block.FURTHER_CONTENT;
    return Math.min(byTable, slabBytes() / LARGEST_SHARE);
  }
}
