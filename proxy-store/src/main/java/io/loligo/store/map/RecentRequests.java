package io.loligo.store.map;

import io.loligo.store.stripes.Stripes;

/**
 * Slots of a {@link WeighedMap} that were requested and that the policy does not know of yet. Each
 * number of {@link Stripes} has its own. Threads that share a number may lose a request of the
 * other. Thread-safe: any thread.
 */
final class RecentRequests {
  /** Requests that wait for each number of threads at most. */
  static final int MOST = 32;

  /** Integers in two cache lines, as processors fetch lines in pairs. */
  private static final int PADDING = 32;

  private final Stripes stripes;
  private final int[][] slots;

  RecentRequests(Stripes stripes) {
    this.stripes = stripes;
    this.slots = new int[stripes.count()][1 + MOST + PADDING];
  }

  /** Those of the calling thread: their number, and behind it the slots. */
  int[] own() {
    return slots[stripes.own()];
  }

  /** Adds one to those of the calling thread; returns whether no other one fits. */
  static boolean add(int[] own, int slot) {
    int count = own[0] % MOST; // other threads may write it
    own[1 + count] = slot;
    own[0] = count + 1;
    return count + 1 == MOST;
  }
}
