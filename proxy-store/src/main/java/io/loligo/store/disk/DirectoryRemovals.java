package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.VarySelection;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.index.IndexedResponse;
import io.loligo.store.disk.journal.Confirmations;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.purge.PurgeFile;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The removals of one directory: those that are carried out on its threads, and those that it
 * defers or misses while it is not ready; and the notes in its file of purges. Thread-safe: any
 * thread; nothing here blocks but {@link #carryOutDeferred}.
 */
final class DirectoryRemovals {
  /** Limit of missed notes; with more, everything is dropped. */
  private static final int MAX_NOTES = 1000;

  private final DiskDirectory directory;
  private final DirectoryState state;
  private final MissedRemovals missed;
  private final DiskThreads threads;
  private final PurgeFile purges;
  private final Confirmations confirmations;
  private final Confirmations notes;

  /** Notes that came after it was closed. Guarded by itself. */
  private final List<Note> missedNotes = new ArrayList<>();

  DirectoryRemovals(
      DiskDirectory directory,
      DirectoryState state,
      MissedRemovals missed,
      DiskThreads threads,
      PurgeFile purges) {
    this.directory = directory;
    this.state = state;
    this.missed = missed;
    this.threads = threads;
    this.purges = purges;
    this.confirmations =
        new Confirmations(() -> state.lastOpened().journal().force(), directory::fail);
    this.notes = new Confirmations(purges::force, directory::fail);
  }

  /**
   * Records that clients received a newer response for {@code key} while this directory was off. If
   * it is ready again, removes its own response at once.
   */
  void missed(CacheKey key) {
    if (!missed.add(key)) {
      remove(key, false, count -> {});
    }
  }

  /** Records that it missed a removal of responses whose keys are not known. */
  void missedMore() {
    missed.addMore();
  }

  /**
   * Drops all variants under {@code key}; a killed process does not bring them back. {@code then}
   * is told their number on a disk thread; -1 if the disk did not confirm.
   *
   * @param durably whether not even a power failure may bring them back: {@code then} waits for the
   *     disk
   */
  void remove(CacheKey key, boolean durably, IntConsumer then) {
    if (missed.defer(key, null, durably, then)) {
      return;
    }
    OpenDirectory now = state.ready();
    boolean queued =
        now != null
            && directory.run(() -> confirm(now, now.drop(key, null, durably), durably, then));
    if (!queued) {
      missed(key);
      then.accept(-1);
    }
  }

  /**
   * Drops the variant with the selection {@code vary} under {@code key}, or all where that is null:
   * another directory has a newer one.
   */
  void removeOlder(CacheKey key, @Nullable VarySelection vary) {
    if (missed.defer(key, vary, false, count -> {})) {
      return;
    }
    OpenDirectory now = state.ready();
    if (now == null) {
      missed(key);
    } else {
      directory.run(() -> confirm(now, now.drop(key, vary, false), false, count -> {}));
    }
  }

  /** Tells {@code then} when the dropped responses can no longer return. */
  private void confirm(OpenDirectory now, int count, boolean durably, IntConsumer then) {
    int told = count;
    try {
      if (count >= 0) {
        now.journal().flush(); // not that of another opening since
      }
    } catch (IOException | RuntimeException e) {
      now.broken(e);
      told = -1;
    }
    if (told >= 0 && durably) {
      confirmations.add(told, then);
    } else {
      then.accept(told);
    }
  }

  /** Drops variant {@code id} under {@code key}: another directory has a newer one. */
  void dropOlder(CacheKey key, long id) {
    OpenDirectory now = state.ready();
    if (now != null) {
      threads.urgent(
          () -> {
            long high = now.high(key);
            for (IndexedResponse stored : now.catalogue().variants(high)) {
              ByteBuf block = now.context().blocks().tryReadFirst(stored.place(), stored.length());
              if (block != null) {
                if (stored.isSame(block) && Block.id(block) == id) {
                  now.catalogue().drop(stored);
                }
                block.release();
              }
            }
          });
    }
  }

  /** An entry for the file of purges. */
  interface Note {
    void in(PurgeFile file) throws IOException;
  }

  /**
   * Writes it down in every state; tells {@code then} whether that worked.
   *
   * @param durably whether not even a power failure may undo it: {@code then} waits for the disk
   */
  void note(Note note, boolean durably, Consumer<Boolean> then) {
    boolean queued =
        directory.run(
            () -> {
              boolean done = false;
              try {
                note.in(purges);
                done = true;
              } catch (IOException | RuntimeException | Error e) {
                directory.fail(e);
              } finally {
                if (!done) {
                  missedMore();
                }
                if (done && durably) {
                  notes.add(0, count -> then.accept(count == 0));
                } else {
                  then.accept(done);
                }
              }
            });
    if (!queued) {
      missed(note);
      then.accept(false);
    }
  }

  private void missed(Note note) {
    synchronized (missedNotes) {
      if (missedNotes.size() < MAX_NOTES) {
        missedNotes.add(note);
        return;
      }
    }
    missedMore();
  }

  /** Whether it has missed a removal or a note. */
  boolean missedAny() {
    synchronized (missedNotes) {
      return missed.isAny() || !missedNotes.isEmpty();
    }
  }

  /**
   * Takes over what {@code former} has missed, which had the directory before and is closed. Before
   * it is opened.
   */
  void inherit(DirectoryRemovals former) {
    missed.inherit(former.missed);
    List<Note> some;
    synchronized (former.missedNotes) {
      some = List.copyOf(former.missedNotes);
    }
    some.forEach(note -> note(note, false, done -> {}));
  }

  /** Whether it has to forget everything when it is open. */
  boolean forgetsAll() {
    return missed.forgetsAll();
  }

  /** Drops everything; {@code then} is told on a disk thread. Returns the number of responses. */
  int clear(Runnable then) {
    if (missed.deferAll()) {
      then.run();
      return 0;
    }
    OpenDirectory now = state.ready();
    if (now == null) {
      missedMore();
    }
    int count = now == null ? 0 : now.catalogue().objects();
    boolean queued =
        now != null
            && threads.urgent(
                () -> {
                  clearNow(now);
                  then.run();
                });
    if (!queued) {
      then.run();
    }
    return count;
  }

  private void clearNow(OpenDirectory now) {
    try {
      now.catalogue().clear();
      now.journal().flush();
    } catch (IOException | RuntimeException | Error e) {
      now.broken(e);
    }
  }

  /** Carries out the deferred removals, before everything is served. */
  boolean carryOutDeferred() throws IOException {
    OpenDirectory open = state.lastOpened();
    List<MissedRemovals.Deferred> through = new ArrayList<>();
    boolean ready = missed.carryOut(open, through, this::missed);
    for (MissedRemovals.Deferred one : through) {
      confirm(open, one.count(), one.durably(), one.then());
    }
    return ready;
  }

  /** The deferred removals cannot be carried out: it is off, or closed. */
  void giveUpDeferred() {
    for (MissedRemovals.Deferred one : missed.giveUp()) {
      missed(one.key()); // it may be opened again
      one.then().accept(-1);
    }
  }
}
