package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.store.disk.read.Loader;
import io.loligo.store.disk.read.Peeked;
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
  private final Directories directories;
  private final PendingChanges pending;

  /**
   * @param pending hides responses that are about to change
   */
  TierSearch(Directories directories, PendingChanges pending) {
    this.directories = directories;
    this.pending = pending;
  }

  /** A hint; see {@link DiskDirectory#mayHold}. */
  boolean mayHold(KeyProbe key) {
    for (DiskDirectory directory : directories.all()) {
      if (directory.mayHold(key) && answers(directory)) {
        // the pending write is newer than the stored response
        return !pending.isHidden(key);
      }
    }
    return false;
  }

  /** See {@link #mayHold(KeyProbe)}. */
  boolean mayHold(CacheKey key) {
    for (DiskDirectory directory : directories.all()) {
      if (directory.mayHold(key) && answers(directory)) {
        return !pending.isHidden(key);
      }
    }
    return false;
  }

  /** A directory that was away does not answer before the content of the others is known. */
  private boolean answers(DiskDirectory directory) {
    if (directory.isBehind()) {
      for (DiskDirectory other : directories.all()) {
        if (other != directory && other.isOpening()) {
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
    List<DiskDirectory> all = directories.all();
    if (all.size() != 1 || pending.isHidden(key)) {
      return null; // with several directories, the newest copy has to be found
    }
    Loader.Loaded loaded = all.get(0).reads().loadNow(key, request, wanted);
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
   * A walk through one directory after the other, which finds the newest copy. Confined to one task
   * at a time.
   *
   * @param <T> a result of one directory
   */
  private abstract class Walk<T> {
    final CacheKey key;
    private final List<DiskDirectory> all = directories.all();
    private int next;
    private @Nullable T newest;
    private @Nullable DiskDirectory holder;
    private LoadOutcome failure = LoadOutcome.ABSENT;

    Walk(CacheKey key) {
      this.key = key;
    }

    /** Asks {@code directory}, which calls {@link #take} later; false if it cannot be asked. */
    abstract boolean ask(DiskDirectory directory);

    /** The meta of a response that was found. */
    abstract StoredMeta meta(T found);

    /** Number of the object of a response that was found. */
    abstract long diskId(T found);

    /** Takes {@code older}, which was found in {@code from}: {@code newer} is used instead. */
    abstract void discard(DiskDirectory from, T older, T newer);

    /** Takes {@code found}, which is not used. */
    abstract void release(T found);

    /**
     * All directories were asked.
     *
     * @param found null unless FOUND
     */
    abstract void end(@Nullable T found, LoadOutcome outcome);

    final void goOn() {
      while (next < all.size()) {
        DiskDirectory directory = all.get(next++);
        if (directory.mayHold(key) && answers(directory)) {
          if (ask(directory)) {
            return;
          }
          failure = LoadOutcome.BUSY;
          break;
        }
      }
      end();
    }

    /** Takes the {@code result} of {@code from}, and asks the next directory. */
    final void take(DiskDirectory from, T result, LoadOutcome outcome) {
      if (outcome == LoadOutcome.FOUND) {
        found(from, result);
      } else if (outcome != LoadOutcome.ABSENT) {
        failure = outcome;
      }
      goOn();
    }

    private void found(DiskDirectory from, T one) {
      T before = newest;
      DiskDirectory there = holder;
      if (before == null || there == null) {
        keep(from, one);
      } else if (isPreferred(one, before)) {
        discard(there, before, one);
        keep(from, one);
      } else {
        discard(from, one, before);
      }
    }

    private void keep(DiskDirectory from, T one) {
      newest = one;
      holder = from;
    }

    /** Whether {@code one} is the whole response and {@code other} is not, or else is newer. */
    private boolean isPreferred(T one, T other) {
      boolean whole = meta(one).part() == null;
      return whole == (meta(other).part() == null) ? isNewer(one, other) : whole;
    }

    private boolean isNewer(T one, T other) {
      long oneMillis = meta(one).responseTimeMillis();
      long otherMillis = meta(other).responseTimeMillis();
      return oneMillis != otherMillis ? oneMillis > otherMillis : diskId(one) > diskId(other);
    }

    private void end() {
      T found = newest;
      if (found == null) {
        end(null, failure);
      } else if (failure == LoadOutcome.ABSENT) {
        end(found, LoadOutcome.FOUND);
      } else {
        // the unreadable copy may be the newer one
        release(found);
        end(null, failure);
      }
    }
  }

  /** A load. */
  private final class Search extends Walk<Loader.Loaded> {
    private final Fields request;
    private final Wanted wanted;
    private final EventExecutor loop;
    private final DiskTier.LoadListener then;
    private long queueNanos;
    private long readNanos;

    Search(
        CacheKey key,
        Fields request,
        Wanted wanted,
        EventExecutor loop,
        DiskTier.LoadListener then) {
      super(key);
      this.request = request;
      this.wanted = wanted;
      this.loop = loop;
      this.then = then;
    }

    @Override
    boolean ask(DiskDirectory directory) {
      return directory
          .reads()
          .load(
              key,
              request,
              wanted,
              loop,
              (loaded, queued, read) -> {
                queueNanos += queued;
                readNanos += read;
                take(directory, loaded, loaded.outcome());
              });
    }

    private static Entry entry(Loader.Loaded found) {
      assert found.entry() != null : "it was found";
      return found.entry();
    }

    @Override
    StoredMeta meta(Loader.Loaded found) {
      return entry(found).meta();
    }

    @Override
    long diskId(Loader.Loaded found) {
      return entry(found).diskId();
    }

    /** The older copy is dropped from its disk, too, if the newer one replaces it. */
    @Override
    void discard(DiskDirectory from, Loader.Loaded older, Loader.Loaded newer) {
      boolean whole = meta(older).part() == null && meta(newer).part() == null;
      if (whole && PendingWrite.isReplaced(meta(older).vary(), meta(newer).vary())) {
        from.removals().dropOlder(key, diskId(older));
      }
      release(older);
    }

    @Override
    void release(Loader.Loaded found) {
      entry(found).release();
    }

    @Override
    void end(Loader.@Nullable Loaded found, LoadOutcome outcome) {
      Entry entry = found == null ? null : found.entry();
      then.loaded(entry, outcome, found == null ? 0 : found.hits(), queueNanos, readNanos);
    }
  }

  /** Looks at all variants under {@code key}, the newest of each directory first. */
  void peek(
      CacheKey key, @Nullable Fields request, EventExecutor loop, DiskTier.PeekListener then) {
    new Look(key, request, loop, then).goOn();
  }

  /** A look, which drops nothing. */
  private final class Look extends Walk<Peeked> {
    private final @Nullable Fields request;
    private final EventExecutor loop;
    private final DiskTier.PeekListener then;
    private final List<Peeked> seen = new ArrayList<>();

    /** For everything that was looked at, selected or not. */
    private LoadOutcome all = LoadOutcome.ABSENT;

    Look(CacheKey key, @Nullable Fields request, EventExecutor loop, DiskTier.PeekListener then) {
      super(key);
      this.request = request;
      this.loop = loop;
      this.then = then;
    }

    @Override
    boolean ask(DiskDirectory directory) {
      boolean asked =
          directory.reads().peek(key, request, loop, peeked -> peeked(directory, peeked));
      all = asked ? all : LoadOutcome.BUSY;
      return asked;
    }

    private void peeked(DiskDirectory directory, Peeked peeked) {
      seen.add(peeked);
      LoadOutcome outcome = peeked.outcome();
      boolean failed = outcome == LoadOutcome.DAMAGED || outcome == LoadOutcome.BUSY;
      all = failed || all == LoadOutcome.ABSENT ? outcome : all;
      take(directory, peeked, peeked.load());
    }

    @Override
    StoredMeta meta(Peeked found) {
      assert found.selected() != null : "it was found";
      return found.selected().meta();
    }

    @Override
    long diskId(Peeked found) {
      return found.selectedId();
    }

    @Override
    void discard(DiskDirectory from, Peeked older, Peeked newer) {}

    @Override
    void release(Peeked found) {}

    @Override
    void end(@Nullable Peeked found, LoadOutcome outcome) {
      List<Glimpse> variants = new ArrayList<>();
      for (Peeked one : seen) {
        one.variants().forEach(it -> variants.add(it.selected(it.selected() && one.equals(found))));
      }
      Glimpse selected = found == null ? null : found.selected();
      then.peeked(variants, selected, outcome, all);
    }
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
    variants(directories.all(), 0, new ArrayList<>(), key, which, max, loop, then);
  }

  private void variants(
      List<DiskDirectory> all,
      int from,
      List<Entry> found,
      CacheKey key,
      Predicate<StoredMeta> which,
      int max,
      EventExecutor loop,
      Consumer<List<Entry>> then) {
    for (int i = from; i < all.size() && found.size() < max; i++) {
      DiskDirectory directory = all.get(i);
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
                    variants(all, next, found, key, which, max, loop, then);
                  })) {
        return;
      }
    }
    then.accept(found);
  }
}
