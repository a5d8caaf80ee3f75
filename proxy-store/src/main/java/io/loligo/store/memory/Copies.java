package io.loligo.store.memory;

import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The copies of other nodes' responses in the memory tier: {@link
 * io.loligo.core.caching.StoredMeta#COPY}. All together take at most {@value #PERCENT} percent of
 * its memory; a copy beyond is not stored. When little of that is left, the oldest ones go, if they
 * are fresh no longer: with more hot keys than there is room for, a copy in use displaced by
 * another would answer hardly anybody. A copy goes after {@link #KEPT_SECONDS} in any case, long
 * after it was fresh: it may answer where nothing else can. Thread-safe: any thread; they go on the
 * maintenance thread.
 *
 * <p>A copy counts from its {@linkplain #reserve reservation} until the map tells that it has left,
 * which may be a little later. So the bytes are never more than counted.
 */
final class Copies {
  static final int PERCENT = 15;

  /** No copy is fresh for longer. */
  static final int FRESH_SECONDS = 10;

  /** A node that fails is out of routing long before. */
  static final int KEPT_SECONDS = 60;

  /** This part of the bytes is made free, so that the next copies find room at once. */
  private static final int FREE_DIVISOR = 8;

  private final LongSupplier memoryBytes;
  private final Predicate<Entry> isStored;
  private final Consumer<Entry> drop;
  private final Executor maintenance;
  private final AtomicLong bytes = new AtomicLong();
  private final LongAdder count = new LongAdder();
  private final AtomicBoolean relieving = new AtomicBoolean();

  /** In the order of their arrival; some have left the map since. */
  private final Queue<Arrived> arrived = new ConcurrentLinkedQueue<>();

  private final AtomicLong queued = new AtomicLong();

  /** Seconds so far. */
  private final AtomicLong ticks = new AtomicLong();

  private record Arrived(Entry entry, long tick) {}

  /**
   * Without copies.
   *
   * @param memoryBytes limit of the tier
   * @param isStored whether the map has an entry, which may be released
   * @param drop removes an entry, borrowed, from the map
   * @param maintenance runs one task at a time
   */
  Copies(
      LongSupplier memoryBytes,
      Predicate<Entry> isStored,
      Consumer<Entry> drop,
      Executor maintenance) {
    this.memoryBytes = memoryBytes;
    this.isStored = isStored;
    this.drop = drop;
    this.maintenance = maintenance;
  }

  /** Direct memory that all of them may take. */
  long limitBytes() {
    return memoryBytes.getAsLong() / 100 * PERCENT;
  }

  /** Direct memory of them. */
  long bytes() {
    return bytes.get();
  }

  /** Their number. */
  long count() {
    return Math.max(0, count.sum());
  }

  /** Whether there is room for a copy of {@code more} bytes, as things are now. */
  boolean hasRoom(long more) {
    return more <= limitBytes() - bytes.get();
  }

  /** Reserves {@code more} bytes for a copy; false: there is no room. */
  boolean reserve(long more) {
    long limit = limitBytes();
    long before = bytes.get();
    while (more <= limit - before) {
      if (bytes.compareAndSet(before, before + more)) {
        return true;
      }
      before = bytes.get();
    }
    relieveIfNeeded();
    return false;
  }

  /** The copy for which {@code reserved} bytes were reserved is in the map, or is not stored. */
  void settled(long reserved) {
    bytes.addAndGet(-reserved);
    relieveIfNeeded();
  }

  /** {@code entry}, borrowed, is a new copy in the map. */
  void arrived(Entry entry) {
    arrived.add(new Arrived(entry, ticks.get()));
    queued.incrementAndGet();
  }

  /** The map holds {@code entry}, borrowed, once more. */
  void mapped(Entry entry) {
    bytes.addAndGet(entry.bytes());
    count.increment();
  }

  /** The map holds {@code entry}, borrowed, once less. */
  void unmapped(Entry entry) {
    bytes.addAndGet(-entry.bytes());
    count.decrement();
  }

  /** Forgets those that have left, drops old ones and makes room. Call every second. */
  void tick() {
    ticks.incrementAndGet();
    if (queued.get() > 2 * count() + 64) {
      for (Iterator<Arrived> all = arrived.iterator(); all.hasNext(); ) {
        if (!isStored.test(all.next().entry)) {
          all.remove();
          queued.decrementAndGet();
        }
      }
    }
    relieveIfNeeded();
  }

  /** Whether the oldest one goes, if all take {@code used} bytes. */
  private boolean isDue(long used) {
    Arrived oldest = arrived.peek();
    if (oldest == null) {
      return false;
    }
    long limit = limitBytes();
    long seconds = ticks.get() - oldest.tick;
    return used > limit // which has become smaller
        || seconds > KEPT_SECONDS
        || (seconds > FRESH_SECONDS && used > limit - limit / FREE_DIVISOR);
  }

  private void relieveIfNeeded() {
    if (isDue(bytes.get()) && !relieving.get() && relieving.compareAndSet(false, true)) {
      try {
        maintenance.execute(this::relieve);
      } catch (RejectedExecutionException closing) {
        relieving.set(false);
      }
    }
  }

  /** Maintenance thread. */
  private void relieve() {
    long used = bytes.get(); // the map tells later of those that it drops here
    while (isDue(used)) {
      Arrived next = arrived.poll();
      if (next == null) {
        break;
      }
      queued.decrementAndGet();
      Entry oldest = next.entry;
      if (oldest.tryRetain()) {
        if (isStored.test(oldest)) {
          used -= oldest.bytes();
          drop.accept(oldest);
        }
        oldest.release();
      }
    }
    relieving.set(false); // after the map was told to tell of them: they are counted until then
  }
}
