package io.loligo.server.shaping;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The buckets that the bytes of one stream are taken from, and the pools that count them.
 * Immutable, except for its buckets; any thread.
 */
public final class Allowance {
  private static final int MOST_AT_ONCE = 16_384;

  /** The part of a second whose bytes pass at once when a bucket is empty. */
  private static final int PART_OF_SECOND = 8;

  private final Bucket[] buckets;
  private final List<PoolCounts> pools;
  private final int step;

  private Allowance(Bucket[] buckets, List<PoolCounts> pools) {
    this.buckets = buckets;
    this.pools = pools;
    long slowest = MOST_AT_ONCE * (long) PART_OF_SECOND;
    for (Bucket bucket : buckets) {
      slowest = Math.min(slowest, bucket.rate().perSecond());
    }
    step = (int) Math.max(1, slowest / PART_OF_SECOND);
  }

  /** The right to bytes that are in all of {@code buckets}, which are of {@code pool}. */
  public static Allowance of(PoolCounts pool, List<Bucket> buckets) {
    return new Allowance(buckets.toArray(new Bucket[0]), List.of(pool));
  }

  /** The right to bytes that both allow; null for twice null: no limit. */
  public static @Nullable Allowance both(@Nullable Allowance one, @Nullable Allowance other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return new Allowance(
        Stream.concat(Arrays.stream(one.buckets), Arrays.stream(other.buckets))
            .toArray(Bucket[]::new),
        Stream.concat(one.pools.stream(), other.pools.stream()).toList());
  }

  /** Bytes in the emptiest of its buckets. */
  public long level(long nowNanos) {
    long least = Long.MAX_VALUE;
    for (Bucket bucket : buckets) {
      least = Math.min(least, bucket.level(nowNanos));
    }
    return least;
  }

  /**
   * Takes bytes from all buckets: {@code wanted} if they are there, else the bytes that are there,
   * else a few that are not. Returns their number, at least 1. They may pass in {@link #nanosLeft}.
   */
  int reserve(long wanted, long nowNanos) {
    long bytes = Math.min(Math.min(wanted, Integer.MAX_VALUE), Math.max(step, level(nowNanos)));
    for (Bucket bucket : buckets) {
      bucket.take(bytes);
    }
    return (int) bytes;
  }

  /** Nanoseconds until no bucket has a debt any more; {@link Long#MAX_VALUE}: never. */
  long nanosLeft(long nowNanos) {
    long longest = 0;
    for (Bucket bucket : buckets) {
      longest = Math.max(longest, bucket.nanosUntil(0, nowNanos));
    }
    return longest;
  }

  /** Gives back bytes that {@link #reserve} took, and that do not pass. */
  void giveBack(long bytes) {
    for (Bucket bucket : buckets) {
      bucket.giveBack(bytes);
    }
  }

  /** {@code bytes} passed that were not reserved, such as a head: what follows waits longer. */
  public void charge(long bytes) {
    for (Bucket bucket : buckets) {
      bucket.take(bytes);
    }
    passed(bytes);
  }

  void passed(long bytes) {
    for (int i = 0; i < pools.size(); i++) {
      pools.get(i).pass(bytes);
    }
  }

  void waiting(int change) {
    for (int i = 0; i < pools.size(); i++) {
      pools.get(i).waiting(change);
    }
  }

  void waited() {
    for (int i = 0; i < pools.size(); i++) {
      pools.get(i).waited();
    }
  }
}
