package io.loligo.server.report;

/**
 * The files of a log by hashes of their URLs: when each was first answered with its content, how
 * long that was, and how it came into memory. Confined to one thread.
 *
 * <p>At most {@value #MOST} files are kept (63 MB). A log with more has a sample: of each two
 * files, then of each four, and so on, the one whose hash ends in zeros; which files are in the
 * sample does not depend on when or how often they were requested.
 */
final class DistinctFiles {
  /** Files at most; the table is twice as long. */
  static final int MOST = 1 << 21;

  /** How the file came into memory, as far as the log tells. */
  static final byte UNKNOWN = 0;

  static final byte FETCHED = 1;
  static final byte SWAPPED_IN = 2;

  private static final int FIRST_SLOTS = 1 << 12;
  private static final long EPOCH_SECONDS = LineParser.EARLIEST_MICROS / 1_000_000;

  private final int most;
  private long[] hashes = new long[FIRST_SLOTS];
  private int[] seconds = new int[FIRST_SLOTS];
  private short[] sizes = new short[FIRST_SLOTS];
  private byte[] origins = new byte[FIRST_SLOTS];
  private int count;
  private int sampleBits;

  DistinctFiles() {
    this(MOST);
  }

  /**
   * A table of its own limit.
   *
   * @param most files at most
   */
  DistinctFiles(int most) {
    this.most = most;
  }

  /** The slot of a file that is answered with {@code bytes} of content; -1: not in the sample. */
  int see(long hash, long endMicros, long bytes) {
    long key = hash == 0 ? 1 : hash;
    if (!sampled(key)) {
      return -1;
    }
    int slot = slot(key);
    int second = (int) (endMicros / 1_000_000 - EPOCH_SECONDS);
    if (hashes[slot] == 0) {
      if (count >= most) {
        sampleMore();
        return see(hash, endMicros, bytes);
      }
      if (count * 2 >= hashes.length) {
        resize(hashes.length * 2);
        slot = slot(key);
      }
      put(slot, key, second, (short) Histogram.bucket(bytes), UNKNOWN);
    } else if (second < seconds[slot]) {
      seconds[slot] = second;
      sizes[slot] = (short) Histogram.bucket(bytes);
    }
    return slot;
  }

  private void put(int slot, long key, int second, short size, byte origin) {
    hashes[slot] = key;
    seconds[slot] = second;
    sizes[slot] = size;
    origins[slot] = origin;
    count++;
  }

  /** How the file in {@code slot} came into memory. */
  byte origin(int slot) {
    return origins[slot];
  }

  void origin(int slot, byte origin) {
    origins[slot] = origin;
  }

  private boolean sampled(long key) {
    return (key & (1L << sampleBits) - 1) == 0;
  }

  private int slot(long key) {
    int mask = hashes.length - 1;
    int slot = (int) (key >>> 32) & mask;
    while (hashes[slot] != 0 && hashes[slot] != key) {
      slot = slot + 1 & mask;
    }
    return slot;
  }

  private void sampleMore() {
    sampleBits++;
    int kept = 0;
    for (long key : hashes) {
      kept += key != 0 && sampled(key) ? 1 : 0;
    }
    resize(kept * 4 <= hashes.length ? hashes.length / 2 : hashes.length);
  }

  /** Copies those that are in the sample. */
  private void resize(int slots) {
    long[] keys = hashes;
    int[] times = seconds;
    short[] lengths = sizes;
    byte[] ways = origins;
    hashes = new long[slots];
    seconds = new int[slots];
    sizes = new short[slots];
    origins = new byte[slots];
    count = 0;
    for (int i = 0; i < keys.length; i++) {
      if (keys[i] != 0 && sampled(keys[i])) {
        put(slot(keys[i]), keys[i], times[i], lengths[i], ways[i]);
      }
    }
  }

  /** Files in the sample. */
  int count() {
    return count;
  }

  /** Each file in the sample stands for as many. */
  long weight() {
    return 1L << sampleBits;
  }

  /** The sizes of the files first answered from {@code fromMicros} to before {@code toMicros}. */
  Histogram sizes(long fromMicros, long toMicros) {
    long from = Math.floorDiv(fromMicros, 1_000_000) - EPOCH_SECONDS;
    long to = Math.floorDiv(toMicros, 1_000_000) - EPOCH_SECONDS;
    Histogram all = new Histogram();
    for (int i = 0; i < hashes.length; i++) {
      if (hashes[i] != 0 && seconds[i] >= from && seconds[i] < to) {
        all.add((long) Histogram.middle(sizes[i]));
      }
    }
    return all;
  }
}
