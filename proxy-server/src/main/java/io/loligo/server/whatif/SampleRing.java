package io.loligo.server.whatif;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Sampled requests on their way from one event loop to the thread of the curves: each is a hash, a
 * number and a time. One thread adds, and one other thread takes; neither waits. A request that
 * finds the ring full is dropped and counted.
 */
final class SampleRing {
  /** Most requests in the ring, a power of two. */
  static final int CAPACITY = 2048;

  private static final int WORDS = 3;

  /** Bytes of a ring. */
  static final int BYTES = CAPACITY * WORDS * Long.BYTES;

  private final long[] words = new long[CAPACITY * WORDS];

  /** Requests ever added. */
  private final AtomicLong end = new AtomicLong();

  /** Requests ever taken. */
  private final AtomicLong begin = new AtomicLong();

  private final AtomicLong dropped = new AtomicLong();

  /** For the taker: {@link #end} when it last looked. */
  private long seenEnd;

  /** Adds a request, for the adder. */
  void add(long hash, long number, long millis) {
    long at = end.getPlain();
    if (at - begin.getAcquire() == CAPACITY) {
      dropped.setOpaque(dropped.getPlain() + 1);
      return;
    }
    int word = word(at);
    words[word] = hash;
    words[word + 1] = number;
    words[word + 2] = millis;
    end.setRelease(at + 1);
  }

  /** Number of requests dropped. Any thread. */
  long dropped() {
    return dropped.getOpaque();
  }

  /** Looks for requests; those that come later wait for the next look. For the taker. */
  void look() {
    seenEnd = end.getAcquire();
  }

  /** Whether a request that {@link #look} found is left. For the taker. */
  boolean hasNext() {
    return begin.getPlain() < seenEnd;
  }

  /** The hash of the next request. For the taker, as the rest. */
  long hash() {
    return words[word(begin.getPlain())];
  }

  /** Its number. */
  long number() {
    return words[word(begin.getPlain()) + 1];
  }

  /** Its time. */
  long millis() {
    return words[word(begin.getPlain()) + 2];
  }

  /** Takes it. */
  void next() {
    begin.setRelease(begin.getPlain() + 1);
  }

  private static int word(long at) {
    return ((int) at & (CAPACITY - 1)) * WORDS;
  }
}
