package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.StoreFixture;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.SlabFile;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.disk.segment.Segments;
import io.loligo.store.disk.start.Checkpoint;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.UrlPattern;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A disk that fails while its directory is in use: the last stored response is found, or none; and
 * the directory reports its state. {@link DamagedFilesTest} has damage to a directory that is not
 * in use.
 */
final class FaultTest {
  private static final long SIZE = 16 << 20;
  private static final int OBJECTS = 120;
  private static final int PAGE = Block.PAGE_BYTES;
  private static final int SEGMENT = 256 << 10;
  private static final String IO_ERROR = "Input/output error";

  @TempDir Path temp;

  private Path path() {
    return temp.resolve("cache");
  }

  private Path slabs() {
    return path().resolve("slabs");
  }

  private DiskFixture open() throws IOException {
    return open(path());
  }

  private static DiskFixture open(Path path) throws IOException {
    return new DiskFixture(disk(dir(path, SIZE)));
  }

  private static String url(int number) {
    return "http://fault/" + number;
  }

  /** From tiny ones to some of several blocks. */
  /** Unlike any other, so that {@link #pageOf} finds its place. */
  private static byte[] content(int number) {
    int length = number % 10 == 0 ? 150_000 + number : 1 + number * number * number % 30_000;
    byte[] content = new byte[length];
    new Random(number).nextBytes(content);
    return content;
  }

  private static void fill(DiskFixture fixture) {
    for (int i = 0; i < OBJECTS; i++) {
      fixture.store.fill(url(i), content(i));
    }
    fixture.settle();
    assertThat(fixture.stats().objects()).isEqualTo(OBJECTS);
  }

  /** A directory with content, as a process that was killed leaves it. */
  private Path fillAndKill() throws IOException {
    Path killed = temp.resolve("killed");
    try (DiskFixture fixture = open()) {
      fill(fixture);
      DiskFixture.copy(path(), killed);
    }
    return killed;
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

  private static void change(Path file, Change change) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      change.apply(channel);
    }
  }

  private interface Change {
    void apply(FileChannel file) throws IOException;
  }

  // Files

  @Test
  void slabsCutWhileInUse() throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture);
      change(slabs(), file -> file.truncate(1 << 20));
      assertThat(check(fixture)).isBetween(1, OBJECTS - 1);
      assertThat(fixture.stats().damaged()).isPositive();
      fixture.assertWorks();
    }
  }

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
    fixture.store.fill("http://memory/", bytes(1000));
    var entry =
        fixture.store.store.find(StoreFixture.probe("http://memory/"), StoreFixture.noFields());
    assertThat(entry).as("requests go on").isNotNull();
    entry.release();
    assertThat(fixture.load(url(1)).outcome()).isEqualTo(LoadOutcome.ABSENT);
  }

  // The disk

  private final FaultySlab[] slab = new FaultySlab[1];

  private DiskFixture openFaulty() throws IOException {
    return openFaulty(path());
  }

  private DiskFixture openFaulty(Path path) throws IOException {
    return new DiskFixture(
        16 << 20,
        disk(dir(path, SIZE)),
        file -> {
          slab[0] = new FaultySlab(file);
          return slab[0];
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {IO_ERROR, "No space left on device"})
  void diskThatDoesNotWriteIsOff(String why) throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fill(fixture);
      slab[0].failWrites(why);
      fixture.put("http://new/", bytes(5000));
      isOff(fixture, why);
      assertThat(fixture.purge(url(1))).as("it begins empty").isNotNegative();
    }
    try (DiskFixture fixture = open()) {
      assertThat(check(fixture)).as("a purge came that it did not hear of").isZero();
      fixture.assertWorks();
    }
  }

  /** The last buffers: no further report of them is possible. */
  @Test
  void aFailedLastWriteBringsNothingOlderBack() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fill(fixture);
      fixture.store.fill(url(7), bytes(8000));
      slab[0].failWrites();
    }
    try (DiskFixture fixture = open()) {
      assertThat(fixture.load(url(7)).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(check(fixture)).isEqualTo(OBJECTS - 1);
      fixture.assertWorks();
    }
  }

  // Journals

  /** A removal cannot be recorded: nothing of the present content may be used again. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aJournalThatCannotBeWrittenOrForcedEmptiesTheDirectory(boolean isWritten)
      throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture);
      if (isWritten) {
        fixture.medium.journals.failForces();
      } else {
        fixture.medium.journals.failWrites();
      }
      assertThat(fixture.purge(url(1))).as("it begins empty").isNotNegative();
      isOff(fixture, IO_ERROR);
    }
    try (DiskFixture fixture = open()) {
      assertThat(fixture.stats().objects()).isZero();
      fixture.assertWorks();
    }
  }

  /** OPEN goes to the journal before the first buffer of a segment goes to the slabs. */
  @Test
  void nothingIsWrittenIntoASegmentThatTheJournalDoesNotKnow() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.medium.journals.failWrites();
      fixture.put(url(1), content(1));
      isOff(fixture, IO_ERROR);
      byte[] segment = Arrays.copyOf(Files.readAllBytes(slabs()), SEGMENT);
      assertThat(segment).containsOnly(0);
    }
  }

  // Checkpoints

  private Path checkpoint(int number) {
    return path().resolve("checkpoint." + number);
  }

  /** Higher in each checkpoint. */
  private static long nextNumber(Path checkpoint) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(checkpoint)).getLong(24);
  }

  @Test
  void aCheckpointThatIsNotThereLeavesTheOtherInForce() throws IOException {
    failCheckpoints(Files::delete);
  }

  /** A file system without room for the allocated bytes. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aCheckpointThatDoesNotFitLeavesTheOtherInForce() throws IOException {
    failCheckpoints(
        file -> {
          Files.delete(file);
          Files.createSymbolicLink(file, Path.of("/dev/full"));
        });
  }

  private interface Spoiler {
    void spoil(Path file) throws IOException;
  }

  private void failCheckpoints(Spoiler spoiler) throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture);
    }
    Path older = checkpoint(nextNumber(checkpoint(0)) < nextNumber(checkpoint(1)) ? 0 : 1);
    AtomicLong late = new AtomicLong();
    Path killed = temp.resolve("killed");
    try (DiskFixture fixture = open()) {
      fixture.medium.clock = () -> System.nanoTime() + late.get();
      spoiler.spoil(older);
      fixture.settle(); // a checkpoint is due soon after a start
      isReady(fixture);
      assertThat(fixture.purge(url(1))).isOne();
      fixture.put(url(2), bytes(2222));
      Files.delete(Files.isSymbolicLink(older) ? older : Files.createFile(older));
      DiskFixture.copy(path(), killed);
      Files.createFile(older);
      fixture.store.store.tick();
      DiskFixture.await(fixture.medium::isIdle);
      assertThat(older).as("not tried again at once").isEmptyFile();
      late.addAndGet(TimeUnit.MINUTES.toNanos(1));
      fixture.tickUntil(() -> older.toFile().length() > 0);
      fixture.assertWorks();
    }
    try (DiskFixture fixture = open(killed)) {
      assertThat(fixture.load(url(1)).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.load(url(2)).content()).isEqualTo(bytes(2222));
      assertThat(fixture.purge(url(2))).isOne();
      assertThat(check(fixture)).isEqualTo(OBJECTS - 2);
      fixture.assertWorks();
    }
  }

  // Patterns

  private static void purge(DiskFixture fixture, String pattern) {
    CompletableFuture<Purged> purged = new CompletableFuture<>();
    fixture.store.store.purge(
        new Purge.Matching(UrlPattern.of("fault", pattern)), fixture.loop, purged::complete);
    assertThat(DiskFixture.get(purged).outcome()).isEqualTo(Purged.Outcome.DONE);
  }

  private String purges() throws IOException {
    return Files.readString(path().resolve("purges"), ISO_8859_1);
  }

  /**
   * A pattern is forgotten when everything was compared with it; a response that can never be
   * compared is dropped.
   */
  @ParameterizedTest
  @ValueSource(ints = {1, 100})
  void anUncomparedResponseDoesNotOutliveThePattern(int failures) throws IOException {
    String longUrl = "http://fault/" + "x".repeat(600);
    AtomicLong late = new AtomicLong();
    try (DiskFixture fixture = openFaulty()) {
      fixture.medium.clock = () -> System.nanoTime() + late.get();
      fixture.put(longUrl, bytes(1000));
      slab[0].failReads(failures);
      purge(fixture, "/x");
      fixture.tickUntil(
          () -> {
            late.addAndGet(TimeUnit.MINUTES.toNanos(1));
            return fixture.store.store.bans().isEmpty();
          });
      assertThat(fixture.load(longUrl).outcome()).isEqualTo(LoadOutcome.ABSENT);
      isReady(fixture);
    }
  }

  /**
   * Otherwise a start could bring back a response that it covers after the pattern is forgotten.
   */
  @Test
  void aPatternStaysUntilTwoCheckpointsAreWritten() throws IOException {
    AtomicLong late = new AtomicLong();
    try (DiskFixture fixture = open()) {
      fixture.medium.clock = () -> System.nanoTime() + late.get();
      fixture.put(url(0), content(0));
      Path away = temp.resolve("away");
      Files.move(checkpoint(0), away.resolveSibling("0"));
      Files.move(checkpoint(1), away.resolveSibling("1"));
      purge(fixture, "/0");
      for (int i = 0; i < 10; i++) {
        late.addAndGet(TimeUnit.MINUTES.toNanos(1));
        fixture.store.store.tick();
        DiskFixture.await(fixture.medium::isIdle);
      }
      assertThat(fixture.stats().objects()).as("compared").isZero();
      assertThat(purges()).contains("fault/0");
      isReady(fixture);
      Files.move(away.resolveSibling("0"), checkpoint(0));
      Files.move(away.resolveSibling("1"), checkpoint(1));
      long zero = nextNumber(checkpoint(0));
      long one = nextNumber(checkpoint(1));
      fixture.tickUntil(
          () -> {
            late.addAndGet(TimeUnit.MINUTES.toNanos(1));
            return fixture.store.store.bans().isEmpty();
          });
      assertThat(purges()).doesNotContain("fault/0");
      assertThat(nextNumber(checkpoint(0))).isGreaterThan(zero);
      assertThat(nextNumber(checkpoint(1))).isGreaterThan(one);
    }
  }

  @Test
  void aPatternStaysIfAResponseItCoversCannotBeDropped() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(url(0), content(0));
      purge(fixture, "/0");
      fixture.medium.journals.failWrites();
      fixture.tickUntil(() -> fixture.stats().state() == DiskStats.State.OFF);
      assertThat(purges()).contains("fault/0");
    }
  }

  // Reads

  @Test
  void diskThatDoesNotReadOnceIsAMiss() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fill(fixture);
      slab[0].failReads(1);
      assertThat(fixture.load(url(13)).outcome()).isEqualTo(LoadOutcome.DAMAGED);
      assertThat(fixture.stats().damaged()).isOne();
      fixture.assertWorks();
    }
  }

  @Test
  void diskThatFailsDuringVerification() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fixture.store.fill(url(0), bytes(200_000));
      fixture.store.store.tick();
      DiskFixture.await(fixture.medium::isIdle);
      slab[0].failRead(2);
      fixture.tickUntil(() -> fixture.stats().damaged() > 0);
      assertThat(fixture.stats().damaged()).isOne();
      assertThat(fixture.stats().objects()).isZero();
      isReady(fixture);
    } // all buffers are released
  }

  @Test
  void diskThatDoesNotReadIsOff() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fill(fixture);
      slab[0].failReads(Integer.MAX_VALUE);
      for (int i = 11; i < 20; i++) {
        assertThat(fixture.load(url(i)).outcome()).isNotEqualTo(LoadOutcome.FOUND);
      }
      isOff(fixture, IO_ERROR);
      assertThat(fixture.purge(url(1))).as("it begins empty").isNotNegative();
    }
  }

  // Places that cannot be read

  private final Set<Long> badPages = ConcurrentHashMap.newKeySet();

  private DiskFixture openWithBadPages() throws IOException {
    return openWithBadPages(path());
  }

  private DiskFixture openWithBadPages(Path path) throws IOException {
    return new DiskFixture(
        16 << 20,
        disk(dir(path, SIZE)),
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
      fixture.assertWorks();
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
      badPages.add((long) SEGMENT); // a header
      for (int i = 0; i < 2000; i++) {
        fixture.store.fill("http://other/" + i, bytes(15_000));
        if (i % 20 == 0) { // writes that are skipped would leave segments as they were
          fixture.settle();
          isReady(fixture);
        }
      }
      fixture.settle();
      assertThat(fixture.stats().evictions()).isPositive();
      assertThat(fixture.stats().damaged()).isPositive();
      for (int i : new int[] {10, 33, 55}) {
        assertThat(fixture.load(url(i)).outcome()).as("%d", i).isEqualTo(LoadOutcome.ABSENT);
      }
      check(fixture);
      fixture.assertWorks();
    }
    assertThat(badPages).as("written over").doesNotContain((long) SEGMENT);
    for (long page : badPages) {
      assertThat((long) used((int) (page / SEGMENT))).isLessThanOrEqualTo(page % SEGMENT);
    }
  }

  /** Bytes of segment {@code number} that are given out; none of those behind is written. */
  private int used(int number) throws IOException {
    long directory = ByteBuffer.wrap(Files.readAllBytes(path().resolve("header"))).getLong(16);
    Path newer = checkpoint(nextNumber(checkpoint(0)) > nextNumber(checkpoint(1)) ? 0 : 1);
    try (Checkpoint.Input input = Checkpoint.Input.open(newer, directory)) {
      return input.start().segments().stream()
          .filter(state -> state.number() == number)
          .mapToInt(Segments.State::used)
          .findAny()
          .orElse(0);
    }
  }

  @Test
  void thePatrolDropsUnreadableResponses() throws IOException {
    Path killed = temp.resolve("killed");
    try (DiskFixture fixture = openWithBadPages()) {
      fill(fixture);
      for (int i = 10; i < 20; i++) {
        badPages.add(pageOf(i));
      }
      fixture.tickUntil(() -> fixture.stats().scrubbedBlocks() > 4 * OBJECTS); // it went round
      assertThat(fixture.stats().damaged()).isGreaterThanOrEqualTo(10);
      isReady(fixture);
      assertThat(fixture.stats().objects()).isEqualTo(OBJECTS - fixture.stats().damaged());
      assertThat(check(fixture)).isEqualTo((int) fixture.stats().objects());
      fixture.settle();
      DiskFixture.copy(path(), killed);
    }
    badPages.clear();
    try (DiskFixture fixture = open(killed)) {
      for (int i = 10; i < 20; i++) {
        assertThat(fixture.load(url(i)).outcome()).as("dropped").isEqualTo(LoadOutcome.ABSENT);
      }
    }
  }

  /** Numbers of packed segments in their order. */
  private static List<Integer> packed(Path slabs) throws IOException {
    ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(slabs));
    return IntStream.range(0, all.capacity() / SEGMENT)
        .filter(number -> all.getInt(number * SEGMENT) == 0x4C4F4C53)
        .boxed()
        .toList();
  }

  /** Places that a start reads of segments that its checkpoint does not cover. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void footersThatCannotBeReadCostTheirSegments(boolean isLast) throws IOException {
    Path killed = fillAndKill();
    List<Integer> packed = packed(killed.resolve("slabs"));
    assertThat(packed).hasSizeGreaterThan(4);
    int number = packed.get(isLast ? packed.size() - 1 : 1);
    badPages.add((number + 1L) * SEGMENT - PAGE);
    int found;
    try (DiskFixture fixture = openWithBadPages(killed)) {
      fixture.assertWorks();
      found = check(fixture);
      assertThat(found).isBetween(OBJECTS / 2, OBJECTS - 2);
    }
    try (DiskFixture fixture = open(killed)) {
      assertThat(check(fixture)).isEqualTo(found);
      fixture.assertWorks();
    }
  }

  @Test
  void aDiskThatReadsNothingAtTheStartIsOffAndKeepsItsContent() throws IOException {
    Path killed = fillAndKill();
    try (DiskFixture fixture =
        new DiskFixture(
            16 << 20,
            disk(dir(killed, SIZE)),
            file -> {
              slab[0] = new FaultySlab(file);
              slab[0].failReads(Integer.MAX_VALUE);
              return slab[0];
            })) {
      isOff(fixture, IO_ERROR);
    }
    try (DiskFixture fixture = open(killed)) {
      assertThat(check(fixture)).isEqualTo(OBJECTS);
    }
  }

  /** Three in a row are a disk that fails. */
  @Test
  void aDiskThatReadsLittleAtTheStartIsOffAndKeepsItsContent() throws IOException {
    Path killed = fillAndKill();
    List<Integer> packed = packed(killed.resolve("slabs"));
    for (int i = 1; i <= 3; i++) {
      badPages.add((packed.get(i) + 1L) * SEGMENT - PAGE);
    }
    try (DiskFixture fixture = openWithBadPages(killed)) {
      isOff(fixture, IO_ERROR);
    }
    try (DiskFixture fixture = open(killed)) {
      assertThat(check(fixture)).isEqualTo(OBJECTS);
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
    Path killed = fillAndKill();
    CountDownLatch mayOpen = new CountDownLatch(1);
    try (StoreFixture store =
            new StoreFixture(
                16 << 20,
                (allocator, transit, memory) ->
                    DiskTier.claim(
                        disk(dir(killed, SIZE)),
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
  void aStalledDiskDelaysNoOtherRequest() throws IOException {
    long cacheBytes = 24 << 20;
    byte[] bytes = bytes(400_000);
    DiskFixture fixture =
        new DiskFixture(
            cacheBytes,
            DiskSettings.with(List.of(dir(path(), SIZE)))
                .writeQueueBytes(WRITE_QUEUE_BYTES)
                .build(),
            file -> {
              slab[0] = new FaultySlab(file);
              return slab[0];
            });
    try {
      fill(fixture);
      slab[0].stall();
      // writes: the queue is bounded in bytes, and a response that does not fit is skipped
      for (int i = 0; i < 20; i++) {
        fixture.store.fill("http://stalled/" + i, bytes);
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
      fixture.assertWorks();
      assertThat(check(fixture)).isEqualTo(OBJECTS);
    } finally {
      slab[0].resume();
      fixture.close();
    }
  }

  private static final long WRITE_QUEUE_BYTES = 2 << 20;
}
