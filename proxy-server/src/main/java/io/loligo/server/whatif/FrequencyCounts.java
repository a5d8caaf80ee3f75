package io.loligo.server.whatif;

import java.util.Arrays;

/**
 * Approximate numbers of recent requests for keys, from 0 to 15, as Caffeine counts them: a
 * count-min sketch of four counters of four bits for a key, in one block of 64 bytes. All counters
 * are halved after a number of requests. Keys that share counters count more, and Caffeine has few
 * counters, so their number matters. Not thread-safe.
 */
final class FrequencyCounts {
  private static final int MOST = 15;
  private static final int ROWS = 4;
  private static final int BLOCK = 8;
  private static final long LOWEST_BITS = 0x1111111111111111L;
  private static final long HALVES = 0x7777777777777777L;

  private final long[] counters;
  private int blocks = 1;
  private int periodRequests;
  private int requests;

  /** Zeros, in at most so many words. */
  FrequencyCounts(int mostWords) {
    counters = new long[words(mostWords)];
  }

  private static int words(int most) {
    return Math.max(1, most / BLOCK) * BLOCK;
  }

  /** Bytes of the counters. */
  static int bytes(int mostWords) {
    return words(mostWords) * Long.BYTES;
  }

  /** Has about so many words from now on, at most all; forgets the numbers if they are others. */
  void words(double wanted) {
    int before = blocks;
    blocks = (int) Math.max(1, Math.min(counters.length / BLOCK, Math.round(wanted / BLOCK)));
    if (blocks != before) {
      Arrays.fill(counters, 0);
      requests = 0;
    }
  }

  /** Halves all counters after so many requests, at least 1. */
  void period(int newRequests) {
    periodRequests = newRequests;
    requests = Math.min(requests, periodRequests - 1);
  }

  int periodRequests() {
    return periodRequests;
  }

  /** The number of requests for a key. */
  int of(int id) {
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
  void add(int id) {
    int blockHash = blockHash(id);
    int counterHash = counterHash(blockHash);
    boolean added = false;
    for (int row = 0; row < ROWS; row++) {
      int word = word(blockHash, counterHash, row);
      int shift = shift(counterHash, row);
      if ((int) ((counters[word] >>> shift) & MOST) < MOST) {
        counters[word] += 1L << shift;
        added = true;
      }
    }
    if (added && ++requests >= periodRequests) {
      halve();
    }
  }

  private void halve() {
    int lost = 0;
    for (int word = 0; word < counters.length; word++) {
      lost += Long.bitCount(counters[word] & LOWEST_BITS);
      counters[word] = (counters[word] >>> 1) & HALVES;
    }
    requests = (requests - lost / ROWS) / 2;
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
