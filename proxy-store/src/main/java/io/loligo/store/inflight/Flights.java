package io.loligo.store.inflight;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.Reservation;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All fetches in flight, by key. A request begins a joinable one only if it may join none, so there
 * is one per variant; the others are registered so that an invalidation reaches them. {@linkplain
 * InFlight.Writer#mayJoin A writer} may exclude others, and then there are two. Thread-safe: any
 * thread.
 */
public final class Flights {
  /**
   * Bytes reserved for each fetch from its beginning: one small read that no reader takes. So each
   * fetch progresses, perhaps slowly, whatever others hold, and thousands may wait for slow
   * origins.
   */
  public static final int FLOOR_BYTES = 8 << 10;

  /**
   * Up to this many fetches of one key, {@value}, are linked. With more, those that cannot be
   * joined are in a set: beginning and ending one takes the same time, however many there are.
   */
  static final int MAX_LINKED = 8;

  /**
   * Fetches of one key, at least one. Immutable except for the set.
   *
   * @param links may be null
   * @param crowd fetches that were begun for one request alone, or null; changed only within a
   *     {@code compute} of the key
   */
  private record Group(@Nullable Link links, @Nullable Set<InFlight> crowd) {
    static @Nullable Link linksOf(@Nullable Group group) {
      return group == null ? null : group.links;
    }

    static Group with(Group group, InFlight flight, boolean joinable) {
      Link links = linksOf(group);
      Set<InFlight> crowd = group == null ? null : group.crowd;
      if (joinable || !Link.isLongerThan(links, MAX_LINKED - 1)) {
        return new Group(new Link(flight, links), crowd);
      }
      if (crowd != null) {
        crowd.add(flight);
        return group;
      }
      Set<InFlight> first = ConcurrentHashMap.newKeySet();
      first.add(flight);
      return new Group(links, first);
    }

    /** Null if there is no other. */
    @Nullable Group without(InFlight gone) {
      if (crowd != null && crowd.remove(gone)) {
        if (!crowd.isEmpty()) {
          return this;
        }
        return links == null ? null : new Group(links, null);
      }
      Link others = Link.without(links, gone);
      return others == null && crowd == null ? null : new Group(others, crowd);
    }

    void forEach(Consumer<InFlight> action) {
      for (Link link = links; link != null; link = link.next) {
        action.accept(link.flight);
      }
      if (crowd != null) {
        crowd.forEach(action);
      }
    }

    int size() {
      return Link.size(links) + (crowd == null ? 0 : crowd.size());
    }
  }

  /** Fetches, the latest first. Immutable. */
  private record Link(InFlight flight, @Nullable Link next) {
    static @Nullable Link without(@Nullable Link links, InFlight gone) {
      Link before = null; // the opposite order
      for (Link link = links; link != null; link = link.next) {
        if (link.flight == gone) {
          Link rest = link.next;
          for (; before != null; before = before.next) {
            rest = new Link(before.flight, rest);
          }
          return rest;
        }
        before = new Link(link.flight, before);
      }
      return links;
    }

    static boolean isLongerThan(@Nullable Link links, int count) {
      int left = count;
      for (Link link = links; link != null; link = link.next) {
        if (left-- == 0) {
          return true;
        }
      }
      return false;
    }

    static @Nullable InFlight joinable(@Nullable Link links, @Nullable Fields request) {
      return joinable(links, request, null);
    }

    /** The same for the request of {@code writer}; null: unknown. */
    static @Nullable InFlight joinable(
        @Nullable Link links, @Nullable Fields request, InFlight.@Nullable Writer writer) {
      for (Link link = links; link != null; link = link.next) {
        InFlight flight = link.flight;
        if (flight.joinableBy(request) && (writer == null || writer.mayJoin(flight.writer()))) {
          return flight;
        }
      }
      return null;
    }

    /**
     * The selection of {@code request}, if another fetch of the key has shown the selecting fields;
     * or null.
     */
    static @Nullable VarySelection learned(@Nullable Link links, Fields request) {
      for (Link link = links; link != null; link = link.next) {
        VarySelection known = link.flight.selection();
        if (known != null && !known.isOfOneRequest()) {
          return known.by(request);
        }
      }
      return null;
    }

    static int size(@Nullable Link links) {
      int size = 0;
      for (Link link = links; link != null; link = link.next) {
        size++;
      }
      return size;
    }
  }

  private final ConcurrentHashMap<Object, Group> groups = new ConcurrentHashMap<>();

  /** By the key under which it is stored; waiting for one of a key suffices. */
  private final ConcurrentHashMap<Object, InFlight> landingParts = new ConcurrentHashMap<>();

  private final ByteBufAllocator allocator;
  private final MemoryLedger transit;
  private volatile long maxKeptBytes;
  private volatile long readAheadGapBytes;
  private volatile @Nullable CountDownLatch landed;

  /**
   * Begins without fetches.
   *
   * @param transit ledger of the memory of fetches
   * @param maxKeptBytes larger content is not kept for the store
   * @param readAheadGapBytes {@code read_ahead_gap}
   */
  public Flights(
      ByteBufAllocator allocator, MemoryLedger transit, long maxKeptBytes, long readAheadGapBytes) {
    this.allocator = allocator;
    this.transit = transit;
    this.maxKeptBytes = maxKeptBytes;
    this.readAheadGapBytes = readAheadGapBytes;
  }

  /** Other limits for fetches that begin from now on; see the constructor. */
  public void reconfigure(long newMaxKeptBytes, long newReadAheadGapBytes) {
    maxKeptBytes = newMaxKeptBytes;
    readAheadGapBytes = newReadAheadGapBytes;
  }

  /** The fetch of {@code key} that {@code request} may join, or null. No allocation. */
  public @Nullable InFlight find(KeyProbe key, Fields request) {
    return Link.joinable(Group.linksOf(groups.get(key)), request);
  }

  /**
   * Begins a fetch, or returns null if the in-transit budget has no room for one more.
   *
   * @param joinable whether it may be found, unless another one can be
   */
  public @Nullable InFlight begin(
      CacheKey key, boolean joinable, EventExecutor loop, InFlight.Writer writer, Landing landing) {
    InFlight mine = open(key, joinable, loop, writer, landing);
    if (mine != null) {
      groups.compute(
          key,
          (ignored, others) -> {
            if (joinable && Link.joinable(Group.linksOf(others), null) != null) {
              mine.notJoinable();
            }
            return Group.with(others, mine, joinable);
          });
    }
    return mine;
  }

  /**
   * The fetch that {@code request} may join, or a new joinable one, in one step; null if the
   * in-transit budget has no room for one more.
   *
   * @param expected the variant that a new fetch will bring; null: derived from other fetches, if
   *     possible
   */
  public @Nullable InFlight joinOrBegin(
      CacheKey key,
      Fields request,
      @Nullable VarySelection expected,
      EventExecutor loop,
      InFlight.Writer writer,
      Landing landing) {
    InFlight there = Link.joinable(Group.linksOf(groups.get(key)), request, writer);
    if (there != null) {
      return there;
    }
    InFlight mine = open(key, true, loop, writer, landing);
    InFlight[] found = new InFlight[1];
    groups.compute(
        key,
        (ignored, others) -> {
          Link links = Group.linksOf(others);
          found[0] = Link.joinable(links, request, writer);
          if (mine == null || found[0] != null) {
            return others;
          }
          mine.expect(expected != null ? expected : Link.learned(links, request));
          return Group.with(others, mine, true);
        });
    if (found[0] == null) {
      return mine;
    }
    if (mine != null) {
      mine.abandon();
    }
    return found[0];
  }

  private @Nullable InFlight open(
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

  /** All bytes of a part that {@code flight} leaves on disk have arrived. */
  void partLanding(InFlight flight) {
    landingParts.put(flight.storedUnder(), flight);
  }

  /** Ends {@link #partLanding}. */
  void partLanded(InFlight flight) {
    landingParts.remove(flight.storedUnder(), flight);
  }

  /** A fetch that is about to leave a part under {@code key} on disk, or null. No allocation. */
  public @Nullable InFlight landingPart(KeyProbe key) {
    return landingParts.isEmpty() ? null : landingParts.get(key);
  }

  /**
   * Ends all running fetches, as if their origins had closed early: their bytes stay as parts if
   * possible. Any thread.
   */
  public void breakOff(Object cause) {
    for (Group group : groups.values()) {
      group.forEach(flight -> flight.execute(() -> flight.fail(cause)));
    }
  }

  /** {@code flight} is no longer found. */
  void forget(InFlight flight) {
    groups.computeIfPresent(flight.key(), (ignored, all) -> all.without(flight));
    tellIfLanded(landed);
  }

  /** Counted down when no fetch is in flight; call it when no new ones begin any more. */
  public CountDownLatch landed() {
    CountDownLatch mine = new CountDownLatch(1);
    // first publish it, then look: the last fetch may be leaving
    landed = mine;
    tellIfLanded(mine);
    return mine;
  }

  private void tellIfLanded(@Nullable CountDownLatch waiting) {
    if (waiting != null && groups.isEmpty()) {
      waiting.countDown();
    }
  }

  /** Fetches in flight for {@code key} will not be stored, and are no longer found. */
  public void invalidate(CacheKey key) {
    invalidate(key, null);
  }

  /** The same, except for {@code except}. */
  public void invalidate(CacheKey key, @Nullable InFlight except) {
    Group group = groups.get(key);
    if (group != null) {
      group.forEach(
          flight -> {
            if (flight != except) {
              flight.doNotStore();
              flight.notJoinable();
            }
          });
    }
  }

  /** The same for all keys that {@code which} accepts. */
  public void invalidateIf(Predicate<CacheKey> which) {
    for (Object key : groups.keySet()) {
      if (which.test((CacheKey) key)) {
        invalidate((CacheKey) key);
      }
    }
  }

  /** Fetches in flight for such keys are no longer found: new requests fetch on their own. */
  public void separateIf(Predicate<CacheKey> which) {
    for (Group group : groups.values()) {
      group.forEach(
          flight -> {
            if (which.test(flight.key())) {
              flight.notJoinable();
            }
          });
    }
  }

  /** Fetches in flight will not be stored, and are no longer found. */
  public void invalidateAll() {
    for (Object key : groups.keySet()) {
      invalidate((CacheKey) key);
    }
  }

  /** Ends all. */
  public void close() {
    for (Group group : groups.values()) {
      group.forEach(InFlight::close);
    }
  }

  /** Number of fetches in flight. Walks all: for metrics. */
  public long size() {
    long size = 0;
    for (Group group : groups.values()) {
      size += group.size();
    }
    return size;
  }
}
