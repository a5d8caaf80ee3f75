package io.loligo.server.shaping;

import io.loligo.server.counts.Counts;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the buckets of one pool held when it was asked. Immutable.
 *
 * <p>It is computed from the buckets for a reader, so that requests do nothing for it. A bucket is
 * in use until it is full again: a full one is worth no more than a new one.
 */
public final class PoolLevels implements Counts<PoolLevel> {
  private final String name;
  private final Map<PoolLevel, Long> values = new EnumMap<>(PoolLevel.class);

  private PoolLevels(String name) {
    this.name = name;
  }

  /** Of a pool without buckets that streams share. */
  static PoolLevels none(String name) {
    return new PoolLevels(name);
  }

  /** The same with the one bucket of {@code all}; null: the pool has none. */
  PoolLevels withAll(@Nullable BucketTable<?> all, long nowNanos) {
    if (all != null) {
      long level = all.first();
      for (Bucket bucket : all.buckets()) {
        level = bucket.level(nowNanos);
      }
      values.put(PoolLevel.LEVEL, level);
      values.put(PoolLevel.MAXIMUM, all.rate().most());
    }
    return this;
  }

  /**
   * The same with the buckets of {@code each}; null: the pool has none of this kind.
   *
   * @param unit what one of the shown numbers is in the buckets
   */
  PoolLevels withEach(@Nullable BucketTable<?> each, long unit, long nowNanos) {
    if (each != null) {
      long used = 0;
      long lowest = Long.MAX_VALUE;
      for (Bucket bucket : each.buckets()) {
        if (!bucket.isFull(nowNanos)) {
          used++;
          lowest = Math.min(lowest, bucket.level(nowNanos));
        }
      }
      values.merge(PoolLevel.BUCKETS, used, Long::sum);
      if (used > 0) {
        values.merge(PoolLevel.LOWEST, Math.floorDiv(lowest, unit), Math::min);
      }
    }
    return this;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean has(PoolLevel count) {
    return values.containsKey(count);
  }

  @Override
  public long value(PoolLevel count) {
    return values.getOrDefault(count, 0L);
  }
}
