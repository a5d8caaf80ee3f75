package io.loligo.store.disk;

import io.loligo.core.caching.CacheKey;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purges;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes responses from all directories, and notes purges in them. A directory that is off, or
 * that is not configured now, does not hear of it: {@link Roll} notes that, before the removal is
 * confirmed. Thread-safe: any thread; nothing blocks.
 */
final class TierRemovals {
  private static final Logger LOG = LoggerFactory.getLogger(TierRemovals.class);

  private final Directories directories;
  private final PendingChanges pending;
  private final Roll roll;

  /**
   * @param pending hides responses that are being removed
   */
  TierRemovals(Directories directories, PendingChanges pending, Roll roll) {
    this.directories = directories;
    this.pending = pending;
    this.roll = roll;
  }

  /** {@code directory} is off from now on. On a disk thread. */
  void left(DiskDirectory directory) {
    roll.left();
    if (directory.removals().forgetsAll()) {
      missed(directory);
    }
  }

  /**
   * {@code directory} is off and has not heard of a removal. Returns whether it cannot bring the
   * response back; on a disk thread.
   */
  private boolean missed(DiskDirectory directory) {
    boolean safe = roll.missedBy(directory);
    if (!safe) {
      LOG.warn(
          "cache_dir {}: may bring back removed responses; next: purge again when it is on",
          directory.config().path());
    }
    return safe;
  }

  /**
   * Drops all variants under {@code key}: none is found from now on. Once no killed process can
   * bring them back, {@code then} is told their number on a disk thread, or -1 if a disk did not
   * confirm.
   *
   * @param durably whether not even a power failure may bring them back: {@code then} waits for the
   *     disks
   */
  void remove(CacheKey key, boolean durably, IntConsumer then) {
    pending.cancel(key);
    pending.hide(key);
    List<DiskDirectory> all = heardBy();
    Removal removal = new Removal(key, all.size(), then);
    for (DiskDirectory directory : all) {
      if (!durably && directory.holdsNothing(key)) {
        removal.told(directory, 0);
      } else {
        directory.removals().remove(key, durably, count -> removal.told(directory, count));
      }
    }
    removal.tellStrangers();
  }

  /**
   * The same, durably, if a disk may have, or be about to have, anything under {@code key}; else
   * false, and {@code then} is not told. Call it between {@link DiskTier#hide} and {@link
   * DiskTier#reveal}, after memory has forgotten it: entries in memory may be on their way to disk.
   */
  boolean forget(CacheKey key, IntConsumer then) {
    pending.cancel(key);
    boolean any = !holdsNothing(key);
    if (any) {
      remove(key, true, then);
    }
    return any;
  }

  /**
   * Whether no disk holds, or is about to hold, a response under {@code key}. Legal after the key
   * was hidden and its pending writes were cancelled.
   */
  private boolean holdsNothing(CacheKey key) {
    if (!pending.isRemovedOnce(key) || roll.hasStrangers()) {
      return false; // responses that another removal found may still stand on a disk
    }
    for (DiskDirectory directory : heardBy()) {
      if (!(directory.isOff() ? roll.isNoted(directory) : directory.holdsNothing(key))) {
        return false;
      }
    }
    return true;
  }

  /** A removal in progress. Thread-safe. */
  private final class Removal {
    private final CacheKey key;
    private final IntConsumer then;
    private final AtomicInteger left;
    private final AtomicLong sum = new AtomicLong();

    Removal(CacheKey key, int count, IntConsumer then) {
      this.key = key;
      this.then = then;
      this.left = new AtomicInteger(count + 1);
    }

    void told(DiskDirectory directory, int count) {
      boolean away = count < 0 && isAway(directory);
      if (away && roll.isNoted(directory)) {
        add(0);
      } else if (!away || !write(() -> add(missed(directory) ? 0 : -1))) {
        add(count);
      }
    }

    void tellStrangers() {
      if (!roll.hasStrangers()) {
        add(0);
      } else if (!write(() -> add(missedByStrangers() ? 0 : -1))) {
        add(-1);
      }
    }

    private void add(int count) {
      sum.updateAndGet(before -> before < 0 || count < 0 ? -1 : before + count);
      if (left.decrementAndGet() == 0) {
        pending.reveal(key);
        then.accept((int) sum.get());
      }
    }
  }

  /** The directories that hear of a removal: with none, the roll knows that none did. */
  private List<DiskDirectory> heardBy() {
    List<DiskDirectory> all = directories.all();
    if (all.isEmpty()) {
      roll.unheard();
    }
    return all;
  }

  /** Whether it is off, or was closed since the removal began. */
  private static boolean isAway(DiskDirectory directory) {
    return directory.isOff() || directory.isClosed();
  }

  /**
   * Runs {@code task}, which writes down what a directory misses, on a thread of another one; false
   * if it is closed.
   */
  private boolean write(Runnable task) {
    List<DiskDirectory> all = directories.all();
    for (DiskDirectory directory : all) {
      if (!isAway(directory)) {
        return directory.run(task);
      }
    }
    if (all.isEmpty()) {
      task.run(); // there is no file to write
      return true;
    }
    return all.get(0).run(task);
  }

  private boolean missedByStrangers() {
    boolean safe = roll.missedByStrangers();
    if (!safe) {
      LOG.warn(
          "a cache_dir that is not configured now may bring back removed responses; next: empty its"
              + " folder before you configure it again");
    }
    return safe;
  }

  /**
   * Drops the responses stored under {@code key}, because clients have received a newer one. They
   * are not found from now on. A directory that is being opened drops them before it serves any
   * response.
   */
  void supersede(CacheKey key) {
    List<DiskDirectory> all = directories.all();
    if (all.isEmpty()) {
      return;
    }
    pending.cancel(key);
    pending.hide(key);
    AtomicInteger left = new AtomicInteger(1);
    IntConsumer through =
        count -> {
          if (left.decrementAndGet() == 0) {
            pending.reveal(key);
          }
        };
    for (DiskDirectory directory : all) {
      if (directory.isOpening()) {
        directory.removals().remove(key, false, count -> {});
      } else if (isAway(directory)) {
        directory.removals().missed(key);
      } else if (directory.holds(key)) {
        left.incrementAndGet();
        directory.removals().remove(key, false, through);
      }
    }
    through.accept(0);
  }

  /** Tells {@code purges} the purges noted before this start. */
  void loadInto(Purges purges) {
    directories.all().forEach(directory -> directory.loadInto(purges));
    // a note that one of them missed is lost once the others have retired it
    for (Ban ban : purges.bans()) {
      for (DiskDirectory directory : directories.all()) {
        directory.removals().note(file -> file.ban(ban), false, done -> {});
      }
    }
  }

  /**
   * Notes a purge in every directory; {@code then} is told whether all of them have it.
   *
   * @param durably whether not even a power failure may undo it: {@code then} waits for the disks
   */
  void mark(
      Purges.Table table, long[] numbers, long millis, boolean durably, Consumer<Boolean> then) {
    note(file -> file.mark(table, numbers, millis), durably, then);
  }

  /** The same for a pattern, durably. */
  void ban(Ban ban, Consumer<Boolean> then) {
    note(file -> file.ban(ban), true, then);
  }

  private void note(DirectoryRemovals.Note note, boolean durably, Consumer<Boolean> then) {
    List<DiskDirectory> all = heardBy();
    if (all.isEmpty() && !roll.hasStrangers()) {
      then.accept(true);
      return;
    }
    AtomicInteger left = new AtomicInteger(all.size() + 1);
    AtomicBoolean noted = new AtomicBoolean(true);
    Consumer<Boolean> part =
        done -> {
          if (!done) {
            noted.set(false);
          }
          if (left.decrementAndGet() == 0) {
            then.accept(noted.get());
          }
        };
    for (DiskDirectory directory : all) {
      directory
          .removals()
          .note(
              note,
              durably,
              done -> {
                part.accept(done || (isAway(directory) && missed(directory)));
              });
    }
    if (!roll.hasStrangers()) {
      part.accept(true);
    } else if (!write(() -> part.accept(missedByStrangers()))) {
      part.accept(false);
    }
  }

  /** Drops everything, in the background. Returns the number of responses. */
  int clear() {
    int count = 0;
    pending.cancelAll();
    List<DiskDirectory> all = heardBy();
    pending.hideAll(all.size());
    for (DiskDirectory directory : all) {
      count += directory.removals().clear(pending::revealAll);
      if (isAway(directory)) {
        write(() -> missed(directory));
      }
    }
    if (roll.hasStrangers()) {
      write(this::missedByStrangers);
    }
    return count;
  }
}
