package io.loligo.store.disk;

import io.loligo.store.disk.format.RollSheet;
import io.loligo.store.disk.medium.Medium;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which directories have heard of every removal. Each directory has a copy, so that one that was
 * away knows at the next start what it must not serve. See {@code docs/disk-format.md}.
 * Thread-safe; blocks except for {@link #hasStrangers}, {@link #isNoted} and {@link #unheard}: not
 * on event loops. Its lock, inside which none is taken, is held while the small file is written, so
 * a change may have to wait for that.
 *
 * <p>It is written only on a change: a directory comes, is away or fails, or the first removal
 * comes of which an absent directory does not hear. Directories come and go with a reload, too:
 * {@link #leave} and {@link #join}.
 */
final class Roll {
  private static final Logger LOG = LoggerFactory.getLogger(Roll.class);
  private static final int ID_SHIFT = 20;

  /** A present directory. Guarded by the roll. */
  private static final class Member {
    final DiskDirectory directory;
    final long own;
    final boolean behind;

    /** Whether its sheet was written when one was last struck off. */
    boolean written;

    /** Whether it will be closed and opened again. */
    boolean paused;

    Member(DiskDirectory directory, long own, boolean behind) {
      this.directory = directory;
      this.own = own;
      this.behind = behind;
    }

    /** Whether nothing may be written into its folder, whose lock it may have released. */
    boolean isAbsent() {
      return paused && directory.isClosed();
    }
  }

  private final Medium medium;
  private final List<Member> members = new ArrayList<>();

  /** The number of the last sheets; 0: there were none. */
  private long number;

  /** The directories that have heard of every removal, by their own numbers. */
  private long[] listed = {};

  /** The directories that are off and will be emptied, as the roll records. */
  private final Set<DiskDirectory> noted = ConcurrentHashMap.newKeySet();

  private volatile boolean strangers;

  /** Whether something was removed while there was no directory, and none has joined since. */
  private volatile boolean unheard;

  /** Whether the directories are another process's. Changed under the monitor only. */
  private volatile boolean given;

  private Roll(Medium medium) {
    this.medium = medium;
  }

  /**
   * Reads the sheets of {@code directories}, claimed and not open yet, empties those that missed a
   * removal, and records the present ones.
   *
   * @throws IOException a directory cannot be written
   */
  static Roll call(List<DiskDirectory> directories, Medium medium) throws IOException {
    Roll roll = new Roll(medium);
    List<RollSheet> sheets = new ArrayList<>();
    RandomGenerator random = medium.random();
    for (DiskDirectory directory : directories) {
      sheets.add(read(directory, random));
    }
    if (!sheets.isEmpty()) {
      roll.begin(directories, sheets);
    }
    return roll;
  }

  /** The sheet of {@code directory}, or a new one. */
  private static RollSheet read(DiskDirectory directory, RandomGenerator random)
      throws IOException {
    try {
      RollSheet sheet = directory.claim().marks().readRoll();
      return sheet == null ? new RollSheet(random.nextLong(), 0, false, new long[0]) : sheet;
    } catch (IOException e) {
      throw directory.claim().refusal("ROLL cannot be read (" + e + "): look at its disk", e);
    }
  }

  private synchronized void begin(List<DiskDirectory> directories, List<RollSheet> sheets)
      throws IOException {
    RollSheet newest = sheets.get(0);
    for (RollSheet sheet : sheets) {
      newest = sheet.number() > newest.number() ? sheet : newest;
    }
    boolean same = newest.members().length == sheets.size();
    for (int i = 0; i < sheets.size(); i++) {
      RollSheet sheet = sheets.get(i);
      boolean known = newest.lists(sheet.own());
      same &= known && sheet.number() == newest.number();
      if (newest.number() > 0 && !known) {
        discard(directories.get(i));
      }
      add(
          directories.get(i),
          sheet.own(),
          known && (sheet.behind() || sheet.number() < newest.number()));
    }
    number = newest.number();
    listed = newest.members();
    list(own());
    if (!same) {
      raise();
      for (Member member : members) {
        writeAtStart(member);
      }
    }
  }

  private void add(DiskDirectory directory, long own, boolean behind) {
    directory.behind(behind);
    members.add(new Member(directory, own, behind));
  }

  /** Lists {@code more} beside those that are listed, if there is room for all. */
  private void list(long[] more) {
    long[] all = LongStream.concat(LongStream.of(more), LongStream.of(listed)).distinct().toArray();
    strangers = all.length > members.size();
    listed = all.length > RollSheet.MAX_MEMBERS ? own() : all;
  }

  private long[] own() {
    return members.stream().mapToLong(member -> member.own).toArray();
  }

  private boolean lists(long own) {
    return Arrays.stream(listed).anyMatch(one -> one == own);
  }

  private RollSheet sheet(Member member) {
    return new RollSheet(member.own, number, member.behind, listed);
  }

  private @Nullable Member member(DiskDirectory directory) {
    for (Member member : members) {
      if (member.directory == directory) {
        return member;
      }
    }
    return null;
  }

  private static void discard(DiskDirectory directory) throws IOException {
    try {
      directory.discard("it missed removals while it was not in use");
    } catch (IOException e) {
      throw directory.claim().refusal("cannot be emptied (" + e + "): look at its disk", e);
    }
  }

  private void writeAtStart(Member member) throws IOException {
    try {
      // a sheet lost in a power failure only empties a directory, so there is no force
      member.directory.claim().marks().writeRoll(sheet(member), false);
    } catch (IOException e) {
      throw member.directory.claim().refusal("cannot be written (" + e + "): look at its disk", e);
    }
  }

  /** The next number, for all sheets. */
  private void raise() {
    number = Math.max(medium.millis() << ID_SHIFT, number + 1);
  }

  /**
   * Whether some directory that is not configured now counts as one that heard of every removal.
   */
  boolean hasStrangers() {
    return strangers;
  }

  /**
   * A removal happened while there was no directory: each one that joins later begins empty.
   * Returns whether that is so. Any thread.
   */
  boolean unheard() {
    if (!unheard) {
      unheard = true;
      if (strangers) {
        LOG.warn(
            "a cache_dir that was removed from the configuration missed a removal: it begins empty"
                + " if this process uses it again; next: empty its folder before another process"
                + " uses it");
      }
    }
    return !given;
  }

  /**
   * {@code directory}, claimed and not open yet, is in use from now on. It is emptied if it may
   * have missed a removal. Call it when it hears of removals: none is noted for it from now on.
   *
   * @throws IOException it cannot be read or written; then it is not in use
   */
  synchronized void join(DiskDirectory directory) throws IOException {
    RollSheet sheet = read(directory, medium.random());
    if (unheard) {
      unheard = false; // first: a later one is noted again
      listed = Arrays.stream(own()).filter(this::lists).toArray();
      raise();
    }
    boolean first = number == 0;
    boolean heard = first ? sheet.number() == 0 || sheet.lists(sheet.own()) : lists(sheet.own());
    if (!heard) {
      discard(directory);
    }
    if (first && heard) {
      listed = sheet.members();
    }
    add(directory, sheet, heard && (sheet.behind() || sheet.number() < number));
  }

  /** Adds {@code directory}, which is not open yet, and writes all sheets. */
  private void add(DiskDirectory directory, RollSheet sheet, boolean behind) throws IOException {
    number = Math.max(number, sheet.number());
    add(directory, sheet.own(), behind);
    list(new long[] {sheet.own()});
    raise();
    Member joined = members.get(members.size() - 1);
    try {
      writeAtStart(joined);
    } catch (IOException e) {
      members.remove(joined);
      list(new long[0]);
      throw e;
    }
    for (Member member : members) {
      if (member != joined && !member.directory.isOff() && !member.isAbsent()) {
        writeOrWarn(member, false);
      }
    }
  }

  /**
   * {@code directory} will not be in use: from now on it is behind the others, and does not hear of
   * removals. Call it before it stops hearing of them.
   */
  synchronized void leave(DiskDirectory directory) {
    Member gone = member(directory);
    if (gone == null) {
      return;
    }
    members.remove(gone);
    noted.remove(directory);
    list(new long[0]);
    left();
  }

  /**
   * {@code directory} will be closed, and opened again as another object. It stays a member: that
   * one will hear of the removals that it misses.
   */
  synchronized void pause(DiskDirectory directory) {
    Member paused = member(directory);
    if (paused != null) {
      paused.paused = true;
    }
  }

  /**
   * {@code directory}, claimed and not open yet, is in use instead of {@code former}, which was
   * {@linkplain #pause paused} and is closed. It is emptied if it is not the same or has lost
   * removals.
   *
   * @throws IOException it cannot be read or written; then neither is in use
   */
  synchronized void replace(DiskDirectory former, DiskDirectory directory) throws IOException {
    Member gone = member(former);
    leave(former);
    RollSheet sheet = read(directory, medium.random());
    boolean same = gone != null && sheet.own() == gone.own && lists(gone.own);
    if (!same || former.lostRemovals()) {
      listed = Arrays.stream(listed).filter(own -> own != sheet.own()).toArray();
      join(directory);
    } else {
      boolean wasAway = !former.state().wasInOrder() && sheet.number() < number;
      add(directory, sheet, sheet.behind() || wasAway);
    }
  }

  /** The directories are another process's: no sheet is written, and no removal confirmed. */
  synchronized void give() {
    given = true;
  }

  /** They are this process's again: they {@link #join} again after this. */
  synchronized void takeBack() {
    given = false;
  }

  /** A directory is off: from now on it is behind the others, if there are any. */
  synchronized void left() {
    if (given || members.stream().allMatch(member -> member.directory.isOff())) {
      return;
    }
    raise();
    for (Member member : members) {
      if (!member.directory.isOff() && !member.isAbsent()) {
        writeOrWarn(member, false);
      }
    }
  }

  /**
   * A removal happened of which unconfigured directories have not heard. Returns whether none of
   * them can bring the removed responses back, whichever is configured with the present ones next.
   */
  synchronized boolean missedByStrangers() {
    if (given) {
      return false;
    }
    if (strangers) {
      strike(Arrays.stream(own()).filter(this::lists).toArray());
      strangers = !members.isEmpty() && !areWritten();
    }
    return !strangers;
  }

  /**
   * {@code directory}, which is off or was removed, has not heard of a removal. Returns whether it
   * cannot bring the removed responses back: its own sheet says that it begins empty, or those of
   * all others do.
   */
  synchronized boolean missedBy(DiskDirectory directory) {
    Member away = member(directory);
    if (given) {
      return false;
    }
    if (away == null) {
      return missedByStrangers();
    }
    if (!isNoted(directory)) {
      strike(LongStream.of(listed).filter(member -> member != away.own).toArray());
      if ((away.written && directory.isThere()) || areWritten()) {
        noted.add(directory);
      }
    }
    return isNoted(directory);
  }

  /** {@code directory} was off, and has by now carried out all missed removals. */
  synchronized void returned(DiskDirectory directory) {
    noted.remove(directory);
    Member back = member(directory);
    if (back != null) {
      strike(
          LongStream.concat(LongStream.of(back.own), LongStream.of(listed)).distinct().toArray());
    }
  }

  /** Whether {@link #missedBy} has recorded {@code directory} already. */
  boolean isNoted(DiskDirectory directory) {
    return noted.contains(directory);
  }

  /** Whether all directories that are on, at least one, have written their sheet. */
  private boolean areWritten() {
    boolean some = false;
    for (Member member : members) {
      if (!member.directory.isOff()) {
        if (!member.written) {
          return false;
        }
        some = true;
      }
    }
    return some;
  }

  private void strike(long[] remaining) {
    listed = remaining;
    raise();
    for (Member member : members) {
      // a directory that is off, too: it may be alone at the next start, and its disk may manage
      // that much
      member.written = !member.isAbsent() && writeOrWarn(member, true);
    }
  }

  private boolean writeOrWarn(Member member, boolean durably) {
    try {
      member.directory.claim().marks().writeRoll(sheet(member), durably);
      return true;
    } catch (IOException e) {
      LOG.warn(
          "cache_dir {}: {}; it may bring back responses removed while it was off; next: look for"
              + " faults of the disk",
          member.directory.config().path(),
          e.toString());
      return false;
    }
  }
}
