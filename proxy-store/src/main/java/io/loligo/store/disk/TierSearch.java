package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.store.disk.read.Loader;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.Glimpse;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks for responses in several directories, one after the other. A directory that was away may
 * hold an older copy: the newest copy is found, and the others are dropped. Thread-safe: any
 * thread; nothing blocks.
 */
final class TierSearch {
  private final List<DiskDirectory> directories;
  private final PendingChanges pending;

  /**
   * @param pending hides responses that are about to change
   */
  TierSearch(List<DiskDirectory> directories, PendingChanges pending) {
    this.directories = directories;
    this.pending = pending;
  }

  /** A hint; see {@link DiskDirectory#mayHold}. */
  boolean mayHold(KeyProbe key) {
    for (DiskDirectory directory : directories) {
      if (directory.mayHold(key) && answers(directory)) {
        // the pending write is newer than the stored response
        return !pending.isHidden(key);
      }
    }
    return false;
  }

  /** See {@link #mayHold(KeyProbe)}. */
  boolean mayHold(CacheKey key) {
    for (DiskDirectory directory : directories) {
      if (directory.mayHold(key) && answers(directory)) {
        return !pending.isHidden(key);
      }
    }
    return false;
  }

  /** A directory that was away does not answer before the content of the others is known. */
  private boolean answers(DiskDirectory directory) {
    if (directory.isBehind()) {
      for (DiskDirectory other : directories) {
        if (other.isOpening()) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Does the same as {@link #load} if no wait for the disk is needed; else null. Any thread; never
   * blocks.
   */
  DiskTier.@Nullable LoadedNow loadNow(CacheKey key, Fields request, Wanted wanted) {
    if (directories.size() != 1 || pending.isHidden(key)) {
      return null; // with several directories, the newest copy has to be found
    }
    Loader.Loaded loaded = directories.get(0).reads().loadNow(key, request, wanted);
    return loaded == null || loaded.outcome() == LoadOutcome.BUSY
        ? null
        : new DiskTier.LoadedNow(loaded.entry(), loaded.outcome(), loaded.hits());
  }

  /**
   * Loads the variant under {@code key} that {@code request} selects, for {@code loop}; {@code
   * then} is told on a disk thread or at once.
   */
  void load(
      CacheKey key, Fields request, Wanted wanted, EventExecutor loop, DiskTier.LoadListener then) {
    new Search(key, request, wanted, loop, then).goOn();
  }

  /**
   * A load through one directory after the other; the newest copy is found. Confined to one task at
   * a time.
   */
  private final class Search {
    private final CacheKey key;
    private final Fields request;
    private final Wanted wanted;
    private final EventExecutor loop;
    private final DiskTier.LoadListener then;
    private int next;
    private @Nullable Entry newest;
    private @Nullable DiskDirectory holder;
    private int hits;
    private LoadOutcome failure = LoadOutcome.ABSENT;
    private long queueNanos;
    private long readNanos;

    Search(
        CacheKey key,
        Fields request,
        Wanted wanted,
        EventExecutor loop,
        DiskTier.LoadListener then) {
      this.key = key;
      this.request = request;
      this.wanted = wanted;
      this.loop = loop;
      this.then = then;
    }

    void goOn() {
      while (next < directories.size()) {
        DiskDirectory directory = directories.get(next++);
        if (directory.mayHold(key) && answers(directory)) {
          boolean asked =
              directory
                  .reads()
                  .load(key, request, wanted, loop, (l, q, r) -> take(directory, l, q, r));
          if (!asked) {
            failure = LoadOutcome.BUSY;
            break;
          }
          return;
        }
      }
      end();
    }

    private void take(DiskDirectory from, Loader.Loaded loaded, long queued, long read) {
      queueNanos += queued;
      readNanos += read;
      Entry entry = loaded.entry();
      if (entry != null) {
        found(from, entry, loaded.hits());
      } else if (loaded.outcome() != LoadOutcome.ABSENT) {
        failure = loaded.outcome();
      }
      goOn();
    }

    private void found(DiskDirectory from, Entry entry, int itsHits) {
      Entry before = newest;
      DiskDirectory there = holder;
      if (before == null || there == null) {
        keep(from, entry, itsHits);
      } else if (isPreferred(entry, before)) {
        discard(there, before, entry);
        keep(from, entry, itsHits);
      } else {
        discard(from, entry, before);
      }
    }

    private void keep(DiskDirectory from, Entry entry, int itsHits) {
      newest = entry;
      holder = from;
      hits = itsHits;
    }

    /** Releases {@code older}; it is dropped from its disk, too, if {@code newer} replaces it. */
    private void discard(DiskDirectory from, Entry older, Entry newer) {
      boolean whole = older.meta().part() == null && newer.meta().part() == null;
      if (whole && PendingWrite.isReplaced(older.meta().vary(), newer.meta().vary())) {
        from.dropOlder(key, older.diskId());
      }
      older.release();
    }

    private void end() {
      if (newest == null) {
        then.loaded(null, failure, 0, queueNanos, readNanos);
      } else if (failure == LoadOutcome.ABSENT) {
        then.loaded(newest, LoadOutcome.FOUND, hits, queueNanos, readNanos);
      } else {
        // the unreadable copy may be the newer one
        newest.release();
        then.loaded(null, failure, 0, queueNanos, readNanos);
      }
    }
  }

  /** Looks at all variants under {@code key}, the newest of each directory first. */
  void peek(CacheKey key, EventExecutor loop, DiskTier.PeekListener then) {
    peek(0, LoadOutcome.ABSENT, new ArrayList<>(), key, loop, then);
  }

  private void peek(
      int from,
      LoadOutcome before,
      List<Glimpse> seen,
      CacheKey key,
      EventExecutor loop,
      DiskTier.PeekListener then) {
    for (int i = from; i < directories.size(); i++) {
      DiskDirectory directory = directories.get(i);
      if (!directory.mayHold(key) || !answers(directory)) {
        continue;
      }
      int next = i + 1;
      boolean asked =
          directory
              .reads()
              .peek(
                  key,
                  loop,
                  peeked -> {
                    seen.addAll(peeked.variants());
                    LoadOutcome outcome = peeked.outcome();
                    boolean tellsMore =
                        before == LoadOutcome.ABSENT
                            || outcome == LoadOutcome.DAMAGED
                            || outcome == LoadOutcome.BUSY;
                    peek(next, tellsMore ? outcome : before, seen, key, loop, then);
                  });
      if (!asked) {
        then.peeked(seen, LoadOutcome.BUSY);
      }
      return;
    }
    then.peeked(seen, before);
  }

  /**
   * Loads the newest variants under {@code key} that {@code which} accepts, whatever requests
   * select them; {@code then} takes them, {@code max} at most, on a disk thread or at once.
   */
  void variants(
      CacheKey key,
      Predicate<StoredMeta> which,
      int max,
      EventExecutor loop,
      Consumer<List<Entry>> then) {
    variants(0, new ArrayList<>(), key, which, max, loop, then);
  }

  private void variants(
      int from,
      List<Entry> found,
      CacheKey key,
      Predicate<StoredMeta> which,
      int max,
      EventExecutor loop,
      Consumer<List<Entry>> then) {
    for (int i = from; i < directories.size() && found.size() < max; i++) {
      DiskDirectory directory = directories.get(i);
      int next = i + 1;
      if (directory.mayHold(key)
          && answers(directory)
          && directory
              .reads()
              .variants(
                  key,
                  which,
                  max - found.size(),
                  loop,
                  more -> {
                    found.addAll(more);
                    variants(next, found, key, which, max, loop, then);
                  })) {
        return;
      }
    }
    then.accept(found);
  }

  /** Whether {@code one} is the whole response and {@code other} is not, or else is newer. */
  private static boolean isPreferred(Entry one, Entry other) {
    boolean whole = one.meta().part() == null;
    return whole == (other.meta().part() == null) ? isNewer(one, other) : whole;
  }

  private static boolean isNewer(Entry one, Entry other) {
    long oneMillis = one.meta().responseTimeMillis();
    long otherMillis = other.meta().responseTimeMillis();
    return oneMillis != otherMillis ? oneMillis > otherMillis : one.diskId() > other.diskId();
  }
}
