package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.VarySelection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Removals that a directory cannot carry out now. While it is being opened, they are deferred;
 * while it is off, it is recorded which ones it missed. They are carried out before the directory
 * is ready. Thread-safe: guarded by the monitor of the {@link DirectoryState}.
 */
final class MissedRemovals {
  /** Limit of removals of either kind; with more, everything is dropped. */
  private static final int MAX = 65_536;

  private final DirectoryState state;
  private final List<Deferred> deferred = new ArrayList<>();

  /** The keys of {@link #deferred}: nothing is found there before the directory is open. */
  private final Set<CacheKey> removing = ConcurrentHashMap.newKeySet();

  /** Changed under the monitor only. */
  private volatile boolean forgetsAll;

  /** First halves of hashes under which it missed a removal while it was off. */
  private final Set<Long> hashes = new HashSet<>();

  /** It missed more than {@link #hashes} covers. */
  private boolean more;

  /** First halves of hashes under which nothing is found before the directory is open. */
  private volatile Set<Long> inherited = Set.of();

  MissedRemovals(DirectoryState state) {
    this.state = state;
  }

  /** A removal that waits until the content is known. Confined to one thread at a time. */
  static final class Deferred {
    private final CacheKey key;
    private final @Nullable VarySelection vary;
    private final boolean durably;
    private final IntConsumer then;
    private int count = -1;

    private Deferred(
        CacheKey key, @Nullable VarySelection vary, boolean durably, IntConsumer then) {
      this.key = key;
      this.vary = vary;
      this.durably = durably;
      this.then = then;
    }

    CacheKey key() {
      return key;
    }

    boolean durably() {
      return durably;
    }

    /** Told how many responses were dropped. */
    IntConsumer then() {
      return then;
    }

    /** How many responses were dropped; -1: it was not carried out. */
    int count() {
      return count;
    }
  }

  /**
   * Defers the removal of the variant with the selection {@code vary} under {@code key}, null: of
   * all, if the directory is being opened; else returns false and does nothing.
   */
  boolean defer(CacheKey key, @Nullable VarySelection vary, boolean durably, IntConsumer then) {
    synchronized (state) {
      if (!state.isOpening()) {
        return false;
      }
      if (deferred.size() < MAX) {
        deferred.add(new Deferred(key, vary, durably, then));
        removing.add(key);
        return true;
      }
      forgetsAll = true;
    }
    then.accept(-1);
    return true;
  }

  /** The same for everything. */
  boolean deferAll() {
    synchronized (state) {
      if (state.isOpening()) {
        forgetsAll = true;
        return true;
      }
      return false;
    }
  }

  /** Whether it has to forget everything when it is open. */
  boolean forgetsAll() {
    return forgetsAll;
  }

  /** Whether nothing is found under {@code key} before the directory is open. */
  boolean covers(CacheKey key) {
    return forgetsAll || removing.contains(key);
  }

  /**
   * Takes over what {@code former} has missed, which had the directory before and is closed. Before
   * it is opened.
   */
  void inherit(MissedRemovals former) {
    Set<Long> some = former.hashes();
    boolean all = former.hasMore();
    synchronized (state) {
      hashes.addAll(some);
      inherited = some;
      more |= all;
      if (all) {
        forgetsAll = true;
      }
    }
  }

  /** Whether nothing is found under a key with this first half of a hash before it is open. */
  boolean covers(long high) {
    return inherited.contains(high);
  }

  /** It missed a removal under {@code key}; false: it did not, because it is ready. */
  boolean add(CacheKey key) {
    OpenDirectory last = state.last();
    synchronized (state) {
      if (state.isReady()) {
        return false;
      }
      if (last == null || hashes.size() >= MAX) {
        more = true;
      } else {
        hashes.add(last.high(key));
      }
      return true;
    }
  }

  /** It missed the removal of responses that are not known by their keys. */
  void addMore() {
    synchronized (state) {
      more = true;
    }
  }

  /** Whether it missed more than single keys. */
  boolean hasMore() {
    synchronized (state) {
      return more;
    }
  }

  /** First halves of the hashes under which it has missed a removal so far. */
  Set<Long> hashes() {
    synchronized (state) {
      return Set.copyOf(hashes);
    }
  }

  /** Whether it has missed a removal. */
  boolean isAny() {
    synchronized (state) {
      return more || !hashes.isEmpty();
    }
  }

  /** The directory begins empty: it has missed nothing. */
  void clear() {
    synchronized (state) {
      more = false;
      hashes.clear();
    }
  }

  /**
   * Carries out the deferred and missed removals in {@code open} until none is left; then the
   * directory becomes ready. Returns whether it did.
   *
   * @param through given the deferred ones, which are to be confirmed
   * @param missed told of keys whose removal is no longer possible: the directory is off, or closed
   */
  boolean carryOut(OpenDirectory open, List<Deferred> through, Consumer<CacheKey> missed)
      throws IOException {
    boolean emptied = false;
    boolean ready = false;
    boolean left = true;
    while (left) {
      List<Deferred> some;
      List<Long> gone;
      boolean all;
      synchronized (state) {
        some = List.copyOf(deferred);
        deferred.clear();
        gone = List.copyOf(hashes);
        hashes.clear();
        all = (forgetsAll || more) && !emptied;
        left = state.isOpening() && (all || !some.isEmpty() || !gone.isEmpty());
        ready = !left && state.becomeReady();
        if (ready) {
          forgetsAll = false;
          more = false;
        }
      }
      if (left && all) {
        open.catalogue().clear();
        open.journal().flush();
        emptied = true;
      }
      for (long high : gone) {
        open.catalogue().dropAll(high, true);
      }
      if (!gone.isEmpty()) {
        open.journal().force();
      }
      for (Deferred one : some) {
        one.count = left ? open.drop(one.key, one.vary, one.durably) : -1;
        if (!left) {
          missed.accept(one.key);
        }
      }
      through.addAll(some);
    }
    return ready;
  }

  /** The deferred removals, which will not be carried out: the directory is off, or closed. */
  List<Deferred> giveUp() {
    synchronized (state) {
      List<Deferred> left = List.copyOf(deferred);
      deferred.clear();
      return left;
    }
  }

  /** No removal is deferred any more. */
  void allAreThrough() {
    removing.clear();
    inherited = Set.of();
  }
}
