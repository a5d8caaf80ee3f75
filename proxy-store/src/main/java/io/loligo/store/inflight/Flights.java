package io.loligo.store.inflight;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.Reservation;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

/**
 * All fetches under way, by key. At most one of a key is joinable by one and the same request, so
 * that there may be one for each variant; the others are known so that an invalidation reaches
 * them. Thread-safe: any thread.
 */
public final class Flights {
  /**
   * Octets set aside for each fetch from its begin: one small read that nobody takes. So it goes
   * on, if slowly, whatever others hold, and thousands may wait for slow origins.
   */
  public static final int FLOOR_BYTES = 8 << 10;

  /** Fetches of one key. Immutable. */
  private record Link(InFlight flight, Link next) {
    static Link without(Link links, InFlight gone) {
      if (links == null) {
        return null;
      }
      return links.flight == gone ? links.next : new Link(links.flight, without(links.next, gone));
    }

    static InFlight joinable(Link links, Fields request) {
      for (Link link = links; link != null; link = link.next) {
        if (link.flight.joinableBy(request)) {
          return link.flight;
        }
      }
      return null;
    }

    /** What {@code request} selects, where another fetch of the key has told by what; or null. */
    static VarySelection learned(Link links, Fields request) {
      for (Link link = links; link != null; link = link.next) {
        VarySelection known = link.flight.selection();
        if (known != null) {
          return known.by(request);
        }
      }
      return null;
    }

    static int size(Link links) {
      int size = 0;
      for (Link link = links; link != null; link = link.next) {
        size++;
      }
      return size;
    }
  }

  private final ConcurrentHashMap<Object, Link> links = new ConcurrentHashMap<>();
  private final ByteBufAllocator allocator;
  private final MemoryLedger transit;
  private final long maxKeptBytes;
  private final long readAheadGapBytes;
  private volatile CountDownLatch landed;

  /**
   * No fetch yet.
   *
   * @param transit what fetches hold is entered here
   * @param maxKeptBytes content of more octets is not kept for the store
   * @param readAheadGapBytes {@code read_ahead_gap}
   */
  public Flights(
      ByteBufAllocator allocator, MemoryLedger transit, long maxKeptBytes, long readAheadGapBytes) {
    this.allocator = allocator;
    this.transit = transit;
    this.maxKeptBytes = maxKeptBytes;
    this.readAheadGapBytes = readAheadGapBytes;
  }

  /** The fetch of {@code key} that {@code request} may join, or null. No allocation. */
  public InFlight find(KeyProbe key, Fields request) {
    return Link.joinable(links.get(key), request);
  }

  /**
   * Begins a fetch, or null where the in-transit budget has no room for one more.
   *
   * @param joinable whether it may be found, if no other one can
   */
  public InFlight begin(
      CacheKey key, boolean joinable, EventExecutor loop, InFlight.Writer writer, Landing landing) {
    InFlight mine = open(key, joinable, loop, writer, landing);
    if (mine != null) {
      links.compute(
          key,
          (ignored, others) -> {
            if (joinable && Link.joinable(others, null) != null) {
              mine.notJoinable();
            }
            return new Link(mine, others);
          });
    }
    return mine;
  }

  /**
   * The fetch that {@code request} may join, or a joinable one of one's own, in one step; null
   * where the in-transit budget has no room for one more.
   *
   * @param expected the variant that one's own brings; null: what others tell of it, if anything
   */
  public InFlight joinOrBegin(
      CacheKey key,
      Fields request,
      VarySelection expected,
      EventExecutor loop,
      InFlight.Writer writer,
      Landing landing) {
    InFlight there = Link.joinable(links.get(key), request);
    if (there != null) {
      return there;
    }
    InFlight mine = open(key, true, loop, writer, landing);
    InFlight[] found = new InFlight[1];
    links.compute(
        key,
        (ignored, others) -> {
          found[0] = Link.joinable(others, request);
          if (mine == null || found[0] != null) {
            return others;
          }
          mine.expect(expected != null ? expected : Link.learned(others, request));
          return new Link(mine, others);
        });
    if (found[0] == null) {
      return mine;
    }
    if (mine != null) {
      mine.abandon();
    }
    return found[0];
  }

  private InFlight open(
      CacheKey key, boolean joinable, EventExecutor loop, InFlight.Writer writer, Landing landing) {
    Reservation reservation = Reservation.open(transit, FLOOR_BYTES);
    return reservation == null
        ? null
        : new InFlight(
            key,
            joinable,
            loop,
            writer,
            this,
            landing,
            new ContentLog(allocator, reservation),
            maxKeptBytes,
            readAheadGapBytes);
  }

  /** {@code flight} is not found any more. */
  void forget(InFlight flight) {
    links.computeIfPresent(flight.key(), (ignored, others) -> Link.without(others, flight));
    tellIfLanded(landed);
  }

  /** Counted down when no fetch is under way; to be asked when nothing is begun any more. */
  public CountDownLatch landed() {
    CountDownLatch mine = new CountDownLatch(1);
    // first let it be found, then look: the last fetch may be leaving
    landed = mine;
    tellIfLanded(mine);
    return mine;
  }

  private void tellIfLanded(CountDownLatch waiting) {
    if (waiting != null && links.isEmpty()) {
      waiting.countDown();
    }
  }

  /** What is under way for {@code key} will not be stored, and is not found any more. */
  public void invalidate(CacheKey key) {
    invalidate(key, null);
  }

  /** The same, but for {@code except}. */
  public void invalidate(CacheKey key, InFlight except) {
    for (Link link = links.get(key); link != null; link = link.next()) {
      if (link.flight() != except) {
        link.flight().doNotStore();
        link.flight().notJoinable();
      }
    }
  }

  /** The same for all keys that {@code which} says so of. */
  public void invalidateIf(Predicate<CacheKey> which) {
    for (Object key : links.keySet()) {
      if (which.test((CacheKey) key)) {
        invalidate((CacheKey) key);
      }
    }
  }

  /** What is under way for such keys is not found any more: what comes now fetches on its own. */
  public void separateIf(Predicate<CacheKey> which) {
    for (Link head : links.values()) {
      for (Link link = head; link != null; link = link.next()) {
        if (which.test(link.flight().key())) {
          link.flight().notJoinable();
        }
      }
    }
  }

  /** What is under way will not be stored, and is not found any more. */
  public void invalidateAll() {
    for (Object key : links.keySet()) {
      invalidate((CacheKey) key);
    }
  }

  /** Ends all. */
  public void close() {
    for (Link head : links.values()) {
      for (Link link = head; link != null; link = link.next()) {
        link.flight().close();
      }
    }
  }

  /** Fetches under way. Walks all: for metrics. */
  public long size() {
    long size = 0;
    for (Link head : links.values()) {
      size += Link.size(head);
    }
    return size;
  }
}
