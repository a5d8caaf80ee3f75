package io.loligo.server.origins;

import io.loligo.core.message.RequestTarget;
import io.loligo.server.traffic.KeyedHash;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The order of query parameters in recent requests of all event loops. It keeps two hashes for each
 * of {@value #SLOTS} sets of parameters; a new set takes the place of another with the same slot.
 * Thread-safe: any thread, without a lock.
 */
final class QueryOrders {
  static final int SLOTS = 2048;

  private static final int HALF = Integer.SIZE;
  private static final long SET_BITS = -1L << HALF;

  private final KeyedHash hash;

  /** The upper half of the hash of a set, and half of that of its order. */
  private final AtomicLongArray last = new AtomicLongArray(SLOTS);

  QueryOrders(KeyedHash hash) {
    this.hash = hash;
  }

  /**
   * Whether the last request with the path and the set of parameters of {@code target}, borrowed,
   * had them in another order. Remembers this one.
   */
  boolean isAnother(RequestTarget target) {
    byte[] bytes = target.pathBytes();
    int end = target.pathEnd();
    int query = find((byte) '?', bytes, target.pathStart(), end);
    if (find((byte) '&', bytes, query, end) == end) {
      return false; // one parameter, or none
    }
    long set =
        mixed(hash.of(target.host(), target.host().length(), target.port()))
            + 3 * mixed(hash.of(bytes, target.pathStart(), query));
    for (int from = query + 1; from <= end; ) {
      int to = find((byte) '&', bytes, from, end);
      set += mixed(hash.of(bytes, from, to));
      from = to + 1;
    }
    long now = (set & SET_BITS) | mixed(hash.of(bytes, query, end)) >>> HALF;
    long before = last.getAndSet((int) set & SLOTS - 1, now);
    return before != now && ((before ^ now) & SET_BITS) == 0;
  }

  private static int find(byte wanted, byte[] bytes, int from, int end) {
    int at = from;
    while (at < end && bytes[at] != wanted) {
      at++;
    }
    return at;
  }

  /** The keyed hash of a short text is linear: without this, sums of other parameters are equal. */
  private static long mixed(long hash) {
    long mixed = (hash ^ hash >>> 30) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
    return mixed ^ mixed >>> 31;
  }
}
