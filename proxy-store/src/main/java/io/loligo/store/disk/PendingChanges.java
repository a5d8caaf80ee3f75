package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Predicate;

/**
 * Pending removals and writes, by key. While one is pending, nothing is found under the key. A
 * removal cancels the writes that were announced before it. Thread-safe: any thread.
 */
final class PendingChanges {
  /** A power of two. */
  private static final int PLACES = 1 << 10;

  private final ConcurrentHashMap<Object, AtomicInteger> removals = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Object, Set<PendingWrite>> writes = new ConcurrentHashMap<>();

  private final AtomicInteger clearing = new AtomicInteger();

  /** Counts the ended {@link #removals} and {@link #writes}; keys in one place count together. */
  private final AtomicIntegerArray changes = new AtomicIntegerArray(PLACES);

  /** The same of {@link #clearing}. */
  private final AtomicInteger cleared = new AtomicInteger();

  /** Whether nothing is to be found under {@code key}. */
  boolean isHidden(Object key) {
    return isBeingRemoved(key) || isBeingReplaced(key);
  }

  /** False if only heads are being rewritten that may be found meanwhile. */
  private boolean isBeingReplaced(Object key) {
    Set<PendingWrite> pending = writes.get(key);
    if (pending == null) {
      return false;
    }
    for (PendingWrite one : pending) {
      if (one.hides()) {
        return true;
      }
    }
    return false;
  }

  /** Whether anything under {@code key} but a part is being removed or written. */
  boolean isChanging(Object key) {
    if (isBeingRemoved(key)) {
      return true;
    }
    for (PendingWrite one : writes.getOrDefault(key, Set.of())) {
      if (!one.isPart()) {
        return true;
      }
    }
    return false;
  }

  boolean isBeingRemoved(Object key) {
    return clearing.get() > 0 || removals.containsKey(key);
  }

  /** Whether {@code key} is {@linkplain #hide hidden} once, and nothing else removes it. */
  boolean isRemovedOnce(CacheKey key) {
    AtomicInteger removing = removals.get(key);
    return clearing.get() == 0 && removing != null && removing.get() <= 1;
  }

  /** Nothing is found under {@code key}, nor written late, until {@link #reveal}. */
  void hide(CacheKey key) {
    removals.compute(
        key,
        (ignored, count) -> {
          AtomicInteger now = count == null ? new AtomicInteger() : count;
          now.incrementAndGet();
          return now;
        });
  }

  /** Ends one {@link #hide}. */
  void reveal(CacheKey key) {
    changed(key);
    removals.computeIfPresent(key, (ignored, now) -> now.decrementAndGet() == 0 ? null : now);
  }

  /**
   * Hides everything until {@link #revealAll} has been {@linkplain #revealAll called} so many
   * times.
   */
  void hideAll(int times) {
    clearing.addAndGet(times);
  }

  /** Ends one {@link #hideAll}. */
  void revealAll() {
    cleared.incrementAndGet();
    clearing.decrementAndGet();
  }

  private void changed(CacheKey key) {
    changes.incrementAndGet(place(key));
  }

  private static int place(CacheKey key) {
    int hash = key.hashCode();
    return (hash ^ (hash >>> 16)) & (PLACES - 1);
  }

  /** A number that changes whenever a change under {@code key} ends; see {@link #isAsOf}. */
  long asOf(CacheKey key) {
    return ((long) cleared.get() << Integer.SIZE) | (changes.get(place(key)) & 0xffff_ffffL);
  }

  /**
   * Whether nothing under {@code key} was removed or written since {@link #asOf} gave {@code
   * number}, and nothing is about to be. Changes of other keys may make it false, because keys
   * share counters.
   */
  boolean isAsOf(CacheKey key, long number) {
    // in this order: a change that ends in between has been counted before it ended
    return !isChanging(key) && asOf(key) == number;
  }

  // Writes

  /** Announces {@code write}: from now on, a removal of its key cancels it. */
  void add(PendingWrite write) {
    writes.compute(
        write.key(),
        (ignored, others) -> {
          Set<PendingWrite> now = others == null ? ConcurrentHashMap.newKeySet() : others;
          now.add(write);
          return now;
        });
  }

  /** Begins {@code write}, which a directory takes, and cancels the writes that it replaces. */
  void begin(PendingWrite write) {
    write.begin();
    for (PendingWrite other : writes.getOrDefault(write.key(), Set.of())) {
      if (other.isReplacedBy(write)) {
        other.cancel();
      }
    }
  }

  /** Forgets {@code write}, which has ended. */
  void ended(PendingWrite write) {
    changed(write.key());
    writes.computeIfPresent(
        write.key(), (ignored, all) -> all.remove(write) && all.isEmpty() ? null : all);
  }

  /** Cancels pending writes under {@code key}. */
  void cancel(Object key) {
    for (PendingWrite write : writes.getOrDefault(key, Set.of())) {
      write.cancel();
    }
  }

  /** The same under all such keys. */
  void cancelIf(Predicate<CacheKey> which) {
    for (Object key : writes.keySet()) {
      if (key instanceof CacheKey known && which.test(known)) {
        cancel(known);
      }
    }
  }

  /** The same under all keys. */
  void cancelAll() {
    writes.keySet().forEach(this::cancel);
  }
}
