package io.loligo.store.lfu;

import java.util.Arrays;

/**
 * Approximate numbers of recent requests for keys, from 0 to 15, as Caffeine counts them: a
 * count-min sketch of four counters of four bits for a key, in one block of 64 bytes. All counters
 * are halved after a number of requests. Keys that share counters count more, and Caffeine has few
 * counters, so their number matters. Not thread-safe.
 *
 * <p>Large arrays are halved in steps of 512 bytes, one for each request, so that none waits for
 * all. Meanwhile some keys have numbers of the new period, and others still of the old one, which
 * are up to twice as high.
 */
public final class FrequencyCounts {
  private static final int MOST = 15;
  private static final int ROWS = 4;
  private static final int BLOCK = 8;
  private static final long LOWEST_BITS = 0x1111111111111111L;
  private static final long HALVES = 0x7777777777777777L;

  /** A multiple of a block. */
  private static final int STEP_WORDS = 64;

  /** A GiB. */
  private static final int MOST_WORDS = 1 << 27;

  private final int mostBlocks;
  private final int stepWords;
  private long[] counters;
  private int blocks = 1;
  private int periodRequests;
  private int requests;

  /** Words that are halved already, at most all. */
  private int halved = BLOCK;

  /** Requests counted before their words are halved, in the last halving. */
  private int toHalve;

  /** Counters that were odd when they were halved, in the last halving. */
  private long lost;

  private FrequencyCounts(int firstWords, int mostWords, int stepWords) {
    counters = new long[words(firstWords)];
    mostBlocks = words(mostWords) / BLOCK;
    this.stepWords = stepWords;
  }

  /** Zeros, in at most so many words, all of them allocated now. They are halved at once. */
  public static FrequencyCounts fixed(int mostWords) {
    return new FrequencyCounts(mostWords, mostWords, words(mostWords));
  }

  /** Zeros, in as many words as are wanted, up to a GiB. They are halved in steps. */
  public static FrequencyCounts growing() {
    return new FrequencyCounts(BLOCK, MOST_WORDS, STEP_WORDS);
  }

  private static int words(int most) {
    return Math.max(1, most / BLOCK) * BLOCK;
  }

  /** Bytes of the counters, if they are {@link #fixed}. */
  public static int bytes(int mostWords) {
    return words(mostWords) * Long.BYTES;
  }

  /** Bytes of the counters now. */
  public long bytes() {
    return (long) counters.length * Long.BYTES;
  }

  /** Words that {@link #words} would clear, or allocate; 0: it would change nothing. */
  int cleared(double wanted) {
    int now = blocks(wanted);
    return now == blocks ? 0 : now * BLOCK;
  }

  private int blocks(double words) {
    return (int) Math.max(1, Math.min(mostBlocks, Math.round(words / BLOCK)));
  }

  /**
   * Has about so many words from now on, at most all; forgets the numbers if they are others. Those
   * that grow allocate a longer array if they need one, and keep it.
   */
  public void words(double wanted) {
    int now = blocks(wanted);
    if (now == blocks) {
      return;
    }
    if (now * BLOCK > counters.length) {
      counters = new long[now * BLOCK]; // first: if there is no memory, nothing has changed
    } else {
      Arrays.fill(counters, 0);
    }
    blocks = now;
    requests = 0;
    halved = blocks * BLOCK;
  }

  /** Halves all counters after so many requests, at least 1. */
  public void period(int newRequests) {
    periodRequests = newRequests;
    requests = Math.min(requests, periodRequests - 1);
  }

  /** As last set. */
  public int periodRequests() {
    return periodRequests;
  }

  /** Whether some counters are halved, and others not yet. */
  boolean isHalving() {
    return halved < blocks * BLOCK;
  }

  /** The number of requests for a key. */
  public int of(int id) {
    int blockHash = blockHash(id);
    int counterHash = counterHash(blockHash);
    int least = MOST;
    for (int row = 0; row < ROWS; row++) {
      least =
          Math.min(
              least,
              (int) (counters[word(blockHash, counterHash, row)] >>> shift(counterHash, row))
                  & MOST);
    }
    return least;
  }

  /** Counts one. */
  public void add(int id) {
    if (isHalving()) {
      halve();
    }
    int blockHash = blockHash(id);
    int counterHash = counterHash(blockHash);
    boolean added = false;
    int word = 0;
    for (int row = 0; row < ROWS; row++) {
      word = word(blockHash, counterHash, row);
      int shift = shift(counterHash, row);
      if ((int) ((counters[word] >>> shift) & MOST) < MOST) {
        counters[word] += 1L << shift;
        added = true;
      }
    }
    if (added) {
      count(word);
    }
  }

  private void count(int word) {
    if (word >= halved) {
      toHalve++;
    } else if (++requests >= periodRequests && !isHalving()) {
      toHalve = requests;
      lost = 0;
      requests = 0;
      halved = 0;
      halve();
    }
  }

  /** Halves the next words. */
  private void halve() {
    int end = Math.min(blocks * BLOCK, halved + stepWords);
    for (int word = halved; word < end; word++) {
      lost += Long.bitCount(counters[word] & LOWEST_BITS);
      counters[word] = (counters[word] >>> 1) & HALVES;
    }
    halved = end;
    if (!isHalving()) {
      requests += (int) Math.max(0, (toHalve - lost / ROWS) / 2);
    }
  }

  private static int blockHash(int id) {
    int mixed = (id ^ (id >>> 16)) * 0x9E3779B1;
    return mixed ^ (mixed >>> 15);
  }

  private static int counterHash(int blockHash) {
    int mixed = blockHash * 0x85EBCA6B;
    return mixed ^ (mixed >>> 13);
  }

  private int word(int blockHash, int counterHash, int row) {
    int block = (int) (((blockHash & 0xffffffffL) * blocks) >>> Integer.SIZE);
    return block * BLOCK + 2 * row + ((counterHash >>> (row * BLOCK)) & 1);
  }

  /** Of a counter in its word. */
  private static int shift(int counterHash, int row) {
    return ((counterHash >>> (row * BLOCK + 1)) & MOST) * ROWS;
  }
}
