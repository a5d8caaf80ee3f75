package io.loligo.server.shaping;

import io.loligo.core.acl.AclList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One of {@code client_delay_pools}: limits what is sent to each client address. Thread-safe: any
 * thread.
 */
public final class ClientPool {
  static final int MOST_ADDRESSES = 65_536;

  private final AclList access;
  private final PoolCounts counts;
  private final @Nullable BucketTable<AddressKey> addresses;

  /**
   * A pool of which no bucket is used yet.
   *
   * @param rate of each address; null: no limit
   */
  ClientPool(int number, @Nullable Rate rate, int initialPercent, AclList access) {
    this.access = access;
    counts = new PoolCounts("client_delay_pools " + number);
    addresses =
        rate == null
            ? null
            : new BucketTable<>(
                rate, BucketTable.part(rate.most(), initialPercent), MOST_ADDRESSES);
  }

  /** The clients that fall into it. */
  public AclList access() {
    return access;
  }

  /** Its counts. */
  public PoolCounts counts() {
    return counts;
  }

  /** What its buckets hold. */
  public PoolLevels levels(long nowNanos) {
    return PoolLevels.none(counts.name()).withEach(addresses, 1, nowNanos);
  }

  /** The bucket of {@code client}, 4 or 16 bytes; null: no limit. */
  public @Nullable Allowance of(byte[] client, long nowNanos) {
    return addresses == null
        ? null
        : Allowance.of(counts, List.of(addresses.of(AddressKey.of(client), nowNanos)));
  }
}
