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

  /** A node that was late tells of so many seconds at once: more is not believed. */
  private static final int LATE_SECONDS = 3;

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

  /** Null: each node limits its own requests. */
  private final @Nullable SharedNames shared;

  /**
   * A rate of which no bucket is used yet.
   *
   * @param rate in {@link #UNITS}
   * @param ofNode whether it limits the requests of this node alone, not those of its cluster
   */
  RequestRate(String name, Key key, Rate rate, boolean ofNode, AclList access) {
    this.name = name;
    this.key = key;
    this.access = access;
    counts = new PoolCounts("loligo_request_rate " + name);
    shared = ofNode ? null : new SharedNames(name, key);
    buckets =
        new BucketTable<>(rate, rate.most(), MOST_KEYS, ofNode ? Bucket::new : SharedBucket::new);
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
    if (value == null) {
      return null;
    }
    Object name = shared == null ? value : Long.valueOf(shared.of(value));
    return buckets.of(name, nowNanos);
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
      if (bucket instanceof SharedBucket one) {
        one.passed();
      }
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

  // ---- with the other nodes of a cluster

  /** Whether the requests of all nodes of a cluster count. */
  public boolean isShared() {
    return shared != null;
  }

  /** The same on all nodes that have a shared rate of this name and key. */
  public long sharedId() {
    return names().id();
  }

  /** Takes the requests of a name. */
  public interface NameCounts {
    /** {@code count}, from 1, requests of {@code name}, a hash that is the same on all nodes. */
    void add(long name, int count);
  }

  /** Gives {@code each} the requests that passed here since the other nodes were told. */
  public void untold(NameCounts each) {
    buckets.forEach(
        (name, bucket) -> {
          int untold = ((SharedBucket) bucket).untold();
          if (untold > 0) {
            each.add((Long) name, untold);
          }
        });
  }

  /** The other nodes were told of {@code count} requests. */
  public void told(long name, int count) {
    if (buckets.known(name) instanceof SharedBucket bucket) {
      bucket.told(count);
    }
  }

  /**
   * {@code count} requests passed at another node. They are taken from the bucket, down to a debt
   * of the requests that all other nodes can let pass before they know of each other. A name
   * without a bucket gets one, but pushes out no other.
   *
   * @param nodes members of the cluster
   */
  public void passedElsewhere(long name, int count, int nodes, long nowNanos) {
    Bucket bucket = buckets.ifRoom(name, nowNanos);
    if (bucket != null) {
      Rate rate = buckets.rate();
      long atOnce = rate.most() + LATE_SECONDS * rate.perSecond();
      long lowest = (1 - nodes) * (rate.most() + rate.perSecond());
      bucket.takeDownTo(lowest, Math.min(count * UNITS, atOnce), nowNanos);
    }
  }

  private SharedNames names() {
    if (shared == null) {
      throw new IllegalStateException(name + " is of this node alone");
    }
    return shared;
  }
}
