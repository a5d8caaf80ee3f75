package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.octets;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.Store.LoadOutcome;
import io.loligo.store.Store.Wanted;
import io.loligo.store.StoreFixture;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.UrlPattern;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Damage done to the files of a directory, at rest and while it is in use: what is found is what
 * was stored, or nothing; and the directory says how it is.
 */
final class FaultTest {
  private static final long SIZE = 16 << 20;
  private static final int OBJECTS = 120;
  private static final int PAGE = 4096;
  private static final long SEGMENT = 256 << 10;

  /** How a directory was left. */
  enum End {
    CLEAN,
    KILLED
  }

  @TempDir Path temp;

  private Path path() {
    return temp.resolve("cache");
  }

  private Path slabs() {
    return path().resolve("slabs");
  }

  private Path map() {
    return path().resolve("map");
  }

  private Path clean() {
    return path().resolve("CLEAN");
  }

  private DiskFixture open() throws IOException {
    return new DiskFixture(disk(dir(path(), SIZE)));
  }

  private static String url(int number) {
    return "http://fault/" + number;
  }

  /** From tiny ones, which the map holds, to some of several pieces. */
  private static byte[] content(int number) {
    return octets(number % 10 == 0 ? 150_000 + number : 1 + number * number * number % 30_000);
  }

  private static void fill(DiskFixture fixture) {
    for (int i = 0; i < OBJECTS; i++) {
      fixture.store.fill(url(i), content(i));
      if (i % 20 == 0) {
        fixture.settle();
      }
    }
    fixture.settle();
    assertThat(fixture.stats().objects()).isEqualTo(OBJECTS);
  }

  /** A directory with content that nobody uses. */
  private void fillAndLeave(End end) throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture);
    }
    if (end == End.KILLED) {
      Files.delete(clean());
    }
  }

  /** Everything that is found is right; how many. */
  private static int check(DiskFixture fixture) {
    int found = 0;
    for (int i = 0; i < OBJECTS; i++) {
      DiskFixture.Found one = fixture.load(url(i));
      if (one.outcome() == LoadOutcome.FOUND) {
        assertThat(one.content()).as("object %d", i).isEqualTo(content(i));
        assertThat(one.fields()).isEqualTo("A: b\r\n\r\n");
        found++;
      }
    }
    return found;
  }

  /** It serves, stores, and what is stored now is there. */
  private static void works(DiskFixture fixture) {
    DiskStats stats = fixture.stats();
    assertThat(stats.state()).as(stats.reason()).isEqualTo(DiskStats.State.READY);
    assertThat(stats.reason()).isEmpty();
    byte[] octets = octets(7777);
    fixture.put("http://new/", octets);
    assertThat(fixture.load("http://new/").content()).isEqualTo(octets);
  }

  private static void change(Path file, Change change) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      change.apply(channel);
    }
  }

  private interface Change {
    void apply(FileChannel file) throws IOException;
  }

  private static void flip(FileChannel file, long at) throws IOException {
    ByteBuffer octet = ByteBuffer.allocate(1);
    file.read(octet, at);
    octet.put(0, (byte) (octet.get(0) ^ 1 << at % 8)).flip();
    file.write(octet, at);
  }

  /** One octet in so many, from {@code from} on. */
  private static void flipMany(FileChannel file, long from, int step) throws IOException {
    Random random = new Random(step);
    for (long at = from; at + step <= file.size(); at += step) {
      flip(file, at + random.nextInt(step));
    }
  }

  // Slabs

  @ParameterizedTest
  @EnumSource
  void slabsCutAtRest(End end) throws IOException {
    fillAndLeave(end);
    change(slabs(), file -> file.truncate(1 << 20));
    try (DiskFixture fixture = open()) {
      assertThat(check(fixture)).isBetween(1, OBJECTS - 1);
      assertThat(fixture.stats().damaged()).isPositive();
      works(fixture);
    }
  }

  @Test
  void slabsCutWhileInUse() throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture);
      change(slabs(), file -> file.truncate(1 << 20));
      assertThat(check(fixture)).isBetween(1, OBJECTS - 1);
      assertThat(fixture.stats().damaged()).isPositive();
      works(fixture);
    }
  }

  @ParameterizedTest
  @EnumSource
  void pagesOfSlabsZeroed(End end) throws IOException {
    fillAndLeave(end);
    change(
        slabs(),
        file -> {
          for (long at = 0; at < file.size(); at += 16 * PAGE) {
            file.write(ByteBuffer.allocate(PAGE), at);
          }
        });
    try (DiskFixture fixture = open()) {
      assertThat(check(fixture)).isBetween(1, OBJECTS - 1);
      assertThat(fixture.stats().damaged()).isPositive();
      works(fixture);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void octetsOfSlabsFlipped(boolean withoutMap) throws IOException {
    fillAndLeave(End.CLEAN);
    change(slabs(), file -> flipMany(file, 0, 20_000));
    if (withoutMap) {
      Files.delete(map());
    }
    try (DiskFixture fixture = open()) {
      assertThat(check(fixture)).isBetween(1, OBJECTS - 1);
      works(fixture);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void blocksSwapped(boolean withoutMap) throws IOException {
    byte[] one = octets(200_000);
    byte[] other = octets(200_001);
    try (DiskFixture fixture = open()) {
      fixture.put(url(1), one);
      fixture.put(url(2), other);
    }
    change(
        slabs(),
        file -> {
          long from = find(file, one, 150_000);
          long to = find(file, other, 150_000);
          ByteBuffer block = ByteBuffer.allocate(Block.MAX_BYTES);
          // further blocks are whole blocks behind each other, from the header of their segment on
          file.read(block, blockStart(file, from));
          file.write(block.flip(), blockStart(file, to));
        });
    if (withoutMap) {
      Files.delete(map());
    }
    try (DiskFixture fixture = open()) {
      assertThat(fixture.load(url(1)).content()).isEqualTo(one);
      assertThat(fixture.load(url(2)).outcome()).isNotEqualTo(LoadOutcome.FOUND);
      works(fixture);
    }
  }

  @Test
  void firstBlocksSwapped() throws IOException {
    byte[] one = octets(9_000);
    byte[] other = octets(9_001);
    try (DiskFixture fixture = open()) {
      fixture.put(url(1), one);
      fixture.put(url(2), other);
    }
    change(
        slabs(),
        file -> {
          ByteBuffer block = ByteBuffer.allocate(Block.aligned(9_000));
          file.read(block, blockStart(file, find(file, one, 5_000)));
          file.write(block.flip(), blockStart(file, find(file, other, 5_000)));
        });
    try (DiskFixture fixture = open()) {
      assertThat(fixture.load(url(1)).content()).isEqualTo(one);
      assertThat(fixture.load(url(2)).outcome()).isEqualTo(LoadOutcome.DAMAGED);
      assertThat(fixture.stats().damaged()).isOne();
      assertThat(fixture.load(url(2)).outcome()).isEqualTo(LoadOutcome.ABSENT);
      works(fixture);
    }
  }

  /** Where octet {@code index} of {@code content} stands. */
  private static long find(FileChannel file, byte[] content, int index) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(4 << 20);
    file.read(all, 0);
    for (int at = 0; at < all.limit() - 32; at++) {
      if (Arrays.equals(all.array(), at, at + 32, content, index, index + 32)) {
        return at;
      }
    }
    throw new AssertionError("not in the first segments");
  }

  /** The last header of a block before {@code at}. */
  private static long blockStart(FileChannel file, long at) throws IOException {
    ByteBuffer octets = ByteBuffer.allocate(Integer.BYTES);
    for (long start = at / Block.ALIGNMENT * Block.ALIGNMENT; ; start -= Block.ALIGNMENT) {
      file.read(octets.clear(), start);
      if (octets.getInt(0) == Block.MAGIC) {
        return start;
      }
    }
  }

  // The map

  @ParameterizedTest
  @ValueSource(ints = {1, 5_000, 100_000})
  void mapFlippedAtRestIsRebuiltFromTheSlabs(int step) throws IOException {
    fillAndLeave(End.CLEAN);
    change(
        map(),
        file -> {
          if (step == 1) {
            flip(file, file.size() / 2);
          } else {
            flipMany(file, 0, step);
          }
        });
    try (DiskFixture fixture = open()) {
      works(fixture);
      assertThat(check(fixture)).isEqualTo(OBJECTS);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {500, 5_000, 100_000})
  void mapFlippedAfterAnUncleanEnd(int step) throws IOException {
    fillAndLeave(End.KILLED);
    change(map(), file -> flipMany(file, 0, step));
    try (DiskFixture fixture = open()) {
      works(fixture);
      // half of the records are damaged where one octet in so few is
      assertThat(check(fixture)).isGreaterThan(step == 500 ? 0 : OBJECTS * 8 / 10);
    }
  }

  @ParameterizedTest
  @EnumSource
  void mapDeleted(End end) throws IOException {
    fillAndLeave(end);
    Files.delete(map());
    try (DiskFixture fixture = open()) {
      works(fixture);
      assertThat(check(fixture)).isEqualTo(OBJECTS);
    }
  }

  @ParameterizedTest
  @EnumSource
  void mapCut(End end) throws IOException {
    fillAndLeave(end);
    change(map(), file -> file.truncate(file.size() / 2));
    try (DiskFixture fixture = open()) {
      works(fixture);
      assertThat(check(fixture)).isEqualTo(OBJECTS);
      assertThat(Files.size(map()) + Files.size(slabs())).isLessThanOrEqualTo(SIZE);
    }
  }

  @Test
  void mapFlippedWhileInUse() throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture);
      Random random = new Random(1);
      for (int round = 0; round < 20; round++) {
        change(
            map(),
            file -> {
              for (int i = 0; i < 500; i++) {
                flip(file, (long) (random.nextDouble() * file.size()));
              }
            });
        check(fixture);
        fixture.store.fill(url(round), content(round));
        fixture.purge(url(OBJECTS - 1 - round));
        DiskStats stats = fixture.stats();
        if (stats.state() == DiskStats.State.OFF) {
          assertThat(stats.reason()).contains("cannot be used any more");
        }
      }
      // requests go on, whatever came of it
      fixture.store.fill("http://memory/", octets(10));
      assertThat(fixture.store.store.holds(StoreFixture.probe("http://memory/"))).isTrue();
    }
    try (DiskFixture fixture = open()) {
      works(fixture);
      check(fixture);
    }
  }

  @Test
  void mapCutWhileInUse() throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture);
      change(map(), file -> file.truncate(PAGE));
      check(fixture);
      fixture.put("http://new/", octets(100));
      assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.OFF);
      assertThat(fixture.stats().reason()).contains("map").contains("cannot be used any more");
      assertThat(fixture.load(url(1)).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
    try (DiskFixture fixture = open()) {
      works(fixture);
      check(fixture);
    }
  }

  // Marks

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 12, 20, 40, 56})
  void headerDamagedOrOfAnotherVersionIsDiscarded(int at) throws IOException {
    fillAndLeave(End.CLEAN);
    change(path().resolve("header"), file -> flip(file, at));
    try (DiskFixture fixture = open()) {
      assertThat(fixture.stats().objects()).isZero();
      assertThat(check(fixture)).isZero();
      works(fixture);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 100, 4095, 4097})
  void headerCutIsDiscarded(long length) throws IOException {
    fillAndLeave(End.CLEAN);
    byte[] header = Arrays.copyOf(Files.readAllBytes(path().resolve("header")), (int) length);
    Files.write(path().resolve("header"), header);
    try (DiskFixture fixture = open()) {
      assertThat(fixture.stats().objects()).isZero();
      works(fixture);
    }
  }

  @Test
  void anotherSizeIsDiscarded() throws IOException {
    fillAndLeave(End.CLEAN);
    try (DiskFixture fixture = new DiskFixture(disk(dir(path(), SIZE + (4 << 20))))) {
      assertThat(fixture.stats().objects()).isZero();
      works(fixture);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 8, 12, 17, 20})
  void closingMarkDamaged(int at) throws IOException {
    fillAndLeave(End.CLEAN);
    change(clean(), file -> flip(file, at));
    try (DiskFixture fixture = open()) {
      works(fixture);
      assertThat(check(fixture)).isEqualTo(OBJECTS);
    }
  }

  @Test
  void closingMarkOfAnEarlierClose() throws IOException {
    fillAndLeave(End.CLEAN);
    Path kept = temp.resolve("kept");
    Files.copy(clean(), kept);
    try (DiskFixture fixture = open()) {
      assertThat(fixture.purge(url(5))).isOne();
      fixture.put(url(6), octets(6666));
    }
    Files.copy(kept, clean(), StandardCopyOption.REPLACE_EXISTING);
    try (DiskFixture fixture = open()) {
      works(fixture);
      assertThat(fixture.load(url(5)).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.load(url(6)).content()).isEqualTo(octets(6666));
    }
  }

  // The directory

  @Test
  void directoryRemovedWhileInUse() throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture);
      Files.move(path(), temp.resolve("away"));
      fixture.store.store.tick();
      fixture.settle();
      isOff(fixture, "removed");
      assertThat(fixture.purge(url(1))).as("a purge that cannot be made good").isEqualTo(-1);
    }
    assertThat(path()).doesNotExist();
  }

  private static void isOff(DiskFixture fixture, String why) {
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.OFF);
    assertThat(fixture.stats().reason()).contains(why);
    fixture.store.fill("http://memory/", octets(1000));
    var entry =
        fixture.store.store.find(StoreFixture.probe("http://memory/"), StoreFixture.noFields());
    assertThat(entry).as("requests go on").isNotNull();
    entry.release();
    assertThat(fixture.load(url(1)).outcome()).isEqualTo(LoadOutcome.ABSENT);
  }

  // The disk

  private final FaultySlab[] slab = new FaultySlab[1];

  private DiskFixture openFaulty() throws IOException {
    return new DiskFixture(
        16 << 20,
        disk(dir(path(), SIZE)),
        file -> {
          slab[0] = new FaultySlab(file);
          return slab[0];
        });
  }

  @Test
  void diskThatDoesNotWriteIsOff() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fill(fixture);
      slab[0].failWrites();
      fixture.put("http://new/", octets(5000));
      isOff(fixture, "Input/output error");
      assertThat(fixture.purge(url(1))).as("it begins empty").isNotNegative();
    }
    try (DiskFixture fixture = open()) {
      assertThat(check(fixture)).as("a purge came that it did not hear of").isZero();
      works(fixture);
    }
  }

  @Test
  void diskThatDoesNotReadOnceIsAMiss() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fill(fixture);
      slab[0].failReads(1);
      assertThat(fixture.load(url(13)).outcome()).isEqualTo(LoadOutcome.DAMAGED);
      assertThat(fixture.stats().damaged()).isOne();
      works(fixture);
    }
  }

  /** A pattern is forgotten when all was compared with it; what never can be goes. */
  @ParameterizedTest
  @ValueSource(ints = {1, 100})
  void whatCouldNotBeComparedWithAPatternDoesNotOutliveIt(int failures) throws IOException {
    String longUrl = "http://fault/" + "x".repeat(600);
    try (DiskFixture fixture = openFaulty()) {
      fixture.put(longUrl, octets(1000));
      slab[0].failReads(failures);
      CompletableFuture<Purged> purged = new CompletableFuture<>();
      fixture.store.store.purge(
          new Purge.Matching(UrlPattern.of("fault", "/x")), fixture.loop, purged::complete);
      assertThat(DiskFixture.get(purged).outcome()).isEqualTo(Purged.Outcome.DONE);
      fixture.tickUntil(() -> fixture.store.store.bans().isEmpty());
      assertThat(fixture.load(longUrl).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.store.store.diskStats().get(0).state()).isEqualTo(DiskStats.State.READY);
    }
  }

  /** Else a power failure could bring it back when nobody knows of the pattern any more. */
  @Test
  void aPatternIsForgottenWhenWhatItCoversIsStruckOutOnTheDisk() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fixture.put(url(0), octets(1000));
      int before = slab[0].forces();
      CompletableFuture<Purged> purged = new CompletableFuture<>();
      fixture.store.store.purge(
          new Purge.Matching(UrlPattern.of("fault", "/0")), fixture.loop, purged::complete);
      assertThat(DiskFixture.get(purged).outcome()).isEqualTo(Purged.Outcome.DONE);
      slab[0].failForces();
      fixture.tickUntil(() -> slab[0].forces() > before);
      assertThat(Files.readString(path().resolve("purges"), ISO_8859_1)).contains("fault/0");
    }
  }

  @Test
  void aPatternStaysWhereWhatItCoversCannotBeStruckOut() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fixture.put(url(0), octets(1000));
      CompletableFuture<Purged> purged = new CompletableFuture<>();
      fixture.store.store.purge(
          new Purge.Matching(UrlPattern.of("fault", "/0")), fixture.loop, purged::complete);
      assertThat(DiskFixture.get(purged).outcome()).isEqualTo(Purged.Outcome.DONE);
      slab[0].failWrites();
      fixture.tickUntil(() -> fixture.stats().state() == DiskStats.State.OFF);
      assertThat(Files.readString(path().resolve("purges"), ISO_8859_1)).contains("fault/0");
    }
  }

  @Test
  void diskThatDoesNotReadWhatIsScrubbed() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fixture.put(url(0), octets(200_000));
      slab[0].failRead(2);
      fixture.store.store.tick();
      fixture.settle();
      assertThat(fixture.stats().damaged()).isOne();
    } // all buffers are released
  }

  @Test
  void scrubsLittleNotOverAndOver() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(url(0), octets(100));
      fixture.store.store.tick();
      fixture.settle();
      assertThat(fixture.stats().scrubbedBlocks()).isOne();
    }
  }

  @Test
  void diskThatDoesNotReadIsOff() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fill(fixture);
      slab[0].failReads(Integer.MAX_VALUE);
      for (int i = 11; i < 20; i++) {
        assertThat(fixture.load(url(i)).outcome()).isNotEqualTo(LoadOutcome.FOUND);
      }
      isOff(fixture, "Input/output error");
      assertThat(fixture.purge(url(1))).as("it begins empty").isNotNegative();
    }
  }

  // Places that cannot be read

  private final Set<Long> badPages = ConcurrentHashMap.newKeySet();

  private DiskFixture openWithBadPages() throws IOException {
    return new DiskFixture(
        16 << 20,
        disk(dir(path(), SIZE)),
        file -> {
          slab[0] = new FaultySlab(file, badPages);
          return slab[0];
        });
  }

  /**
   * The page in the middle of the content of object {@code number}, in a segment before any end.
   */
  private long pageOf(int number) throws IOException {
    byte[] slabs = Files.readAllBytes(slabs());
    byte[] content = content(number);
    byte[] middle = Arrays.copyOfRange(content, content.length / 2, content.length / 2 + 32);
    for (int at = 0; at < slabs.length - 32; at++) {
      if (slabs[at] == middle[0] && Arrays.equals(slabs, at, at + 32, middle, 0, 32)) {
        return (long) at / PAGE * PAGE;
      }
    }
    throw new AssertionError("not in the slabs");
  }

  private static void isReady(DiskFixture fixture) {
    DiskStats stats = fixture.stats();
    assertThat(stats.state()).as(stats.reason()).isEqualTo(DiskStats.State.READY);
  }

  @Test
  void placesOfContentThatCannotBeReadCostTheirResponses() throws IOException {
    try (DiskFixture fixture = openWithBadPages()) {
      fill(fixture);
      for (int i = 20; i <= 60; i += 20) {
        badPages.add(pageOf(i));
        assertThat(fixture.load(url(i)).outcome()).isNotEqualTo(LoadOutcome.FOUND);
        assertThat(fixture.load(url(i)).outcome()).isEqualTo(LoadOutcome.ABSENT);
        isReady(fixture);
        assertThat(fixture.load(url(i + 1)).content()).isEqualTo(content(i + 1));
      }
      assertThat(fixture.stats().damaged()).isEqualTo(3);
      works(fixture);
    }
  }

  @Test
  void aPlaceThatCannotBeReadIsEvictedAndWrittenOver() throws IOException {
    try (DiskFixture fixture = openWithBadPages()) {
      fill(fixture);
      // hot, so that all of them would be moved
      for (int i = 0; i < OBJECTS; i++) {
        fixture.load(url(i));
      }
      badPages.add(pageOf(10)); // a further block
      badPages.add(pageOf(33)); // a first block
      badPages.add(pageOf(55));
      badPages.add(SEGMENT); // a header
      for (int i = 0; i < 2000; i++) {
        fixture.store.fill("http://other/" + i, octets(15_000));
        if (i % 100 == 0) {
          fixture.settle();
          isReady(fixture);
        }
      }
      fixture.settle();
      assertThat(fixture.stats().evictions()).isPositive();
      assertThat(fixture.stats().damaged()).isPositive();
      assertThat(badPages).isEmpty();
      check(fixture);
      works(fixture);
    }
  }

  @Test
  void theScrubberDropsWhatCannotBeRead() throws IOException {
    try (DiskFixture fixture = openWithBadPages()) {
      fill(fixture);
      for (int i = 10; i < 20; i++) {
        badPages.add(pageOf(i));
      }
      fixture.tickUntil(() -> fixture.stats().damaged() >= 10);
      isReady(fixture);
      assertThat(fixture.stats().objects()).isEqualTo(OBJECTS - fixture.stats().damaged());
      assertThat(check(fixture)).isEqualTo((int) fixture.stats().objects());
    }
    Files.delete(map());
    badPages.clear();
    try (DiskFixture fixture = open()) {
      assertThat(fixture.load(url(13)).outcome()).as("struck out").isEqualTo(LoadOutcome.ABSENT);
    }
  }

  @Test
  void aPlaceThatCannotBeReadAfterACrashLeavesTheMap() throws IOException {
    fillAndLeave(End.KILLED);
    Object before = Files.readAttributes(map(), BasicFileAttributes.class).fileKey();
    int tiny = 6; // all of it is in its record, which is compared with the slabs
    assertThat(content(tiny)).hasSizeLessThan(400);
    change(slabs(), file -> badPages.add(find(file, content(tiny), 0) / PAGE * PAGE));
    try (DiskFixture fixture = openWithBadPages()) {
      works(fixture);
      assertThat(fixture.load(url(tiny)).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(check(fixture)).isGreaterThan(OBJECTS - 20);
    }
    assertThat(Files.readAttributes(map(), BasicFileAttributes.class).fileKey()).isEqualTo(before);
  }

  @Test
  void placesThatCannotBeReadAreSkippedByARebuild() throws IOException {
    fillAndLeave(End.KILLED);
    Files.delete(map());
    badPages.add(pageOf(20));
    badPages.add(pageOf(90));
    long header = (pageOf(20) + pageOf(90)) / 2 / SEGMENT * SEGMENT;
    assertThat(header / SEGMENT)
        .isGreaterThan(Math.min(pageOf(20), pageOf(90)) / SEGMENT)
        .isLessThan(Math.max(pageOf(20), pageOf(90)) / SEGMENT);
    badPages.add(header);
    try (DiskFixture fixture = openWithBadPages()) {
      works(fixture);
      assertThat(check(fixture)).isBetween(OBJECTS / 2, OBJECTS - 2);
    }
    assertThat(badPages).as("written over").isEmpty();
    try (DiskFixture fixture = open()) {
      works(fixture);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDiskThatReadsNothingAtTheStartIsOffAndKeepsItsMap(boolean hasMap) throws IOException {
    fillAndLeave(End.KILLED);
    if (!hasMap) {
      Files.delete(map());
    }
    try (DiskFixture fixture =
        new DiskFixture(
            16 << 20,
            disk(dir(path(), SIZE)),
            file -> {
              slab[0] = new FaultySlab(file);
              slab[0].failReads(Integer.MAX_VALUE);
              return slab[0];
            })) {
      isOff(fixture, "Input/output error");
    }
    if (hasMap) {
      try (DiskFixture fixture = open()) {
        assertThat(check(fixture)).isPositive();
      }
    }
  }

  @Test
  void diskThatDoesNotReadFurtherContent() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fill(fixture);
      slab[0].failReads(2);
      assertThat(fixture.load(url(10)).outcome()).isNotEqualTo(LoadOutcome.FOUND);
      slab[0].failReads(0);
      check(fixture);
    }
  }

  @Test
  void purgedWhileItIsOpenedDoesNotComeBack() throws IOException {
    fillAndLeave(End.KILLED);
    CountDownLatch mayOpen = new CountDownLatch(1);
    try (StoreFixture store =
            new StoreFixture(
                16 << 20,
                (allocator, transit, memory) ->
                    DiskTier.claim(
                        disk(dir(path(), SIZE)),
                        allocator,
                        transit,
                        memory,
                        new SystemMedium(
                            file -> {
                              awaitQuietly(mayOpen);
                              return new SlabFile(file);
                            })));
        DiskFixture fixture = new DiskFixture(store)) {
      CompletableFuture<Integer> purged = fixture.purging(url(5));
      assertThat(purged).isNotDone();
      mayOpen.countDown();
      assertThat(DiskFixture.get(purged)).isOne();
      assertThat(fixture.load(url(5)).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(check(fixture)).isEqualTo(OBJECTS - 1);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void stalledDiskHoldsUpNobodyElse() throws IOException {
    long cacheBytes = 24 << 20;
    byte[] octets = octets(400_000);
    DiskFixture fixture =
        new DiskFixture(
            cacheBytes,
            new ProxyConfig.Disk(List.of(dir(path(), SIZE)), 13 << 10, 4, WRITE_QUEUE_BYTES),
            file -> {
              slab[0] = new FaultySlab(file);
              return slab[0];
            });
    try {
      fill(fixture);
      slab[0].stall();
      // writes: the queue is bounded in octets, and what does not fit is skipped
      for (int i = 0; i < 20; i++) {
        fixture.store.fill("http://stalled/" + i, octets);
        assertThat(fixture.stats().queuedBytes()).isLessThanOrEqualTo(WRITE_QUEUE_BYTES);
      }
      assertThat(fixture.stats().skippedQueueFull()).isPositive();
      // reads: as many wait as the queue takes, the others are told at once
      AtomicInteger busy = new AtomicInteger();
      int asked = DiskThreads.MAX_READS + 100;
      CountDownLatch told = new CountDownLatch(asked);
      for (int i = 0; i < asked; i++) {
        fixture.store.store.load(
            StoreFixture.key(url(13)),
            StoreFixture.noFields(),
            Wanted.CONTENT,
            fixture.loop,
            (entry, report) -> {
              if (entry != null) {
                entry.release();
              } else if (report.outcome() == LoadOutcome.BUSY) {
                busy.incrementAndGet();
              }
              told.countDown();
            });
      }
      assertThat(fixture.stats().queueDepth()).isLessThanOrEqualTo(DiskThreads.MAX_READS);
      fixture.loop.submit(() -> {}).syncUninterruptibly();
      assertThat(busy.get()).isBetween(100 - 4, 100);
      // memory goes on
      var entry =
          fixture.store.store.find(
              StoreFixture.probe("http://stalled/19"), StoreFixture.noFields());
      assertThat(entry).isNotNull();
      entry.release();
      assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
      slab[0].resume();
      awaitQuietly(told);
      fixture.settle();
      works(fixture);
      assertThat(check(fixture)).isEqualTo(OBJECTS);
    } finally {
      slab[0].resume();
      fixture.close();
    }
  }

  private static final long WRITE_QUEUE_BYTES = 2 << 20;
}
