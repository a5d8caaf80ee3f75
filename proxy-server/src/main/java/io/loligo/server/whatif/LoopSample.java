package io.loligo.server.whatif;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.message.Method;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.HitClass;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The requests of one event loop that a cache can influence: all are counted, and those of the
 * sampled keys go into a {@link SampleRing}. The loop calls {@link #finished}, the thread of the
 * curves the rest. Nothing is allocated after construction.
 *
 * <p><b>Counted</b> are hits, misses, requests or responses that may not be stored, and failures of
 * origins, whatever their method: their number is the denominator of every hit ratio. Tunnels,
 * denials and the proxy's own answers are not: no size of the cache changes them.
 *
 * <p><b>Sampled</b> are hits and misses of storable responses. A request that misses because the
 * stored response may not be used (it has changed, the client demands a new one, another variant is
 * stored) misses in a cache of any size, but leaves its response there. A response without its
 * whole content (304, 206, to HEAD, aborted) does not tell its size: the stored one keeps its size.
 */
final class LoopSample implements ExchangeSink {
  /** Flag of a sampled number: the size of the response is the number of bytes sent. */
  static final int WHOLE = 1;

  /** A cache that has the response can answer with it; otherwise the request replaces it. */
  static final int USABLE = 1 << 1;

  /** A hit of the proxy. */
  static final int HELD = 1 << 2;

  /** A hit of its memory. */
  static final int IN_MEMORY = 1 << 3;

  /** Bits of a sampled number beside the bytes that were sent. */
  static final int FLAG_BITS = 4;

  private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

  /** A count that {@link #count} gives. */
  enum Count {
    REQUESTS,
    BYTES,
    MEMORY_HITS,
    MEMORY_HIT_BYTES,
    HITS,
    HIT_BYTES,
    /** Misses that a larger cache might have answered. */
    COLD_MISSES,
    COLD_MISS_BYTES
  }

  private final SampleRing ring = new SampleRing();
  private final long[] counts = new long[Count.values().length];
  private volatile long threshold = Long.MAX_VALUE;

  @Override
  public void finished(ExchangeRecord record) {
    if (!isCounted(record)) {
      return;
    }
    add(Count.REQUESTS, 1);
    add(Count.BYTES, record.clientBytesOut);
    boolean hit = record.tag.hit();
    boolean inMemory = hit && !record.fromDisk && record.hitClass != HitClass.DISK_HIT;
    if (hit) {
      add(Count.HITS, 1);
      add(Count.HIT_BYTES, record.clientBytesOut);
    }
    if (inMemory) {
      add(Count.MEMORY_HITS, 1);
      add(Count.MEMORY_HIT_BYTES, record.clientBytesOut);
    }
    boolean cold = !hit && !isKeyless(record) && isColdMiss(record);
    if (cold) {
      add(Count.COLD_MISSES, 1);
      add(Count.COLD_MISS_BYTES, record.clientBytesOut);
    }
    if (SizeTrial.position(record.keyHigh) < threshold) {
      sampled(record, hit, inMemory, cold);
    }
  }

  private static boolean isKeyless(ExchangeRecord record) {
    return (record.keyHigh | record.keyLow) == 0;
  }

  /** Whether the size of the cache may matter to the exchange. */
  private static boolean isCounted(ExchangeRecord record) {
    return switch (record.hitClass) {
      case TUNNEL, OWN_ANSWER -> false;
      default -> !isOfAnotherNode(record.hierarchy);
    };
  }

  /** Whether another node of the cluster has answered: it counts the exchange, and may store. */
  private static boolean isOfAnotherNode(HierarchyCode code) {
    return code == HierarchyCode.CLUSTER_OWNER || code == HierarchyCode.CLUSTER_SECOND;
  }

  private void sampled(ExchangeRecord record, boolean hit, boolean inMemory, boolean cold) {
    if (isKeyless(record) || !(record.hitClass.hit() || record.hitClass == HitClass.MISS)) {
      return;
    }
    int flags =
        (isWhole(record) ? WHOLE : 0)
            | (hit || cold ? USABLE : 0)
            | (hit ? HELD : 0)
            | (inMemory ? IN_MEMORY : 0);
    ring.add(record.keyHigh, record.clientBytesOut << FLAG_BITS | flags, record.endMillis);
  }

  private static boolean isWhole(ExchangeRecord record) {
    boolean head = record.request != null && record.request.methodId() == Method.HEAD;
    return !head && !record.aborted && hasWholeContent(record.status);
  }

  private static boolean hasWholeContent(int status) {
    return switch (status) {
      case 206, 304, 412, 416 -> false;
      default -> true;
    };
  }

  /** Whether nothing was stored, so that a larger cache might have had it. */
  private static boolean isColdMiss(ExchangeRecord record) {
    CacheDecision decision = record.decision;
    return record.hitClass == HitClass.MISS
        && (decision == null
            || decision.reason() == CacheReason.URI_MISS
            || decision.reason() == CacheReason.DISK_UNREADABLE);
  }

  private void add(Count count, long more) {
    int at = count.ordinal();
    COUNT.setOpaque(counts, at, counts[at] + more);
  }

  /** The number so far. Any thread. */
  long count(Count count) {
    return (long) COUNT.getOpaque(counts, count.ordinal());
  }

  /** Sampled requests, for one taker. */
  SampleRing ring() {
    return ring;
  }

  /** Keys whose position is below this are sampled from now on. Any thread. */
  void threshold(long newThreshold) {
    threshold = newThreshold;
  }
}
