package io.loligo.server.shaping;

import io.loligo.core.acl.AclList;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One of {@code delay_pools}: limits what is read from servers for some requests. Thread-safe: any
 * thread.
 *
 * <p>The classes 1 to 4 have a bucket for all, and from class 2 on further buckets by parts of the
 * client's IPv4 address, as in Squid: a client of IPv6 has only the bucket for all. Class 4 also
 * has one for each user, and class 5 has one for each tag and nothing else.
 */
public final class DelayPool {
  /** The most buckets of users, and of tags. */
  static final int MOST_NAMES = 65_536;

  private static final int MOST_OCTETS = 256;
  private static final int MOST_HOSTS = 65_536;
  private static final Integer ALL = 0;

  private final AclList access;
  private final PoolCounts counts;
  private final @Nullable BucketTable<Integer> aggregate;
  private final @Nullable BucketTable<Integer> networks;
  private final @Nullable BucketTable<Integer> hosts;
  private final @Nullable BucketTable<String> users;
  private final @Nullable BucketTable<String> tags;
  private final boolean wide;

  /**
   * A pool of which no bucket is used yet.
   *
   * @param kind its class, 1 to 5
   * @param rates of its buckets, in the order of {@code delay_parameters}; null: no limit
   * @param initialPercent of a bucket that are in it at first
   * @param access which requests fall into it
   */
  DelayPool(int number, int kind, List<@Nullable Rate> rates, int initialPercent, AclList access) {
    this.access = access;
    counts = new PoolCounts("delay_pools " + number);
    wide = kind >= 3;
    aggregate = kind == 5 ? null : table(rates.get(0), initialPercent, 1);
    networks = wide && kind != 5 ? table(rates.get(1), initialPercent, MOST_OCTETS) : null;
    hosts =
        kind == 2
            ? table(rates.get(1), initialPercent, MOST_OCTETS)
            : kind == 3 || kind == 4 ? table(rates.get(2), initialPercent, MOST_HOSTS) : null;
    users = kind == 4 ? table(rates.get(3), initialPercent, MOST_NAMES) : null;
    tags = kind == 5 ? table(rates.get(0), initialPercent, MOST_NAMES) : null;
  }

  private static <K> @Nullable BucketTable<K> table(@Nullable Rate rate, int percent, int most) {
    return rate == null
        ? null
        : new BucketTable<>(rate, BucketTable.part(rate.most(), percent), most);
  }

  /** The requests that fall into it. */
  public AclList access() {
    return access;
  }

  /** Its counts. */
  public PoolCounts counts() {
    return counts;
  }

  /** What its buckets hold. */
  public PoolLevels levels(long nowNanos) {
    return PoolLevels.none(counts.name())
        .withAll(aggregate, nowNanos)
        .withEach(networks, 1, nowNanos)
        .withEach(hosts, 1, nowNanos)
        .withEach(users, 1, nowNanos)
        .withEach(tags, 1, nowNanos);
  }

  /**
   * The buckets of a request; null: none applies to it.
   *
   * @param client 4 or 16 bytes
   * @param user null: unknown
   * @param tag null: no helper gave one
   */
  public @Nullable Allowance of(
      byte[] client, @Nullable String user, @Nullable String tag, long nowNanos) {
    List<Bucket> buckets = new ArrayList<>(4);
    add(buckets, aggregate, ALL, nowNanos);
    if (client.length == 4) {
      int network = client[2] & 0xff;
      int host = client[3] & 0xff;
      add(buckets, networks, network, nowNanos);
      add(buckets, hosts, wide ? network << 8 | host : host, nowNanos);
    }
    add(buckets, users, folded(user), nowNanos);
    add(buckets, tags, folded(tag), nowNanos);
    return buckets.isEmpty() ? null : Allowance.of(counts, buckets);
  }

  private static @Nullable String folded(@Nullable String name) {
    return name == null || name.isEmpty() ? null : name.toLowerCase(Locale.ROOT);
  }

  private static <K> void add(
      List<Bucket> buckets, @Nullable BucketTable<K> table, @Nullable K key, long nowNanos) {
    if (table != null && key != null) {
      buckets.add(table.of(key, nowNanos));
    }
  }
}
