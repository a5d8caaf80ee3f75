package io.loligo.store.memory;

import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The references to an entry that many event loops serve at the same time: each loop counts in
 * cache lines of its own. A thread may give back a reference that another one took, so a part can
 * be negative. Only the sum counts. Thread-safe: any thread.
 *
 * <table>
 *   <caption>phases</caption>
 *   <tr><th>phase</th><th>parts</th><th>the entry's own count</th></tr>
 *   <tr><td>new</td><td>closed</td><td>all references</td></tr>
 *   <tr><td>open</td><td>open</td><td>{@link #BIAS} and the references outside the parts: it is
 *     never zero, so the entry lives</td></tr>
 *   <tr><td>closing</td><td>closed one after the other, their sum is added up</td>
 *     <td>the same, closed parts included</td></tr>
 *   <tr><td>closed</td><td>closed</td><td>all references again</td></tr>
 * </table>
 */
final class SpreadCount {
  /** More than the possible references to an entry. */
  static final int BIAS = 1 << 30;

  private static final int NEW = 0;
  private static final int OPEN = 1;
  private static final int CLOSING = 2;
  private static final int CLOSED = 3;

  /** Not a number of references. */
  private static final long SHUT = Long.MIN_VALUE;

  /** Numbers in two cache lines, as processors fetch lines in pairs. */
  private static final int LINES = 16;

  /** Next to the references of a part. */
  private static final int HITS = 1;

  private final Stripes stripes;
  private final AtomicLongArray parts;
  private final AtomicInteger phase = new AtomicInteger(NEW);
  private final ByteBuf first;
  private final ByteBuf @Nullable [] rest;
  private long hitsBefore; // maintenance thread

  /**
   * @param first the first block as a buffer whose references are the entry's
   * @param rest the further ones likewise; null: none in memory
   */
  SpreadCount(Stripes stripes, ByteBuf first, ByteBuf @Nullable [] rest) {
    this.stripes = stripes;
    this.first = first;
    this.rest = rest;
    parts = new AtomicLongArray((stripes.count() + 2) * LINES);
    for (int stripe = 0; stripe < stripes.count(); stripe++) {
      parts.set(part(stripe), SHUT);
    }
  }

  private static int part(int stripe) {
    return (stripe + 1) * LINES;
  }

  ByteBuf first() {
    return first;
  }

  ByteBuf @Nullable [] rest() {
    return rest;
  }

  /** Adds to the calling thread's part, unless that is closed; returns whether it did. */
  boolean add(int references) {
    return add(stripes.own(), references);
  }

  boolean add(int stripe, int references) {
    int part = part(stripe);
    long before = parts.get(part);
    while (before != SHUT) {
      if (parts.compareAndSet(part, before, before + references)) {
        return true;
      }
      before = parts.get(part);
    }
    return false;
  }

  /**
   * Counts a hit, approximately, unless the calling thread's part is closed; returns whether it
   * did.
   */
  boolean hit() {
    int part = part(stripes.own());
    if (parts.get(part) == SHUT) {
      return false;
    }
    parts.setOpaque(part + HITS, parts.getPlain(part + HITS) + 1);
    return true;
  }

  /** Hits counted here so far. */
  long hits() {
    long sum = 0;
    for (int stripe = 0; stripe < stripes.count(); stripe++) {
      sum += parts.getOpaque(part(stripe) + HITS);
    }
    return sum;
  }

  /** Hits since the last call. Maintenance thread. */
  long recentHits() {
    long now = hits();
    long recent = now - hitsBefore;
    hitsBefore = now;
    return recent;
  }

  /** Opens the parts, once the entry's count has the bias. Called once, by its maker. */
  void open() {
    for (int stripe = 0; stripe < stripes.count(); stripe++) {
      parts.set(part(stripe), 0);
    }
    phase.set(OPEN);
  }

  /** Whether the caller is the one to {@link #close} it. */
  boolean beginClosing() {
    return phase.compareAndSet(OPEN, CLOSING);
  }

  /** Closes the parts. Returns their sum, to be added to the entry's count, less the bias. */
  long close() {
    long sum = 0;
    for (int stripe = 0; stripe < stripes.count(); stripe++) {
      sum += parts.getAndSet(part(stripe), SHUT);
    }
    return sum;
  }

  /** The entry's count has all references again. */
  void closed() {
    phase.set(CLOSED);
  }

  boolean isOpen() {
    return phase.get() == OPEN;
  }

  boolean isClosed() {
    return phase.get() == CLOSED;
  }
}
