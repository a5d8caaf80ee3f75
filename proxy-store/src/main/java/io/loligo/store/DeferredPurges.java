package io.loligo.store;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.inflight.Flights;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.Glimpse;
import io.loligo.store.memory.MemoryTier;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.Purges;
import io.loligo.store.purge.Purges.Table;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Carries out purges whose entries are not looked up at once. The purge is noted, also on every
 * disk; an entry is compared with it when a request finds the entry. Thread-safe: any thread.
 * Memory is walked on an executor of its own.
 */
final class DeferredPurges implements AutoCloseable {
  private static final int MAX_WAITING = 1024;
  private static final long IDLE_SECONDS = 5;

  /** A request sent after the answer to a purge must not have the millisecond of the purge. */
  private static final long SETTLE_MILLIS = 2;

  private final Purges purges;
  private final MemoryTier memory;
  private final Flights flights;
  private final DiskTier disk;
  private final Set<Ban> unwritten = ConcurrentHashMap.newKeySet();
  private final ExecutorService walks;
  private final AtomicBoolean retiring = new AtomicBoolean();

  /**
   * Begins with the purges that the directories have noted.
   *
   * @param clock milliseconds since the epoch
   * @param walks runs walks through the memory tier, one at a time; shut down with this
   */
  DeferredPurges(
      LongSupplier clock,
      MemoryTier memory,
      Flights flights,
      DiskTier disk,
      ExecutorService walks) {
    this.purges = new Purges(clock);
    this.memory = memory;
    this.flights = flights;
    this.disk = disk;
    this.walks = walks;
    disk.loadInto(purges);
  }

  /** An executor whose thread lives only while there are walks. */
  static ExecutorService walker() {
    ThreadPoolExecutor walker =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_WAITING),
            new DefaultThreadFactory("loligo-purge", true));
    walker.allowCoreThreadTimeOut(true);
    return walker;
  }

  /** A response whose request was sent at {@code requestMillis} is being stored. */
  void stored(long requestMillis) {
    purges.stored(requestMillis);
  }

  /** Patterns that are pending. */
  List<Ban> bans() {
    return purges.bans();
  }

  /**
   * {@code entry}, taken and possibly null, if it may still be served; it is made stale if a soft
   * purge covers it. Otherwise null. Looks closer only after a purge.
   */
  @Nullable Entry judged(@Nullable Entry entry) {
    if (entry == null || purges.isSettled(entry)) {
      return entry;
    }
    long verdict = purges.judge(entry);
    if (verdict == Purges.GONE) {
      memory.removeVariant(entry.key(), entry.meta().vary());
      entry.release();
      return null;
    }
    return entry;
  }

  /** See {@link Purges#doubtUntil}. */
  long doubtUntil() {
    return purges.doubtUntil();
  }

  /**
   * The same for a lookup that took a while.
   *
   * @param doubtUntil when it began
   */
  @Nullable Entry judged(@Nullable Entry entry, long doubtUntil) {
    if (entry != null && doubtUntil > 0 && entry.meta().requestTimeMillis() <= doubtUntil) {
      entry.validateFirst();
    }
    return judged(entry);
  }

  /**
   * The result that {@link #judged(Entry)} would give for {@code seen} of {@code key}; changes
   * nothing.
   */
  List<Glimpse> judged(CacheKey key, List<Glimpse> seen) {
    return seen.stream().map(one -> judged(key, one)).toList();
  }

  /** The same for one response. */
  Glimpse judged(CacheKey key, Glimpse one) {
    long verdict = purges.judge(key, one);
    if (verdict == Purges.GONE) {
      return one.asPurged();
    }
    StoredMeta meta = one.meta();
    if (verdict != Purges.KEPT) {
      long since = purges.staleSince(verdict);
      meta = meta.lifetimeSeconds() > meta.ageSeconds(since) ? meta.staleSince(since) : meta;
    }
    if (purges.mustValidate(meta.requestTimeMillis())) {
      meta = meta.validatedFirst();
    }
    return meta == one.meta() ? one : one.with(meta);
  }

  /**
   * Carries out {@code what}, which is not a hard purge of a single URL; {@code then} runs on
   * {@code loop}.
   */
  void purge(Purge what, EventExecutor loop, Consumer<Purged> then) {
    try {
      walks.execute(() -> purgeNow(what, loop, then));
    } catch (RejectedExecutionException full) {
      loop.execute(() -> then.accept(new Purged(Purged.Outcome.REFUSED, 0, 0)));
    }
  }

  /**
   * The same without a walk through memory, whose entries are compared as they are found.
   *
   * @param what neither a pattern nor everything
   * @param then told whether all disks have noted it, on a disk thread or at once
   */
  void note(Purge what, Consumer<Boolean> then) {
    long millis = purges.now();
    purges.mark(table(what), numbers(what), millis);
    flights.separateIf(key -> Purges.mayConcern(what, key));
    disk.mark(table(what), numbers(what), millis, true, then);
  }

  private void purgeNow(Purge what, EventExecutor loop, Consumer<Purged> told) {
    long millis = purges.now();
    Consumer<Purged> then = purged -> tell(purged, millis, loop, told);
    int onDisk = onDisk(what);
    Predicate<CacheKey> which = key -> Purges.mayConcern(what, key);
    if (what instanceof Purge.Everything) {
      purges.validateUntil(millis);
      flights.separateIf(which);
      int inMemory = (int) Math.min(memory.entries(), Integer.MAX_VALUE);
      disk.validateUntil(millis, done -> end(done, inMemory, onDisk, then));
      return;
    }
    if (what instanceof Purge.Matching matching) {
      Ban ban = new Ban(millis, matching.pattern(), matching.soft());
      unwritten.add(ban);
      if (!purges.ban(ban)) {
        unwritten.remove(ban);
        then.accept(new Purged(Purged.Outcome.REFUSED, 0, 0));
        return;
      }
      flights.invalidateIf(which);
      disk.cancelIf(which);
      int inMemory = matching.soft() ? walkSoftly(what, millis) : walk(what, millis, false);
      disk.ban(
          ban,
          done -> {
            unwritten.remove(ban);
            end(done, inMemory, onDisk, then);
          });
      return;
    }
    boolean soft = what instanceof Purge.Url || ((Purge.Groups) what).soft();
    Table table = table(what);
    long[] numbers = numbers(what);
    purges.mark(table, numbers, millis);
    flights.separateIf(which);
    int inMemory = walk(what, millis, soft);
    disk.mark(table, numbers, millis, true, done -> end(done, inMemory, onDisk, then));
  }

  /** See {@link TieredStore#doubt}. */
  void doubt() {
    purges.doubt();
    flights.separateIf(key -> true);
  }

  /** See {@link TieredStore#trust}. */
  void trust() {
    purges.trust();
  }

  private int onDisk(Purge what) {
    if (what instanceof Purge.Url url) {
      return disk.mayHold(url.key()) ? 1 : 0;
    }
    return disk.isNone() ? 0 : Purged.LATER;
  }

  private static Table table(Purge what) {
    if (what instanceof Purge.Url) {
      return Table.SOFT_URL;
    }
    return ((Purge.Groups) what).soft() ? Table.SOFT_GROUP : Table.GROUP;
  }

  private static long[] numbers(Purge what) {
    return what instanceof Purge.Url url
        ? new long[] {CacheGroups.ofUrl(url.key())}
        : ((Purge.Groups) what).numbers();
  }

  private int walk(Purge what, long millis, boolean soft) {
    int[] count = new int[1];
    memory.removeIf(
        entry -> {
          if (entry.meta().requestTimeMillis() > millis || !Purges.concerns(what, entry)) {
            return false;
          }
          count[0]++;
          if (soft) {
            entry.becomeStale(purges.staleSince(millis));
          }
          return !soft;
        });
    return count[0];
  }

  /**
   * The same for a soft pattern, which is forgotten later: a response that no disk has yet, and
   * that may get there, is noted by its URL.
   */
  private int walkSoftly(Purge what, long millis) {
    int[] count = new int[1];
    List<Long> urls = new ArrayList<>();
    memory.removeIf(
        entry -> {
          if (entry.meta().requestTimeMillis() <= millis && Purges.concerns(what, entry)) {
            count[0]++;
            entry.becomeStale(purges.staleSince(millis));
            if (!disk.isNone() && entry.diskId() == 0) {
              urls.add(CacheGroups.ofUrl(entry.key()));
            }
          }
          return false;
        });
    if (!urls.isEmpty()) {
      long[] numbers = urls.stream().mapToLong(Long::longValue).toArray();
      purges.mark(Table.SOFT_URL, numbers, millis);
      disk.mark(Table.SOFT_URL, numbers, millis, false, done -> {});
    }
    return count[0];
  }

  /**
   * Answers once the millisecond of the purge is past, because requests sent within that
   * millisecond are purged too. It does not wait for a clock that was set back; then some responses
   * are fetched again.
   */
  private void tell(Purged purged, long millis, EventExecutor loop, Consumer<Purged> then) {
    Runnable task = () -> then.accept(purged);
    if (purges.isPast(millis)) {
      loop.execute(task);
    } else {
      loop.schedule(task, SETTLE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private static void end(boolean done, int inMemory, int onDisk, Consumer<Purged> then) {
    Purged.Outcome outcome = done ? Purged.Outcome.DONE : Purged.Outcome.NOT_CONFIRMED;
    then.accept(new Purged(outcome, inMemory, onDisk));
  }

  /** See {@link Purges#requestMoment}. */
  long requestMoment(long now) {
    return purges.requestMoment(now);
  }

  /**
   * Invalidates groups for an origin (RFC 9875 section 3): no response of the groups is served from
   * now on. On an event loop.
   *
   * @param key of the request, whose origin it is
   * @param then told whether all disks have noted it, on a disk thread or at once
   */
  void invalidate(CacheKey key, long[] numbers, Consumer<Boolean> then) {
    long millis = purges.now();
    purges.mark(Table.GROUP, numbers, millis);
    flights.separateIf(other -> other.isOfOriginOf(key));
    disk.mark(Table.GROUP, numbers, millis, true, then);
  }

  /** The same for responses stored under other keys of the URL of {@code key}. */
  void invalidateAlternatives(CacheKey key, Consumer<Boolean> then) {
    long millis = markAlternatives(Table.GROUP, key);
    disk.mark(Table.GROUP, alternatives(key), millis, true, then);
  }

  /** The same, noted by disks in the background. */
  void removeAlternatives(CacheKey key) {
    long millis = markAlternatives(Table.GROUP, key);
    disk.mark(Table.GROUP, alternatives(key), millis, false, done -> {});
  }

  /**
   * The same, confirmed, for responses that an earlier process may have left on disk; memory has
   * none of them. {@code then} is told on a disk thread or at once.
   */
  void purgeAlternativesLeft(CacheKey key, boolean soft, Consumer<Purged> then) {
    Table table = soft ? Table.SOFT_GROUP : Table.GROUP;
    long millis = markAlternatives(table, key);
    disk.mark(table, alternatives(key), millis, true, done -> end(done, 0, 0, then));
  }

  private long markAlternatives(Table table, CacheKey key) {
    long millis = purges.now();
    purges.mark(table, alternatives(key), millis);
    flights.invalidateIf(other -> other.isAlternative() && other.pathHash() == key.pathHash());
    return millis;
  }

  private static long[] alternatives(CacheKey key) {
    return new long[] {CacheGroups.ofAlternatives(key)};
  }

  /** Forgets patterns once every stored response is newer. Call every second. */
  void tick() {
    if (!purges.bans().isEmpty() && retiring.compareAndSet(false, true)) {
      try {
        walks.execute(this::retire);
      } catch (RejectedExecutionException closing) {
        retiring.set(false); // or too many are pending: next time
      }
    }
  }

  private void retire() {
    retiring.set(false);
    List<Ban> through =
        purges.bans().stream()
            .filter(ban -> !unwritten.contains(ban) && !disk.isSweeping(ban))
            .toList();
    if (!through.isEmpty()) {
      // responses that came from disk while memory was walked first
      memory.removeIf(entry -> isGone(entry, through));
      purges.retire(through::contains);
    }
  }

  /** Whether a hard one of {@code bans} covers {@code entry}, which is stale if a soft one does. */
  private boolean isGone(Entry entry, List<Ban> bans) {
    for (Ban ban : bans) {
      if (ban.covers(entry.key(), entry.meta().requestTimeMillis())) {
        if (!ban.soft()) {
          return true;
        }
        entry.becomeStale(purges.staleSince(ban.millis()));
      }
    }
    return false;
  }

  @Override
  public void close() {
    walks.shutdown();
  }
}
