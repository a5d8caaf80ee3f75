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

  /** {@code directory}, which missed a removal, is not opened again. Blocks. */
  void abandoned(DiskDirectory directory) {
    if (directories.hearing().isEmpty()) {
      roll.unheard();
    } else {
      missed(directory);
    }
  }

  /**
   * {@code directory} is off or closed, and has not heard of a removal. Tells {@code then} whether
   * it cannot bring the response back; on a disk thread or at once. One that is opened again soon
   * will carry the removal out, but not if the process is killed before that.
   */
  private void missed(DiskDirectory directory, Consumer<Boolean> then) {
    if (directory.isClosed() && directories.isPaused(directory)) {
      then.accept(false);
    } else if (directories.hearing().isEmpty()) {
      then.accept(roll.unheard());
    } else if (!write(() -> then.accept(missed(directory)))) {
      then.accept(false);
    }
  }

  /** The same, on a disk thread. */
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
    tellAll(new Removal(key, durably, then));
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

  /** A message to all directories. Thread-safe. */
  private abstract static class Message {
    private final AtomicInteger left = new AtomicInteger(1);

    /** Tells {@code directory}, which calls {@link #ended} later. */
    abstract void tell(DiskDirectory directory);

    /** Takes whether no directory that is not in use can bring a removed response back. */
    abstract void strangers(boolean safe);

    /** The answers of all have come. */
    abstract void end();

    final void begin(DiskDirectory directory) {
      left.incrementAndGet();
      tell(directory);
    }

    final void ended() {
      if (left.decrementAndGet() == 0) {
        end();
      }
    }
  }

  /**
   * Tells all directories, and the roll for those that are not in use. A directory that joins in
   * between may belong to neither when it is asked for, so it is told at the end.
   */
  private void tellAll(Message message) {
    List<DiskDirectory> told = heardBy();
    told.forEach(message::begin);
    if (!roll.hasStrangers()) {
      tellStrangers(message, told, true);
    } else if (directories.hearing().isEmpty()) {
      tellStrangers(message, told, roll.unheard());
    } else if (!write(() -> tellStrangers(message, told, missedByStrangers()))) {
      tellStrangers(message, told, false);
    }
  }

  private void tellStrangers(Message message, List<DiskDirectory> told, boolean safe) {
    List<DiskDirectory> now = directories.hearing();
    if (now != told) {
      for (DiskDirectory directory : now) {
        if (!told.contains(directory)) {
          message.begin(directory);
        }
      }
    }
    message.strangers(safe);
    message.ended();
  }

  /** A removal in progress. */
  private final class Removal extends Message {
    private final CacheKey key;
    private final boolean durably;
    private final IntConsumer then;
    private final AtomicLong sum = new AtomicLong();

    Removal(CacheKey key, boolean durably, IntConsumer then) {
      this.key = key;
      this.durably = durably;
      this.then = then;
    }

    @Override
    void tell(DiskDirectory directory) {
      if (!durably && directory.holdsNothing(key)) {
        told(directory, 0);
      } else {
        directory.removals().remove(key, durably, count -> told(directory, count));
      }
    }

    private void told(DiskDirectory directory, int count) {
      boolean away = count < 0 && isAway(directory);
      if (away && roll.isNoted(directory)) {
        add(0);
      } else if (away) {
        missed(directory, safe -> add(safe ? 0 : -1));
      } else {
        add(count);
      }
    }

    private void add(int count) {
      sum(count);
      ended();
    }

    private void sum(int count) {
      sum.updateAndGet(before -> before < 0 || count < 0 ? -1 : before + count);
    }

    @Override
    void strangers(boolean safe) {
      sum(safe ? 0 : -1);
    }

    @Override
    void end() {
      pending.reveal(key);
      then.accept((int) sum.get());
    }
  }

  /** The directories that hear of a removal: with none, the roll knows that none did. */
  private List<DiskDirectory> heardBy() {
    if (directories.hearing().isEmpty()) {
      roll.unheard();
    }
    return directories.hearing(); // a directory that is not in it joins after the roll knows
  }

  /** Whether it is off, or was closed since the removal began. */
  private static boolean isAway(DiskDirectory directory) {
    return directory.isOff() || directory.isClosed();
  }

  /**
   * Runs {@code task}, which writes down what a directory misses, on a thread of another one; false
   * if it is closed, or there is none.
   */
  private boolean write(Runnable task) {
    List<DiskDirectory> all = directories.hearing();
    for (DiskDirectory directory : all) {
      if (!isAway(directory)) {
        return directory.run(task);
      }
    }
    return !all.isEmpty() && all.get(0).run(task);
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
    List<DiskDirectory> all = directories.hearing();
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
    directories.hearing().forEach(directory -> directory.loadInto(purges));
    // a note that one of them missed is lost once the others have retired it
    for (Ban ban : purges.bans()) {
      for (DiskDirectory directory : directories.hearing()) {
        directory.removals().note(file -> file.ban(ban), false, done -> {});
      }
    }
    long until = purges.validateUntil();
    if (until > 0) {
      for (DiskDirectory directory : directories.hearing()) {
        directory.removals().note(file -> file.validateUntil(until), false, done -> {});
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

  /** The same for a moment until which everything is validated before its next use, durably. */
  void validateUntil(long millis, Consumer<Boolean> then) {
    note(file -> file.validateUntil(millis), true, then);
  }

  private void note(DirectoryRemovals.Note note, boolean durably, Consumer<Boolean> then) {
    tellAll(new Noting(note, durably, then));
  }

  /** A note in progress. */
  private final class Noting extends Message {
    private final DirectoryRemovals.Note note;
    private final boolean durably;
    private final Consumer<Boolean> then;
    private final AtomicBoolean noted = new AtomicBoolean(true);

    Noting(DirectoryRemovals.Note note, boolean durably, Consumer<Boolean> then) {
      this.note = note;
      this.durably = durably;
      this.then = then;
    }

    @Override
    void tell(DiskDirectory directory) {
      directory.removals().note(note, durably, done -> told(directory, done));
    }

    private void told(DiskDirectory directory, boolean done) {
      if (!done && isAway(directory)) {
        missed(directory, this::add);
      } else {
        add(done);
      }
    }

    private void add(boolean safe) {
      strangers(safe);
      ended();
    }

    @Override
    void strangers(boolean safe) {
      if (!safe) {
        noted.set(false);
      }
    }

    @Override
    void end() {
      then.accept(noted.get());
    }
  }

  /** Drops everything, in the background. Returns the number of responses. */
  int clear() {
    pending.cancelAll();
    pending.hideAll(1);
    Clearing clearing = new Clearing();
    tellAll(clearing);
    return clearing.count.get();
  }

  /** A removal of everything, in progress. */
  private final class Clearing extends Message {
    private final AtomicInteger count = new AtomicInteger();

    @Override
    void tell(DiskDirectory directory) {
      count.addAndGet(directory.removals().clear(this::ended));
      if (isAway(directory)) {
        missed(directory, safe -> {});
      }
    }

    @Override
    void strangers(boolean safe) {}

    @Override
    void end() {
      pending.revealAll();
    }
  }
}
