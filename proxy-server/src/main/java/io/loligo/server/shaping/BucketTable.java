package io.loligo.server.shaping;

import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one kind in a pool, one for each key, and at most a given number: clients choose
 * their addresses and names. Thread-safe: any thread.
 *
 * <p>If there is no room, a full bucket gives way: a new one would be worth as much to its owner.
 * If the looked-at buckets are all in use, the fullest of them gives way, and the new bucket begins
 * empty. So nobody gains a fresh bucket by pushing out others, or his own.
 *
 * @param <K> with {@code equals} and {@code hashCode}
 */
final class BucketTable<K> {
  /** Buckets looked at when one has to give way. */
  private static final int LOOKED_AT = 16;

  private final Rate rate;
  private final long first;
  private final int most;
  private final Maker maker;
  private final ConcurrentHashMap<K, Bucket> buckets = new ConcurrentHashMap<>();

  /** Continues each search behind the last one. Guarded by {@code this}. */
  private @Nullable Iterator<Map.Entry<K, Bucket>> next;

  /** Makes a bucket, as {@link Bucket}'s constructor does. */
  interface Maker {
    Bucket make(Rate rate, long level, long nowNanos);
  }

  /**
   * No buckets.
   *
   * @param first units in a new bucket
   * @param most buckets
   */
  BucketTable(Rate rate, long first, int most) {
    this(rate, first, most, Bucket::new);
  }

  /** The same with buckets of another kind. */
  BucketTable(Rate rate, long first, int most, Maker maker) {
    this.maker = maker;
    this.rate = rate;
    this.first = first;
    this.most = most;
  }

  /** {@code percent} of {@code units}. */
  static long part(long units, int percent) {
    return units / 100 * percent + units % 100 * percent / 100;
  }

  /** The bucket of {@code key}. */
  Bucket of(K key, long nowNanos) {
    Bucket found = buckets.get(key);
    if (found != null) {
      return found;
    }
    boolean fair = buckets.size() < most || makeRoom(nowNanos);
    return buckets.computeIfAbsent(
        key, unknown -> maker.make(rate, fair ? first : Math.min(first, 0), nowNanos));
  }

  /** The bucket of {@code key}; null: there is none. */
  @Nullable Bucket known(K key) {
    return buckets.get(key);
  }

  /** The bucket of {@code key}; null: there is none, and no room for it. */
  @Nullable Bucket ifRoom(K key, long nowNanos) {
    Bucket found = buckets.get(key);
    return found != null || buckets.size() >= most ? found : of(key, nowNanos);
  }

  /** Gives {@code each} its buckets with their keys. */
  void forEach(BiConsumer<K, Bucket> each) {
    buckets.forEach(each);
  }

  /** Removes a bucket; returns whether its owner loses nothing. */
  private synchronized boolean makeRoom(long nowNanos) {
    Map.Entry<K, Bucket> fullest = null;
    for (int i = 0; i < LOOKED_AT; i++) {
      if (next == null || !next.hasNext()) {
        next = buckets.entrySet().iterator();
      }
      if (!next.hasNext()) {
        return true;
      }
      Map.Entry<K, Bucket> one = next.next();
      if (one.getValue().isFull(nowNanos)) {
        buckets.remove(one.getKey(), one.getValue());
        return true;
      }
      if (fullest == null || one.getValue().level(nowNanos) > fullest.getValue().level(nowNanos)) {
        fullest = one;
      }
    }
    if (fullest != null) {
      buckets.remove(fullest.getKey(), fullest.getValue());
    }
    return false;
  }

  /** Its buckets: a view. */
  Collection<Bucket> buckets() {
    return buckets.values();
  }

  /** How its buckets fill. */
  Rate rate() {
    return rate;
  }

  /** Units in a new bucket. */
  long first() {
    return first;
  }
}
