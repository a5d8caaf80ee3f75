package io.loligo.store.purge;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredFields;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.Glimpse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Purges that are carried out when a request finds a response that they cover: the moment of its
 * request tells whether a stored response is older than a purge. Thread-safe: any thread; nothing
 * blocks.
 *
 * <p>Groups and URLs made stale have their {@link Moments}, in bounded memory. Patterns are a list
 * of {@value #MAX_BANS} at most; a pattern is forgotten when everything stored was compared with
 * it. A purge of everything is one moment, which is never forgotten.
 *
 * <p>The wall clock may be set back. A purge then has the moment of the latest stored request, and
 * also covers some responses that are requested after it: they are fetched again.
 */
public final class Purges {
  /** Most patterns pending. */
  public static final int MAX_BANS = 128;

  private static final long MAX_AHEAD_MILLIS = 1_000;

  /** {@link #judge}: no purge covers it. */
  public static final long KEPT = Long.MIN_VALUE;

  /** {@link #judge}: it must not be served. */
  public static final long GONE = Long.MAX_VALUE;

  /** Tables of moments. */
  public enum Table {
    GROUP,
    SOFT_GROUP,
    SOFT_URL
  }

  private final LongSupplier clock;
  private final Moments moments = new Moments();
  private final AtomicLong[] latest = new AtomicLong[Table.values().length];
  private final AtomicLong latestRequest = new AtomicLong();
  private final AtomicLong serial = new AtomicLong();
  private final AtomicLong validateUntil = new AtomicLong();

  /** The same while purges may be missing; 0: otherwise. */
  private volatile long doubtUntil;

  private volatile List<Ban> bans = List.of();

  /**
   * Begins without purges.
   *
   * @param clock milliseconds since the epoch
   */
  public Purges(LongSupplier clock) {
    this.clock = clock;
    for (Table table : Table.values()) {
      latest[table.ordinal()] = new AtomicLong();
    }
  }

  /** A response requested at {@code requestMillis} is being stored, or may be. */
  public void stored(long requestMillis) {
    if (requestMillis > latestRequest.get()) {
      latestRequest.accumulateAndGet(requestMillis, Math::max);
    }
  }

  /** The moment of a purge that begins now: no response was requested later. */
  public long now() {
    return Math.max(clock.getAsLong(), latestRequest.get());
  }

  /**
   * The moment from which responses covered by a purge of {@code millis} are stale: never a moment
   * that a clock which was set back has yet to reach.
   */
  public long staleSince(long millis) {
    return Math.min(millis, clock.getAsLong());
  }

  /**
   * The moment of a request that is sent at {@code now}: after all purges, also those of the same
   * millisecond. Does not compensate for a clock that was set back.
   */
  public long requestMoment(long now) {
    long after = 1 + latestPurge();
    long moment = after > now && after - now <= MAX_AHEAD_MILLIS ? after : now;
    stored(moment); // its response may be, and a purge in between has to cover it
    return moment;
  }

  private long latestPurge() {
    long millis = Math.max(validateUntil.get(), doubtUntil);
    for (AtomicLong one : latest) {
      millis = Math.max(millis, one.get());
    }
    return millis;
  }

  /** Whether a response requested now is newer than a purge of {@code millis}. */
  public boolean isPast(long millis) {
    return clock.getAsLong() > millis;
  }

  /** Purges, until {@code millis}, the responses that {@code numbers} stand for. */
  public void mark(Table table, long[] numbers, long millis) {
    for (long number : numbers) {
      load(table, number, millis);
    }
    serial.incrementAndGet();
  }

  /** The same for one number, before anything is stored. */
  public void load(Table table, long number, long millis) {
    moments.mark(table, number, millis);
    loaded(table, millis);
  }

  /** The same for all numbers whose low bits are {@code bucket}, of {@code buckets}. */
  public void loadFloor(Table table, int bucket, int buckets, long millis) {
    moments.raiseFloor(table, bucket, buckets, millis);
    loaded(table, millis);
  }

  private void loaded(Table table, long millis) {
    latest[table.ordinal()].accumulateAndGet(millis, Math::max);
    serial.compareAndSet(0, 1);
  }

  /** Everything requested until {@code millis} is validated before its next use. */
  public void validateUntil(long millis) {
    validateUntil.accumulateAndGet(millis, Math::max);
    serial.incrementAndGet();
  }

  /**
   * Purges may be missing until {@link #trust}: everything requested until now is validated before
   * its next use. No disk notes that.
   */
  public void doubt() {
    doubtUntil = now();
    serial.incrementAndGet();
  }

  /** Its moment; 0: none is missing. A lookup that began in doubt ends in it. */
  public long doubtUntil() {
    return doubtUntil;
  }

  /** No purge is missing any more. A response that was judged in between is still validated. */
  public void trust() {
    doubtUntil = 0;
  }

  /** The latest moment given to {@link #validateUntil(long)}; 0: none. */
  public long validateUntil() {
    return validateUntil.get();
  }

  /** Whether a response requested at {@code requestMillis} is validated before its next use. */
  public boolean mustValidate(long requestMillis) {
    long until = Math.max(validateUntil.get(), doubtUntil);
    return until > 0 && requestMillis <= until;
  }

  /** Adds a ban, in place of an older one of the same pattern; false if there are too many. */
  public synchronized boolean ban(Ban ban) {
    List<Ban> next = new ArrayList<>(bans);
    next.removeIf(ban::replaces);
    int others = validateUntil.get() > 0 ? 1 : 0; // it has a place among the patterns on disk
    if (next.size() + others >= MAX_BANS) {
      return false;
    }
    next.add(ban);
    bans = List.copyOf(next);
    serial.incrementAndGet();
    return true;
  }

  /** Patterns that are pending, the oldest first. */
  public List<Ban> bans() {
    return bans;
  }

  /** Forgets the patterns that {@code through} accepts. */
  public synchronized void retire(Predicate<Ban> through) {
    List<Ban> next = new ArrayList<>(bans);
    if (next.removeIf(through)) {
      bans = List.copyOf(next);
    }
  }

  /** Whether {@code entry} was judged since the last purge, and kept. On the path of every hit. */
  public boolean isSettled(Entry entry) {
    return entry.judgedAt() == serial.get();
  }

  /**
   * The verdict on {@code entry}, borrowed: {@link #KEPT}, {@link #GONE}, or the moment since which
   * it is stale, and says so itself from now on. The same holds if {@link #mustValidate}.
   */
  public long judge(Entry entry) {
    long now = serial.get();
    long asked = entry.meta().requestTimeMillis();
    long verdict = verdict(entry.key(), entry::groups, asked);
    if (verdict != GONE) {
      // first, because others use it once it is judged
      if (verdict != KEPT) {
        entry.becomeStale(staleSince(verdict));
      }
      if (mustValidate(asked)) {
        entry.validateFirst();
      }
      // one load may give the same entry to several requests: none of them may use it
      entry.judgedAt(now);
    }
    return verdict;
  }

  /** The same for a response that is only inspected under {@code key}; nothing is recorded. */
  public long judge(CacheKey key, Glimpse seen) {
    if (serial.get() == 0) {
      return KEPT;
    }
    long[] groups = CacheGroups.of(key, StoredFields.index(seen.storedLines()));
    return verdict(key, () -> groups, seen.meta().requestTimeMillis());
  }

  private long verdict(CacheKey key, Supplier<long[]> groups, long asked) {
    if (asked <= latest(Table.GROUP) && groupMoment(Table.GROUP, groups.get(), asked) != KEPT) {
      return GONE;
    }
    long since = KEPT;
    for (Ban ban : bans) {
      if (ban.covers(key, asked)) {
        if (!ban.soft()) {
          return GONE;
        }
        since = Math.max(since, ban.millis());
      }
    }
    if (asked <= latest(Table.SOFT_URL)) {
      long url = moment(Table.SOFT_URL, CacheGroups.ofUrl(key));
      since = asked <= url ? Math.max(since, url) : since;
    }
    return asked <= latest(Table.SOFT_GROUP)
        ? Math.max(since, groupMoment(Table.SOFT_GROUP, groups.get(), asked))
        : since;
  }

  private long latest(Table table) {
    return latest[table.ordinal()].get();
  }

  /** The last purge of one of the groups, if it was after {@code asked}. */
  private long groupMoment(Table table, long[] groups, long asked) {
    long found = KEPT;
    for (long group : groups) {
      long millis = moment(table, group);
      if (asked <= millis) {
        found = Math.max(found, millis);
      }
    }
    return found;
  }

  /** The last purge of {@code number}; {@link #KEPT}: never. */
  public long moment(Table table, long number) {
    long millis = number == CacheGroups.ALL ? latest(table) : moments.moment(table, number);
    return millis == 0 ? KEPT : millis;
  }

  /**
   * Whether {@code what} covers a response requested under {@code key}, as far as the key tells.
   */
  public static boolean mayConcern(Purge what, CacheKey key) {
    if (what instanceof Purge.Url url) {
      return url.key().equals(key);
    }
    if (what instanceof Purge.Everything) {
      return true;
    }
    return what instanceof Purge.Groups || ((Purge.Matching) what).pattern().matches(key);
  }

  /** Whether {@code what} covers {@code entry}, borrowed. */
  public static boolean concerns(Purge what, Entry entry) {
    if (!(what instanceof Purge.Groups groups)) {
      return mayConcern(what, entry.key());
    }
    for (long group : entry.groups()) {
      for (long number : groups.numbers()) {
        if (group == number || group == CacheGroups.ALL) {
          return true;
        }
      }
    }
    return false;
  }
}
