package io.loligo.store;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.inflight.Flights;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.keys.AlternativeKeys;
import io.loligo.store.memory.MemoryTier;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removals from fetches in flight, memory and disk, in an order that lets no response return from
 * one to another. Thread-safe: any thread.
 */
final class Removals {
  private static final Logger LOG = LoggerFactory.getLogger(Removals.class);

  private final Flights flights;
  private final MemoryTier memory;
  private final DiskTier disk;
  private final DeferredPurges purges;
  private final AlternativeKeys alternatives;

  Removals(
      Flights flights,
      MemoryTier memory,
      DiskTier disk,
      DeferredPurges purges,
      AlternativeKeys alternatives) {
    this.flights = flights;
    this.memory = memory;
    this.disk = disk;
    this.purges = purges;
    this.alternatives = alternatives;
  }

  /** See {@link Store#remove}. */
  int remove(CacheKey key) {
    alternatives.removing();
    if (alternatives.mayBeAny(key)) {
      purges.removeAlternatives(key);
    }
    flights.invalidate(key);
    int onDisk = disk.mayHold(key) ? 1 : 0;
    disk.hide(key);
    int inMemory = memory.remove(key);
    disk.remove(key, false, count -> {});
    disk.reveal(key);
    return Math.max(inMemory, onDisk);
  }

  /** See {@link Store#invalidate}. */
  boolean invalidate(
      List<CacheKey> keys,
      CacheKey of,
      long[] groups,
      @Nullable InFlight except,
      EventExecutor loop,
      Consumer<Boolean> then) {
    Confirmation confirmation = new Confirmation(told -> tell(loop, told, then));
    for (CacheKey key : keys) {
      alternatives.removing();
      if (alternatives.mayBeAny(key)) {
        confirmation.expect();
        purges.invalidateAlternatives(key, confirmation::told);
      }
      flights.invalidate(key, except);
      disk.hide(key);
      memory.remove(key);
      confirmation.expect();
      if (!disk.forget(key, count -> confirmation.told(count >= 0))) {
        confirmation.told(true);
      }
      disk.reveal(key);
    }
    if (groups.length > 0) {
      confirmation.expect();
      purges.invalidate(of, groups, confirmation::told);
    }
    return confirmation.isAwaited();
  }

  /**
   * The confirmations that a removal awaits from disks. Thread-safe, except for the calls of its
   * owner.
   */
  private static final class Confirmation {
    private final Consumer<Boolean> then;

    /** One more than the pending confirmations, until the owner has asked for all. */
    private final AtomicInteger left = new AtomicInteger(1);

    private volatile boolean failed;

    Confirmation(Consumer<Boolean> then) {
      this.then = then;
    }

    /** One more confirmation is pending. Only the owner calls it. */
    void expect() {
      left.incrementAndGet();
    }

    /** One confirmation has arrived. */
    void told(boolean confirmed) {
      if (!confirmed) {
        failed = true;
      }
      if (left.decrementAndGet() == 0) {
        then.accept(!failed);
      }
    }

    /**
     * All confirmations were asked for. Whether any is pending or failed. Only the owner calls it.
     */
    boolean isAwaited() {
      if (left.get() == 1 && !failed) {
        return false;
      }
      told(true);
      return true;
    }
  }

  private static void tell(EventExecutor loop, boolean confirmed, Consumer<Boolean> then) {
    try {
      loop.execute(() -> then.accept(confirmed));
    } catch (RejectedExecutionException shutDown) {
      LOG.debug("the event loop of an invalidation has stopped");
    }
  }

  /** See {@link Store#purge}. */
  void purge(Purge what, EventExecutor loop, Consumer<Purged> then) {
    alternatives.removing();
    if (what instanceof Purge.Url url && alternatives.mayBeAny(url.key())) {
      if (alternatives.askedFor(url.key())) {
        long[] numbers = {CacheGroups.ofAlternatives(url.key())};
        purgeBoth(new Purge.Groups(numbers, url.soft()), url, loop, then);
      } else {
        purges.purgeAlternativesLeft(
            url.key(), url.soft(), left -> purgeToo(left, url, loop, then));
      }
    } else if (what instanceof Purge.Matching matching && alternatives.mayBeAny()) {
      // these keys do not cover the whole URL
      long[] numbers = {CacheGroups.ALTERNATIVES};
      purgeBoth(new Purge.Groups(numbers, matching.soft()), what, loop, then);
    } else {
      purgeItself(what, loop, then);
    }
  }

  /**
   * The same for a purge of another node: nobody asks for numbers, so memory is not walked unless
   * for a pattern.
   *
   * @param loop runs what has to wait
   * @param then told on any thread whether no crash undoes it; false also if too many are pending
   */
  void take(Purge what, EventExecutor loop, Consumer<Boolean> then) {
    alternatives.removing();
    Confirmation confirmation = new Confirmation(then);
    if (what instanceof Purge.Url url) {
      if (alternatives.mayBeAny(url.key())) {
        confirmation.expect();
        long[] numbers = {CacheGroups.ofAlternatives(url.key())};
        purges.note(new Purge.Groups(numbers, url.soft()), confirmation::told);
      }
      confirmation.expect();
      if (url.soft()) {
        purges.note(url, confirmation::told);
      } else {
        purgeUrl(url.key(), purged -> confirmation.told(isDone(purged)));
      }
    } else if (what instanceof Purge.Groups) {
      confirmation.expect();
      purges.note(what, confirmation::told);
    } else {
      if (what instanceof Purge.Matching matching && alternatives.mayBeAny()) {
        confirmation.expect();
        long[] numbers = {CacheGroups.ALTERNATIVES};
        purges.note(new Purge.Groups(numbers, matching.soft()), confirmation::told);
      }
      confirmation.expect();
      purges.purge(what, loop, purged -> confirmation.told(isDone(purged)));
    }
    confirmation.told(true);
  }

  private static boolean isDone(Purged purged) {
    return purged.outcome() == Purged.Outcome.DONE;
  }

  private void purgeBoth(Purge first, Purge second, EventExecutor loop, Consumer<Purged> then) {
    purges.purge(
        first,
        loop,
        purged -> {
          if (purged.outcome() == Purged.Outcome.REFUSED) {
            then.accept(purged);
          } else {
            purgeToo(purged, second, loop, then);
          }
        });
  }

  private void purgeToo(Purged before, Purge what, EventExecutor loop, Consumer<Purged> then) {
    purgeItself(what, loop, purged -> then.accept(purged.and(before)));
  }

  private void purgeItself(Purge what, EventExecutor loop, Consumer<Purged> then) {
    if (what instanceof Purge.Url url && !url.soft()) {
      purgeUrl(url.key(), purged -> loop.execute(() -> then.accept(purged)));
    } else {
      purges.purge(what, loop, then);
    }
  }

  private void purgeUrl(CacheKey key, Consumer<Purged> then) {
    flights.invalidate(key);
    // hidden first, so that nothing comes to memory from disk; the disk follows, because writes on
    // their way there may have come from memory
    disk.hide(key);
    int inMemory = memory.remove(key);
    disk.remove(
        key,
        true,
        count -> {
          Purged.Outcome outcome = count < 0 ? Purged.Outcome.NOT_CONFIRMED : Purged.Outcome.DONE;
          then.accept(new Purged(outcome, inMemory, Math.max(0, count)));
        });
    disk.reveal(key);
  }

  /** See {@link Store#clear}. */
  int clear() {
    flights.invalidateAll();
    disk.hideAll();
    int onDisk = disk.clear();
    int inMemory = memory.clear();
    disk.revealAll();
    return Math.max(inMemory, onDisk);
  }
}
