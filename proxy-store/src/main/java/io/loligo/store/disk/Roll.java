package io.loligo.store.disk;

import io.loligo.store.disk.format.RollSheet;
import io.loligo.store.disk.medium.Medium;
import java.io.IOException;
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
 * Thread-safe; blocks except for {@link #hasStrangers} and {@link #isNoted}: not on event loops.
 * Its lock, inside which none is taken, is held while the small file is written, so a change may
 * have to wait for that.
 *
 * <p>It is written only on a change: a directory comes, is away or fails, or the first removal
 * comes of which an absent directory does not hear.
 */
final class Roll {
  private static final Logger LOG = LoggerFactory.getLogger(Roll.class);
  private static final int ID_SHIFT = 20;

  private final List<DiskDirectory> directories;
  private final RollSheet[] sheets;
  private final Medium medium;

  /** The directories that are off and will be emptied, as the roll records. */
  private final Set<DiskDirectory> noted = ConcurrentHashMap.newKeySet();

  /** The directories whose sheet was written when one was last struck off. */
  private final boolean[] written;

  private volatile boolean strangers;

  private Roll(List<DiskDirectory> directories, RollSheet[] sheets, Medium medium) {
    this.directories = directories;
    this.sheets = sheets;
    this.medium = medium;
    this.written = new boolean[sheets.length];
  }

  /**
   * Reads the sheets of {@code directories}, claimed and not open yet, empties those that missed a
   * removal, and records the present ones.
   *
   * @throws IOException a directory cannot be written
   */
  static Roll call(List<DiskDirectory> directories, Medium medium) throws IOException {
    RandomGenerator random = medium.random();
    RollSheet[] sheets = new RollSheet[directories.size()];
    RollSheet newest = null;
    for (int i = 0; i < sheets.length; i++) {
      RollSheet sheet = read(directories.get(i));
      sheets[i] = sheet == null ? new RollSheet(random.nextLong(), 0, false, new long[0]) : sheet;
      newest = newest == null || sheets[i].number() > newest.number() ? sheets[i] : newest;
    }
    Roll roll = new Roll(directories, sheets, medium);
    if (newest != null) {
      roll.begin(newest);
    }
    return roll;
  }

  private static @Nullable RollSheet read(DiskDirectory directory) throws IOException {
    try {
      return directory.claim().marks().readRoll();
    } catch (IOException e) {
      throw directory.claim().refusal("ROLL cannot be read (" + e + "): look at its disk", e);
    }
  }

  private synchronized void begin(RollSheet newest) throws IOException {
    boolean same = newest.members().length == sheets.length;
    for (int i = 0; i < sheets.length; i++) {
      RollSheet sheet = sheets[i];
      boolean listed = newest.lists(sheet.own());
      same &= listed && sheet.number() == newest.number();
      if (newest.number() > 0 && !listed) {
        discard(directories.get(i));
      }
      boolean behind = listed && (sheet.behind() || sheet.number() < newest.number());
      directories.get(i).behind(behind);
      sheets[i] = new RollSheet(sheet.own(), sheet.number(), behind, sheet.members());
    }
    long[] here = Arrays.stream(sheets).mapToLong(RollSheet::own).toArray();
    long[] all =
        LongStream.concat(LongStream.of(here), LongStream.of(newest.members()))
            .distinct()
            .toArray();
    if (!same) {
      long[] members = all.length > RollSheet.MAX_MEMBERS ? here : all;
      for (int i = 0; i < sheets.length; i++) {
        sheets[i] = new RollSheet(sheets[i].own(), newest.number(), sheets[i].behind(), members);
      }
      raise();
      for (int i = 0; i < sheets.length; i++) {
        writeAtStart(i);
      }
    }
    strangers = all.length > here.length;
  }

  private static void discard(DiskDirectory directory) throws IOException {
    try {
      directory.discard("it missed removals while it was not in use");
    } catch (IOException e) {
      throw directory.claim().refusal("cannot be emptied (" + e + "): look at its disk", e);
    }
  }

  private void writeAtStart(int directory) throws IOException {
    try {
      // a sheet lost in a power failure only empties a directory, so there is no force
      directories.get(directory).claim().marks().writeRoll(sheets[directory], false);
    } catch (IOException e) {
      throw directories
          .get(directory)
          .claim()
          .refusal("cannot be written (" + e + "): look at its disk", e);
    }
  }

  /** Gives all sheets the next number. */
  private void raise() {
    long number = medium.millis() << ID_SHIFT;
    for (RollSheet sheet : sheets) {
      number = Math.max(number, sheet.number() + 1);
    }
    for (int i = 0; i < sheets.length; i++) {
      sheets[i] = new RollSheet(sheets[i].own(), number, sheets[i].behind(), sheets[i].members());
    }
  }

  /**
   * Whether some directory that is not configured now counts as one that heard of every removal.
   */
  boolean hasStrangers() {
    return strangers;
  }

  /** A directory is off: from now on it is behind the others. */
  synchronized void left() {
    raise();
    for (int i = 0; i < sheets.length; i++) {
      if (!directories.get(i).isOff()) {
        writeOrWarn(i, false);
      }
    }
  }

  /**
   * A removal happened of which unconfigured directories have not heard. Returns whether none of
   * them can bring the removed responses back, whichever is configured with the present ones next.
   */
  synchronized boolean missedByStrangers() {
    if (strangers) {
      strike(Arrays.stream(sheets).mapToLong(RollSheet::own).filter(sheets[0]::lists).toArray());
      strangers = !areWritten();
    }
    return !strangers;
  }

  /**
   * {@code directory}, which is off, has not heard of a removal. Returns whether it cannot bring
   * the removed responses back: its own sheet says that it begins empty, or those of all others do.
   */
  synchronized boolean missedBy(DiskDirectory directory) {
    if (!isNoted(directory)) {
      int away = directories.indexOf(directory);
      long gone = sheets[away].own();
      strike(LongStream.of(sheets[0].members()).filter(member -> member != gone).toArray());
      if ((written[away] && directory.isThere()) || areWritten()) {
        noted.add(directory);
      }
    }
    return isNoted(directory);
  }

  /** {@code directory} was off, and has by now carried out all missed removals. */
  synchronized void returned(DiskDirectory directory) {
    noted.remove(directory);
    long own = sheets[directories.indexOf(directory)].own();
    long[] members =
        LongStream.concat(LongStream.of(own), LongStream.of(sheets[0].members()))
            .distinct()
            .toArray();
    strike(members);
  }

  /** Whether {@link #missedBy} has recorded {@code directory} already. */
  boolean isNoted(DiskDirectory directory) {
    return noted.contains(directory);
  }

  /** Whether all directories that are on, at least one, have written their sheet. */
  private boolean areWritten() {
    boolean some = false;
    for (int i = 0; i < sheets.length; i++) {
      if (!directories.get(i).isOff()) {
        if (!written[i]) {
          return false;
        }
        some = true;
      }
    }
    return some;
  }

  private void strike(long[] members) {
    for (int i = 0; i < sheets.length; i++) {
      RollSheet sheet = sheets[i];
      sheets[i] = new RollSheet(sheet.own(), sheet.number(), sheet.behind(), members);
    }
    raise();
    for (int i = 0; i < sheets.length; i++) {
      // a directory that is off, too: it may be alone at the next start, and its disk may manage
      // that much
      written[i] = writeOrWarn(i, true);
    }
  }

  private boolean writeOrWarn(int directory, boolean durably) {
    try {
      directories.get(directory).claim().marks().writeRoll(sheets[directory], durably);
      return true;
    } catch (IOException e) {
      LOG.warn(
          "cache_dir {}: {}; it may bring back responses removed while it was off; next: look for"
              + " faults of the disk",
          directories.get(directory).config().path(),
          e.toString());
      return false;
    }
  }
}
