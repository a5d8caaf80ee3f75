package io.loligo.store.disk.format;

import io.loligo.store.purge.Moments;
import io.loligo.store.purge.Purges;

/**
 * The files beside the slabs: how many there are, and how long they are. A {@link Geometry} adds
 * them up. See {@code docs/disk-format.md}. Stateless.
 */
public final class FileSizes {
  /** Journals of a directory: {@value}. */
  public static final int JOURNALS = 4;

  /** Bytes in front of the table of a checkpoint. */
  public static final int CHECKPOINT_HEADER_BYTES = 64;

  /** Bytes of a segment in the table of a checkpoint. */
  public static final int SEGMENT_STATE_BYTES = 24;

  /** Where the patterns begin in the file of purges. */
  public static final int BANS_AT = Block.PAGE_BYTES;

  /** Bytes of a pattern in the file of purges. */
  public static final int BAN_BYTES = 1024;

  /** Where the buckets begin in the file of purges. */
  public static final int BUCKETS_AT = BANS_AT + Purges.MAX_BANS * BAN_BYTES;

  /** Bytes of a name with its moment. */
  public static final int CELL_BYTES = 16;

  /** Bytes of a bucket of names. */
  public static final int BUCKET_BYTES = Moments.CELLS * CELL_BYTES;

  private static final int MIN_BUCKETS = 512;

  /** Largest share of the buckets in a directory, as a divisor. */
  private static final int BUCKETS_SHARE = 64;

  private FileSizes() {}

  /** Bytes of the checkpoint of a full directory, at most. */
  static long checkpoint(int records, long segments, int segmentBytes) {
    long pieces = segments * segmentBytes / Block.STRIDE / 2;
    return CHECKPOINT_HEADER_BYTES
        + segments * (SEGMENT_STATE_BYTES + Contents.HEAD_BYTES)
        + (long) records * Contents.ENTRY_BYTES
        + pieces * (Contents.PIECES_BYTES + Long.BYTES);
  }

  /** Buckets of purges in a directory of {@code totalBytes}; a power of two. */
  public static int purgeBuckets(long totalBytes) {
    long most = Math.max(MIN_BUCKETS, totalBytes / BUCKETS_SHARE / BUCKET_BYTES);
    return (int) Math.min(Moments.BUCKETS, Long.highestOneBit(most));
  }

  /** Buckets of a file of purges with {@code fileBytes}; 0: no such file has that length. */
  public static int purgeBucketsIn(long fileBytes) {
    long buckets = (fileBytes - BUCKETS_AT) / BUCKET_BYTES;
    boolean valid =
        buckets >= MIN_BUCKETS
            && buckets <= Moments.BUCKETS
            && Long.bitCount(buckets) == 1
            && BUCKETS_AT + buckets * BUCKET_BYTES == fileBytes;
    return valid ? (int) buckets : 0;
  }

  /** Bytes of the file of purges in a directory of {@code totalBytes}. */
  public static int purges(long totalBytes) {
    return BUCKETS_AT + purgeBuckets(totalBytes) * BUCKET_BYTES;
  }
}
