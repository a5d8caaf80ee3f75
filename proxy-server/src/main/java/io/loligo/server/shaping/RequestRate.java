package io.loligo.server.shaping;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.message.Fields;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A {@code loligo_request_rate}: limits the requests of each address, network, user or value of a
 * field. Thread-safe: any thread.
 */
public final class RequestRate {
  /** Units that a request takes, so that one an hour is a whole number of units a second. */
  static final long UNITS = 3_600;

  static final int MOST_KEYS = 65_536;

  private static final int MOST_CHARS = 256;

  /** What requests have in common that share a bucket. */
  enum Kind {
    ADDRESS,
    NETWORK,
    USER,
    FIELD
  }

  /**
   * The key of a bucket.
   *
   * @param v4Bits of an address of IPv4 that count, for a network
   * @param v6Bits the same of IPv6
   * @param field the name of the field, or empty
   */
  record Key(Kind kind, int v4Bits, int v6Bits, String field) {}

  private final String name;
  private final AclList access;
  private final Key key;
  private final PoolCounts counts;
  private final BucketTable<Object> buckets;

  /**
   * A rate of which no bucket is used yet.
   *
   * @param rate in {@link #UNITS}
   */
  RequestRate(String name, Key key, Rate rate, AclList access) {
    this.name = name;
    this.key = key;
    this.access = access;
    counts = new PoolCounts("loligo_request_rate " + name);
    buckets = new BucketTable<>(rate, rate.most(), MOST_KEYS);
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** The requests that it limits. */
  public AclList access() {
    return access;
  }

  /** Its counts. */
  public PoolCounts counts() {
    return counts;
  }

  /** What its buckets hold, in requests. */
  public PoolLevels levels(long nowNanos) {
    return PoolLevels.none(counts.name()).withEach(buckets, UNITS, nowNanos);
  }

  /** The bucket of {@code request}; null: the request has no key, and so no limit. */
  public @Nullable Bucket of(AclInput request, long nowNanos) {
    Object value = valueOf(request);
    return value == null ? null : buckets.of(value, nowNanos);
  }

  private @Nullable Object valueOf(AclInput request) {
    byte[] address = request.clientAddress();
    return switch (key.kind) {
      case ADDRESS -> AddressKey.of(address);
      case NETWORK -> AddressKey.of(address, address.length == 4 ? key.v4Bits : key.v6Bits);
      case USER -> {
        String user = request.user();
        yield user == null ? null : user.toLowerCase(Locale.ROOT);
      }
      case FIELD -> {
        Fields fields = request.requestFields();
        String value = fields.joined(key.field);
        yield value == null || value.length() <= MOST_CHARS
            ? value
            : value.substring(0, MOST_CHARS);
      }
    };
  }

  /** Takes a request out of {@code bucket}, if there is one; counts it. */
  public boolean admits(Bucket bucket, long nowNanos) {
    boolean admitted = bucket.tryTake(UNITS, nowNanos);
    if (admitted) {
      counts.pass(1);
    } else {
      counts.waited();
    }
    return admitted;
  }

  /** Seconds until {@code bucket} has a request again, at least 1. */
  public static long retrySeconds(Bucket bucket, long nowNanos) {
    long nanos = bucket.nanosUntil(UNITS, nowNanos);
    return Math.max(1, nanos / Rate.NANOS_PER_SECOND + (nanos % Rate.NANOS_PER_SECOND > 0 ? 1 : 0));
  }
}
