package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.load.LoadOutcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Damage to the files of a directory that is not in use: the last stored response is found, or
 * none; a purged response never comes back; and the directory works afterwards.
 */
final class DamagedFilesTest {
  private static final long SIZE = 8 << 20;
  private static final int OBJECTS = 90;

  /** From here on objects were stored after the last checkpoint but one. */
  private static final int FIRST_YOUNG = 60;

  private static final int SEGMENT = 256 << 10;

  /** How a directory was left. */
  enum End {
    CLEAN,
    KILLED
  }

  /** The damage to a file. */
  enum Damage {
    MISSING,
    EMPTY,
    CUT_TO_HALF,
    CUT_TO_200_BYTES,
    LONGER,
    OF_ANOTHER_VERSION,
    OF_ANOTHER_DIRECTORY
  }

  /** The responses that are found. */
  enum Found {
    ALL,
    SOME,
    NONE
  }

  @TempDir static Path made;
  private static Path other;
  private static int stored;

  @TempDir Path temp;

  private Path here() {
    return temp.resolve("cache");
  }

  private static DiskFixture open(Path path) throws IOException {
    return new DiskFixture(disk(dir(path, SIZE)));
  }

  private static String url(int number) {
    return "http://damage/" + number;
  }

  private static boolean isPurged(int number) {
    return number % 10 == 3;
  }

  private static boolean isReplaced(int number) {
    return number % 10 == 4;
  }

  /**
   * From tiny ones to some of several blocks. No 32 bytes occur in two of them, so that {@link
   * #find} finds those of one.
   */
  private static byte[] content(int number, int version) {
    int length = number % 20 == 0 ? 150_000 + number : 1 + number * number * number % 30_000;
    byte[] content = new byte[length];
    new Random(number * 100L + version).nextBytes(content);
    return content;
  }

  /** Directories with two checkpoints, and responses, replacements and purges behind both. */
  @BeforeAll
  static void leaveDirectories() throws IOException {
    other = made.resolve("other");
    leave(other, 50, made.resolve("other-killed"));
    leave(made.resolve(End.CLEAN.name()), 0, made.resolve(End.KILLED.name()));
    stored =
        (int) Stream.iterate(0, i -> i < OBJECTS, i -> i + 1).filter(i -> !isPurged(i)).count();
  }

  private static void leave(Path path, int salt, Path killed) throws IOException {
    try (DiskFixture fixture = open(path)) {
      put(fixture, 0, FIRST_YOUNG, salt);
      for (int i = 0; i < FIRST_YOUNG / 2; i++) {
        change(fixture, i, salt);
      }
    }
    try (DiskFixture fixture = open(path)) {
      fixture.settle(); // writes a checkpoint
      put(fixture, FIRST_YOUNG, OBJECTS, salt);
      for (int i = FIRST_YOUNG / 2; i < OBJECTS; i++) {
        change(fixture, i, salt);
      }
      fixture.put("http://last/", bytes(10));
      assertThat(fixture.purge("http://last/")).as("behind it: others are forced").isOne();
      DiskFixture.copy(path, killed);
    }
  }

  private static void put(DiskFixture fixture, int from, int to, int salt) {
    for (int i = from; i < to; i++) {
      fixture.store.fill(url(i), content(i, salt));
    }
    fixture.settle();
  }

  private static void change(DiskFixture fixture, int number, int salt) {
    if (isPurged(number)) {
      assertThat(fixture.purge(url(number))).isOne();
    } else if (isReplaced(number)) {
      fixture.put(url(number), content(number, salt + 1));
    }
  }

  private void begin(End end) throws IOException {
    DiskFixture.copy(made.resolve(end.name()), here());
  }

  private Path file(String name) {
    return here().resolve(name);
  }

  private static Path newestJournal(Path path) throws IOException {
    return extreme(path, "journal", FileSizes.JOURNALS, 16, true);
  }

  private Path checkpoint(boolean newer) throws IOException {
    return extreme(here(), "checkpoint", 2, 24, newer);
  }

  /** Of {@code count} files the one with the highest, or lowest, number at {@code at}. */
  private static Path extreme(Path path, String name, int count, int at, boolean highest)
      throws IOException {
    Path found = path.resolve(name + ".0");
    for (int i = 1; i < count; i++) {
      Path next = path.resolve(name + "." + i);
      long difference = number(next, at) - number(found, at);
      found = highest == difference > 0 ? next : found;
    }
    return found;
  }

  private static long number(Path file, int at) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(file)).getLong(at);
  }

  /** How many are found, all of which are right. */
  private static int check(DiskFixture fixture) {
    return check(fixture, false);
  }

  /**
   * @param mayBeOlder whether one that was replaced may be found where the newer one is not
   */
  private static int check(DiskFixture fixture, boolean mayBeOlder) {
    int found = 0;
    for (int i = 0; i < OBJECTS; i++) {
      DiskFixture.Found one = fixture.load(url(i));
      if (one.outcome() == LoadOutcome.FOUND) {
        assertThat(isPurged(i)).as("purged: %d", i).isFalse();
        assertThat(one.fields()).isEqualTo("A: b\r\n\r\n");
        boolean isOlder = mayBeOlder && Arrays.equals(one.content(), content(i, 0));
        if (!isOlder) {
          byte[] last = content(i, isReplaced(i) ? 1 : 0);
          assertThat(Arrays.equals(one.content(), last)).as("object %d", i).isTrue();
        }
        found++;
      }
    }
    return found;
  }

  /** Opens it twice; returns the number of responses found then. */
  private int open(boolean mayBeOlder) throws IOException {
    int found;
    try (DiskFixture fixture = open(here())) {
      found = check(fixture, mayBeOlder);
      fixture.assertWorks();
    }
    try (DiskFixture fixture = open(here())) {
      assertThat(check(fixture, mayBeOlder)).as("after another start").isEqualTo(found);
      assertThat(fixture.load("http://new/").content()).isEqualTo(bytes(7777));
    }
    return found;
  }

  private static void isFound(Found expected, int found) {
    switch (expected) {
      case ALL -> assertThat(found).isEqualTo(stored);
      case SOME -> assertThat(found).isBetween(1, stored - 1);
      case NONE -> assertThat(found).isZero();
    }
  }

  private interface Change {
    void apply(FileChannel file) throws IOException;
  }

  private static void change(Path file, Change change) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      change.apply(channel);
    }
  }

  private static void flip(FileChannel file, long at) throws IOException {
    ByteBuffer one = ByteBuffer.allocate(1);
    file.read(one, at);
    one.put(0, (byte) (one.get(0) ^ 1 << at % 8)).flip();
    file.write(one, at);
  }

  /** One byte in so many, up to {@code end}. */
  private static void flipMany(FileChannel file, long end, int step, Random random)
      throws IOException {
    for (long at = 0; at + step <= end; at += step) {
      flip(file, at + random.nextInt(step));
    }
  }

  // Whole files

  static Stream<Arguments> files() {
    return Stream.of(
            "header",
            "ROLL",
            "purges",
            "LOCK",
            "slabs",
            "older checkpoint",
            "newer checkpoint",
            "oldest journal",
            "newest journal")
        .flatMap(
            file ->
                Stream.of(Damage.values())
                    .filter(damage -> hasVersion(file) || damage != Damage.OF_ANOTHER_VERSION)
                    .flatMap(
                        damage ->
                            Stream.of(End.values())
                                .filter(end -> isOfEnd(file) || end == End.KILLED)
                                .map(end -> Arguments.of(file, damage, end))));
  }

  /** Whether the file is another one when the directory was closed. */
  private static boolean isOfEnd(String file) {
    return file.equals("slabs") || file.endsWith("checkpoint") || file.equals("newest journal");
  }

  private static boolean hasVersion(String file) {
    return !file.equals("LOCK") && !file.equals("slabs");
  }

  /** As the page of the format says. */
  private static Found expected(String file, Damage damage) {
    if (file.equals("LOCK") || file.equals("ROLL") || file.endsWith("checkpoint")) {
      return Found.ALL; // there is no other directory; there is another checkpoint
    }
    boolean mayBeLonger = file.equals("slabs") || file.endsWith("journal");
    if (damage == Damage.LONGER && mayBeLonger) {
      return Found.ALL;
    }
    if (file.equals("purges") && damage == Damage.OF_ANOTHER_DIRECTORY) {
      return Found.ALL; // it says nothing of whose it is
    }
    boolean hasSome = damage == Damage.CUT_TO_HALF || damage == Damage.CUT_TO_200_BYTES;
    return file.equals("slabs") && hasSome ? Found.SOME : Found.NONE;
  }

  private static void spoil(Path file, Damage damage) throws IOException {
    switch (damage) {
      case MISSING -> Files.delete(file);
      case EMPTY -> change(file, open -> open.truncate(0));
      case CUT_TO_HALF -> {
        // the second half of the slabs was not written yet
        long half = file.endsWith("slabs") ? 3 * SEGMENT : Files.size(file) / 2;
        change(file, open -> open.truncate(half));
      }
      case CUT_TO_200_BYTES -> change(file, open -> open.truncate(200));
      case LONGER -> change(file, open -> open.write(ByteBuffer.allocate(5000), open.size()));
      case OF_ANOTHER_VERSION -> change(file, open -> flip(open, 11));
      case OF_ANOTHER_DIRECTORY ->
          Files.copy(other.resolve(file.getFileName()), file, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void aFileIsDamaged(String file, Damage damage, End end) throws IOException {
    begin(end);
    Path spoiled =
        switch (file) {
          case "older checkpoint" -> checkpoint(false);
          case "newer checkpoint" -> checkpoint(true);
          case "oldest journal" -> extreme(here(), "journal", FileSizes.JOURNALS, 16, false);
          case "newest journal" -> newestJournal(here());
          default -> file(file);
        };
    spoil(spoiled, damage);
    // the replacement of an older response is lost if no checkpoint and no footer has it
    boolean mayBeOlder = file.equals("slabs") && end == End.KILLED;
    isFound(expected(file, damage), open(mayBeOlder));
  }

  // Bytes

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 12, 20, 40, 56, 4095})
  void aByteOfTheHeaderIsFlipped(int at) throws IOException {
    begin(End.CLEAN);
    change(file("header"), open -> flip(open, at));
    isFound(Found.NONE, open(false));
  }

  /** Purges stand there, and that they were forced to the disk. */
  @ParameterizedTest
  @ValueSource(ints = {64, 65, 69, 76, 87, 95, 100, 130, 200, 300})
  void aByteOfTheJournalIsFlipped(int at) throws IOException {
    begin(End.KILLED);
    change(newestJournal(here()), open -> flip(open, at));
    int found;
    try (DiskFixture fixture = open(here())) {
      found = check(fixture);
      fixture.assertWorks();
    }
    assertThat(found).isZero();
  }

  /** Nothing was written behind it but that it is on the disk. */
  @ParameterizedTest
  @EnumSource
  void theLastPurgeIsDamaged(End end) throws IOException {
    begin(end);
    try (DiskFixture fixture = open(here())) {
      fixture.settle(); // writes a checkpoint: from there on the journal counts
      assertThat(fixture.purge(url(0))).isOne();
      DiskFixture.copy(here(), temp.resolve("killed"));
    }
    Path journal = newestJournal(temp.resolve("killed"));
    long number = number(journal, 16);
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(journal));
    int forced = bytes.capacity() - Journal.RECORD_BYTES;
    while (bytes.get(forced) != Journal.Type.FORCED.ordinal() + 1
        || bytes.getLong(forced + 16) != number) {
      forced -= Journal.RECORD_BYTES; // the rest of an earlier journal follows it
    }
    int purge = forced - Journal.RECORD_BYTES;
    assertThat((int) bytes.get(purge)).isEqualTo(Journal.Type.DROP_ALL.ordinal() + 1);
    change(journal, open -> flip(open, purge + 20));
    try (DiskFixture fixture = open(temp.resolve("killed"))) {
      assertThat(check(fixture)).isZero();
      fixture.assertWorks();
    }
  }

  @ParameterizedTest
  @CsvSource({"CLEAN, 300", "CLEAN, 3000", "KILLED, 300", "KILLED, 3000"})
  void bytesOfBothCheckpointsAreFlipped(End end, int step) throws IOException {
    begin(end);
    for (int i = 0; i < 2; i++) {
      change(file("checkpoint." + i), open -> flipMany(open, 8192, step, new Random(step)));
    }
    assertThat(open(false)).isLessThan(stored);
  }

  @ParameterizedTest
  @CsvSource({"CLEAN, 20000", "CLEAN, 100000", "KILLED, 20000", "KILLED, 100000"})
  void bytesOfSlabsAreFlipped(End end, int step) throws IOException {
    begin(end);
    change(file("slabs"), open -> flipMany(open, open.size(), step, new Random(step)));
    try (DiskFixture fixture = open(here())) {
      isFound(Found.SOME, check(fixture, end == End.KILLED));
      assertThat(fixture.stats().damaged()).isPositive();
      fixture.assertWorks();
    }
  }

  @ParameterizedTest
  @EnumSource
  void pagesOfSlabsAreZeroed(End end) throws IOException {
    begin(end);
    change(
        file("slabs"),
        open -> {
          for (long at = 0; at < open.size(); at += 16 * Block.PAGE_BYTES) {
            open.write(ByteBuffer.allocate(Block.PAGE_BYTES), at);
          }
        });
    isFound(Found.SOME, open(end == End.KILLED));
  }

  @ParameterizedTest
  @CsvSource({"1, CLEAN", "2, CLEAN", "3, KILLED", "4, KILLED", "5, KILLED"})
  void bytesOfAllFilesAreFlipped(int seed, End end) throws IOException {
    begin(end);
    Random random = new Random(seed);
    for (Path file : all()) {
      change(file, open -> flipMany(open, Math.min(open.size(), 1 << 20), 40_000, random));
    }
    open(end == End.KILLED);
  }

  private Iterable<Path> all() throws IOException {
    try (Stream<Path> files = Files.list(here())) {
      return files.sorted().toList();
    }
  }

  // Blocks

  /** Where byte {@code index} of {@code content} stands. */
  private static int find(byte[] slabs, byte[] content, int index) {
    for (int at = 0; at < slabs.length - 32; at++) {
      if (slabs[at] == content[index]
          && Arrays.equals(slabs, at, at + 32, content, index, index + 32)) {
        return at;
      }
    }
    throw new AssertionError("not in the slabs");
  }

  /** The last header of a block before {@code at}. */
  private static int blockStart(byte[] slabs, int at) {
    int start = at / Block.ALIGNMENT * Block.ALIGNMENT;
    while (ByteBuffer.wrap(slabs).getInt(start) != Block.MAGIC) {
      start -= Block.ALIGNMENT;
    }
    return start;
  }

  /** Puts the block with byte {@code index} of one response where that of another is. */
  private void swap(byte[] one, byte[] over, int index) throws IOException {
    byte[] slabs = Files.readAllBytes(file("slabs"));
    int from = blockStart(slabs, find(slabs, one, index));
    int to = blockStart(slabs, find(slabs, over, index));
    int length = ByteBuffer.wrap(slabs).getInt(from + 8);
    change(file("slabs"), open -> open.write(ByteBuffer.wrap(slabs, from, length), to));
  }

  @ParameterizedTest
  @EnumSource
  void aFurtherBlockOfAnotherResponseIsNotServed(End end) throws IOException {
    begin(end);
    swap(content(0, 0), content(20, 0), 140_000);
    try (DiskFixture fixture = open(here())) {
      assertThat(fixture.load(url(0)).content()).isEqualTo(content(0, 0));
      assertThat(fixture.load(url(20)).outcome()).isNotEqualTo(LoadOutcome.FOUND);
      assertThat(check(fixture)).isEqualTo(stored - 1);
      fixture.assertWorks();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFirstBlockOfAnotherResponseIsNotServed(End end) throws IOException {
    begin(end);
    int one = 21;
    int over = 28; // somewhat longer
    swap(content(one, 0), content(over, 0), 1000);
    try (DiskFixture fixture = open(here())) {
      assertThat(fixture.load(url(one)).content()).isEqualTo(content(one, 0));
      assertThat(fixture.load(url(over)).outcome()).isEqualTo(LoadOutcome.DAMAGED);
      assertThat(fixture.stats().damaged()).isOne();
      assertThat(fixture.load(url(over)).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(check(fixture)).isEqualTo(stored - 1);
      fixture.assertWorks();
    }
  }

  // The directory

  @Test
  void aSmallerSizeIsDiscarded() throws IOException {
    begin(End.CLEAN);
    try (DiskFixture fixture = new DiskFixture(disk(dir(here(), SIZE - (1 << 20))))) {
      assertThat(fixture.stats().objects()).isZero();
      fixture.assertWorks();
    }
  }

  /** Whatever the last process left: the files are made longer before they are read. */
  @ParameterizedTest
  @EnumSource
  void aLargerSizeKeepsTheContent(End end) throws IOException {
    begin(end);
    try (DiskFixture fixture = new DiskFixture(disk(dir(here(), SIZE + (4 << 20))))) {
      assertThat(check(fixture)).isEqualTo(stored);
      fixture.assertWorks();
    }
  }

  /** A checkpoint that was written, and a journal behind it, when more was stored than now. */
  @Test
  void anOlderCheckpointPutBackIsGoneOnFrom() throws IOException {
    begin(End.CLEAN);
    Path kept = temp.resolve("kept");
    Path newest = checkpoint(true);
    Files.copy(newest, kept);
    try (DiskFixture fixture = open(here())) {
      assertThat(fixture.purge(url(5))).isOne();
      fixture.put(url(6), bytes(6666));
    }
    Files.copy(kept, newest, StandardCopyOption.REPLACE_EXISTING);
    try (DiskFixture fixture = open(here())) {
      fixture.assertWorks();
      assertThat(fixture.load(url(5)).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.load(url(6)).content()).isEqualTo(bytes(6666));
    }
  }
}
