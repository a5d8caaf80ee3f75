package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.read.LoadRound;
import io.loligo.store.disk.read.Loader;
import io.loligo.store.disk.read.Loads;
import io.loligo.store.disk.read.Peeked;
import io.loligo.store.disk.start.DirectoryOpening;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Loads from a directory for requests, in every state: while it is being opened, requests wait for
 * a while, or are served from the part that is known. A failure is an answer, too. Thread-safe: any
 * thread; nothing blocks.
 */
final class DirectoryReads {
  private final DirectoryState state;
  private final MissedRemovals missed;
  private final DiskThreads threads;
  private final LongSupplier clock;
  private final Loads loads;
  private final long claimedNanos;
  private volatile long patienceNanos;

  /** Requests that wait until it is open. Guarded by itself. */
  private final List<Waiting> waiting = new ArrayList<>();

  /** While the directory is being opened, and can be searched. */
  private volatile @Nullable DirectoryOpening opening;

  /**
   * @param clock nanoseconds
   */
  DirectoryReads(
      DirectoryState state,
      MissedRemovals missed,
      DiskThreads threads,
      DiskSettings disk,
      LongSupplier clock) {
    this.state = state;
    this.missed = missed;
    this.threads = threads;
    this.clock = clock;
    this.loads =
        new Loads(
            threads::read,
            Round::new,
            TimeUnit.MILLISECONDS.toNanos(disk.loadTimeoutMillis()),
            clock);
    this.claimedNanos = clock.getAsLong();
    this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(disk.openWaitMillis());
  }

  /** Other limits of waiting, from now on. */
  void reconfigure(DiskSettings disk) {
    loads.patience(TimeUnit.MILLISECONDS.toNanos(disk.loadTimeoutMillis()));
  }

  /** No request waits until the directory is open, because it has no content. */
  void waitForNothing() {
    patienceNanos = 0;
  }

  /** The directory is being opened: the final part of {@code begun} may be served. */
  void begun(DirectoryOpening begun) {
    opening = begun;
  }

  /** The directory is no longer being opened. */
  void allIsFound() {
    opening = null;
  }

  /** Whether requests still wait for the directory to be opened. */
  boolean isAwaited() {
    return state.isOpening()
        && patienceNanos > 0
        && clock.getAsLong() - claimedNanos < patienceNanos;
  }

  /** A result that needs no wait; null if {@link #load} has to be called. Any thread. */
  Loader.@Nullable Loaded loadNow(CacheKey key, Fields request, Wanted wanted) {
    OpenDirectory now = state.ready();
    if (now == null) {
      return null;
    }
    try {
      return now.loader().loadNow(key, request, wanted);
    } catch (OutOfMemoryError e) {
      now.memoryShort(e, "a read from disk");
      return Loader.Loaded.none(LoadOutcome.BUSY);
    }
  }

  /** Loads for {@code loop}; false if it cannot be queued, and {@code then} is not told. */
  boolean load(
      CacheKey key, Fields request, Wanted wanted, EventExecutor loop, Loads.Listener then) {
    if (isAwaited() && await(new Waiting(key, request, wanted, loop, then, clock.getAsLong()))) {
      return true;
    }
    return state.ready() != null && loads.add(key, request, wanted, loop, then);
  }

  // Requests that wait until it is open

  private record Waiting(
      CacheKey key,
      Fields request,
      Wanted wanted,
      EventExecutor loop,
      Loads.Listener then,
      long askedNanos) {}

  private boolean await(Waiting one) {
    synchronized (waiting) {
      if (waiting.size() >= Loads.MAX_WAITING) {
        return false;
      }
      waiting.add(one);
    }
    serveWaiting(); // it may be open by now
    return true;
  }

  /** Serves waiting requests whose answer is known or whose wait is over. */
  void serveWaiting() {
    List<Waiting> some = new ArrayList<>();
    synchronized (waiting) {
      for (int i = waiting.size() - 1; i >= 0; i--) {
        if (!state.isOpening() || !isAwaited() || isFound(waiting.get(i).key)) {
          some.add(waiting.remove(i));
        }
      }
    }
    for (Waiting one : some) {
      long waited = clock.getAsLong() - one.askedNanos;
      boolean asked =
          state.isOpening()
              ? isFound(one.key) && threads.read(() -> serveEarly(one), one.loop)
              : state.ready() != null
                  && loads.add(
                      one.key,
                      one.request,
                      one.wanted,
                      one.loop,
                      (loaded, queued, read) -> one.then.loaded(loaded, waited + queued, read));
      if (!asked) {
        one.then.loaded(Loader.Loaded.none(LoadOutcome.ABSENT), waited, 0);
      }
    }
  }

  /**
   * Whether the key is already known, while the directory is being opened. Exact: a hint would be
   * wrong while the index is being filled, and the request would go to the origin.
   */
  private boolean isFound(CacheKey key) {
    DirectoryOpening begun = opening;
    OpenDirectory now = state.last();
    return begun != null
        && now != null
        && begun.isFinal()
        && !missed.covers(key)
        && !missed.covers(now.high(key))
        && now.catalogue().holds(now.high(key));
  }

  private void serveEarly(Waiting one) {
    long began = clock.getAsLong();
    OpenDirectory now = state.last();
    Loader.Loaded loaded = Loader.Loaded.none(LoadOutcome.ABSENT);
    if (now != null && (isFound(one.key) || state.ready() != null)) {
      loaded = load(now, one);
    }
    one.then.loaded(loaded, began - one.askedNanos, clock.getAsLong() - began);
  }

  private static Loader.Loaded load(OpenDirectory now, Waiting one) {
    try (LoadRound round = new LoadRound()) {
      return now.loader().load(one.key, one.request, one.wanted, round);
    } catch (OutOfMemoryError e) {
      now.memoryShort(e, "a read from disk");
      return Loader.Loaded.none(LoadOutcome.BUSY);
    } catch (IOException | RuntimeException | Error e) {
      now.failedToRead(e);
      return Loader.Loaded.none(LoadOutcome.DAMAGED);
    }
  }

  /** Loads for requests that waited together. Confined to a disk thread. */
  private final class Round implements Loads.Round {
    private final @Nullable OpenDirectory last = state.last();
    private final LoadRound held = new LoadRound();
    private boolean failed;

    @Override
    public Loader.Loaded load(CacheKey key, Fields request, Wanted wanted) {
      OpenDirectory now = last;
      if (now == null || !state.isReady()) {
        return Loader.Loaded.none(LoadOutcome.ABSENT);
      }
      if (failed) {
        return Loader.Loaded.none(LoadOutcome.DAMAGED);
      }
      try {
        return now.loader().load(key, request, wanted, held);
      } catch (OutOfMemoryError e) {
        now.memoryShort(e, "a read from disk");
        return Loader.Loaded.none(LoadOutcome.BUSY);
      } catch (IOException | RuntimeException | Error e) {
        // for all requests of this round: an unreadable place counts as one failure
        failed = true;
        now.failedToRead(e);
        return Loader.Loaded.none(LoadOutcome.DAMAGED);
      }
    }

    @Override
    public void close() {
      held.close();
    }
  }

  /** Looks for {@code loop}; false if it cannot be queued, and {@code then} is not told. */
  boolean peek(CacheKey key, @Nullable Fields request, EventExecutor loop, Consumer<Peeked> then) {
    OpenDirectory now = state.ready();
    long asked = clock.getAsLong();
    return now != null && threads.read(() -> then.accept(peekNow(now, key, request, asked)), loop);
  }

  private Peeked peekNow(
      OpenDirectory now, CacheKey key, @Nullable Fields request, long askedNanos) {
    if (!state.isReady()) {
      return Peeked.none(LoadOutcome.ABSENT);
    }
    if (loads.isLate(askedNanos)) {
      return Peeked.none(LoadOutcome.BUSY);
    }
    try {
      return now.loader().peek(key, request);
    } catch (OutOfMemoryError e) {
      now.memoryShort(e, "a look on disk");
      return Peeked.none(LoadOutcome.BUSY);
    } catch (IOException | RuntimeException | Error e) {
      now.failedToRead(e);
      return Peeked.none(LoadOutcome.DAMAGED);
    }
  }

  /** Loads variants for {@code loop}; false if that is not possible now. */
  boolean variants(
      CacheKey key,
      Predicate<StoredMeta> which,
      int max,
      EventExecutor loop,
      Consumer<List<Entry>> then) {
    OpenDirectory now = state.ready();
    long asked = clock.getAsLong();
    return now != null
        && threads.read(() -> then.accept(variantsNow(now, key, which, max, asked)), loop);
  }

  private List<Entry> variantsNow(
      OpenDirectory now, CacheKey key, Predicate<StoredMeta> which, int max, long askedNanos) {
    if (!state.isReady() || loads.isLate(askedNanos)) {
      return List.of();
    }
    try {
      return now.loader().variants(key, which, max);
    } catch (OutOfMemoryError e) {
      now.memoryShort(e, "a read from disk");
      return List.of();
    } catch (IOException | RuntimeException | Error e) {
      now.failedToRead(e);
      return List.of();
    }
  }
}
