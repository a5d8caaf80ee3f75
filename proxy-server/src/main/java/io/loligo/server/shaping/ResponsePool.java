package io.loligo.server.shaping;

import io.loligo.core.acl.AclList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@code response_delay_pool}: limits what is sent of each response, and of all of them.
 * Thread-safe: any thread.
 */
public final class ResponsePool {
  private static final Integer ALL = 0;

  private final AclList access;
  private final PoolCounts counts;
  private final @Nullable Rate individual;
  private final long first;
  private final @Nullable BucketTable<Integer> aggregate;

  /**
   * A pool of which no bucket is used yet.
   *
   * @param individual of each response; null: no limit
   * @param aggregate of all responses; null: no limit
   * @param initialPercent of the individual bucket that are in it at first
   */
  ResponsePool(
      String name,
      @Nullable Rate individual,
      @Nullable Rate aggregate,
      int initialPercent,
      AclList access) {
    this.access = access;
    this.individual = individual;
    counts = new PoolCounts("response_delay_pool " + name);
    first = individual == null ? 0 : BucketTable.part(individual.most(), initialPercent);
    this.aggregate = aggregate == null ? null : new BucketTable<>(aggregate, aggregate.most(), 1);
  }

  /** The responses that fall into it. */
  public AclList access() {
    return access;
  }

  /** Its counts. */
  public PoolCounts counts() {
    return counts;
  }

  /** What its bucket for all responses holds: those of each response come and go with it. */
  public PoolLevels levels(long nowNanos) {
    return PoolLevels.none(counts.name()).withAll(aggregate, nowNanos);
  }

  /** The buckets of a new response; null: no limit. */
  public @Nullable Allowance ofResponse(long nowNanos) {
    List<Bucket> buckets = new ArrayList<>(2);
    if (individual != null) {
      buckets.add(new Bucket(individual, first, nowNanos));
    }
    if (aggregate != null) {
      buckets.add(aggregate.of(ALL, nowNanos));
    }
    return buckets.isEmpty() ? null : Allowance.of(counts, buckets);
  }
}
