package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.StoreFixture;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.format.Contents;
import io.loligo.store.disk.format.FileSizes;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.journal.Journal;
import io.loligo.store.disk.medium.Slab;
import io.loligo.store.load.LoadOutcome;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Starts from checkpoints, journals and segments, whole or damaged. */
final class RecoveryTest {
  private static final String URL = "http://recovered/";
  private static final String PURGED = "http://recovered/purged";
  private static final String HOT = "http://hot/";
  private static final int GENERATION = 8;

  @TempDir Path temp;
  private Path here;

  /** The slabs that are open, and the reads of them since. */
  private Counting slabs;

  /** Counts reads. */
  private static final class Counting implements Slab {
    private final FaultySlab slab;
    private final List<Integer> lengths = new ArrayList<>();

    Counting(Path file) throws IOException {
      slab = new FaultySlab(file);
    }

    @Override
    public synchronized void read(long position, ByteBuf into, int length) throws IOException {
      lengths.add(length);
      slab.read(position, into, length);
    }

    synchronized int largestRead() {
      return lengths.stream().mapToInt(length -> length).max().orElse(0);
    }

    @Override
    public void write(long position, ByteBuf from) throws IOException {
      slab.write(position, from);
    }

    @Override
    public void close() throws IOException {
      slab.close();
    }
  }

  @BeforeEach
  void begin() {
    here = temp.resolve("cache");
  }

  private DiskSettings disk() {
    return StoreFixture.disk(dir(here, 16 << 20));
  }

  private DiskFixture open() throws IOException {
    return new DiskFixture(
        16 << 20,
        disk(),
        file -> {
          slabs = new Counting(file);
          return slabs;
        });
  }

  private Path file(String name) {
    return here.resolve(name);
  }

  /** The process is killed: the next one finds the present content of the files. */
  private void kill(DiskFixture fixture) throws IOException {
    Path killed = temp.resolve("killed-" + here.getFileName());
    DiskFixture.copy(here, killed);
    fixture.close();
    here = killed;
  }

  private static void change(Path file, long at, int value) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(Long.BYTES).putLong(0, value), at);
    }
  }

  /** The number of the journal, or of the first that a checkpoint needs: both at 16. */
  private static long number(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      channel.read(bytes, 16);
    }
    return bytes.getLong(0);
  }

  private Path newest(String kind, int count) throws IOException {
    Path newest = file(kind + ".0");
    for (int i = 1; i < count; i++) {
      Path other = file(kind + "." + i);
      newest = number(other) > number(newest) ? other : newest;
    }
    return newest;
  }

  /** Two checkpoints, a removal behind the first, and one behind the second. */
  private void leaveTwoCheckpoints() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(URL, bytes(1000));
      fixture.put(PURGED, bytes(1001));
      fixture.put(PURGED + 2, bytes(1002));
    }
    DiskFixture fixture = open();
    fixture.settle(); // writes a checkpoint
    assertThat(fixture.purge(PURGED)).isOne();
    kill(fixture);
    fixture = open();
    fixture.put(URL + 2, bytes(1003)); // another one
    assertThat(fixture.purge(PURGED + 2)).isOne();
    kill(fixture);
  }

  private void verify(DiskFixture fixture) {
    assertThat(fixture.load(URL).content()).isEqualTo(bytes(1000));
    assertThat(fixture.load(URL + 2).content()).isEqualTo(bytes(1003));
    assertThat(fixture.load(PURGED).outcome()).isEqualTo(LoadOutcome.ABSENT);
    assertThat(fixture.load(PURGED + 2).outcome()).isEqualTo(LoadOutcome.ABSENT);
  }

  @Test
  void removalsAreFoundOverCheckpoints() throws IOException {
    leaveTwoCheckpoints();
    try (DiskFixture fixture = open()) {
      verify(fixture);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 20, 36, 44, 70})
  void theOlderCheckpointIsTakenWhereTheNewerIsDamaged(int at) throws IOException {
    leaveTwoCheckpoints();
    change(newest("checkpoint", 2), at, -1);
    try (DiskFixture fixture = open()) {
      verify(fixture);
      fixture.settle();
      kill(fixture);
    }
    try (DiskFixture fixture = open()) {
      verify(fixture);
    }
  }

  /** The header is zeroed first and written last. */
  @Test
  void aCheckpointThatWasCutShortDoesNotCount() throws IOException {
    leaveTwoCheckpoints();
    Path newest = newest("checkpoint", 2);
    try (FileChannel channel = FileChannel.open(newest, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(64), 0);
      channel.write(ByteBuffer.allocate(64).putLong(0, 7), 100);
    }
    try (DiskFixture fixture = open()) {
      verify(fixture);
    }
  }

  @Test
  void nothingIsTakenUpWithoutACheckpoint() throws IOException {
    leaveTwoCheckpoints();
    change(file("checkpoint.0"), 0, 0);
    change(file("checkpoint.1"), 0, 0);
    try (DiskFixture fixture = open()) {
      assertThat(fixture.stats().objects()).isZero();
      fixture.put(URL, bytes(5));
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(5));
    }
  }

  /** Removals could be missing: of all journals, as the newest one may be the one that is. */
  @ParameterizedTest
  @CsvSource({"0, true", "1, true", "2, true", "3, true", "0, false", "2, false"})
  void nothingIsTakenUpWhereAJournalIsMissingOrDamaged(int journal, boolean isDeleted)
      throws IOException {
    leaveTwoCheckpoints();
    if (isDeleted) {
      Files.delete(file("journal." + journal));
    } else {
      change(file("journal." + journal), 12, 0);
    }
    try (DiskFixture fixture = open()) {
      assertThat(fixture.stats().objects()).isZero();
      fixture.put(URL, bytes(5));
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(5));
    }
  }

  /** A purge was forced to the disk, and its record is damaged. */
  @Test
  void nothingIsTakenUpWhereARemovalThatWasForcedIsDamaged() throws IOException {
    leaveTwoCheckpoints();
    DiskFixture first = open();
    first.settle();
    assertThat(first.purge(URL)).isOne();
    assertThat(first.purge(URL + 2)).isOne(); // behind it stands that the first was forced
    kill(first);
    change(newest("journal", FileSizes.JOURNALS), Journal.HEADER_BYTES + 8, 77);
    try (DiskFixture fixture = open()) {
      assertThat(fixture.stats().objects()).isZero();
    }
  }

  @Test
  void sectionThatIsDamagedCostsItsSegmentAndBringsNothingBack() throws IOException {
    try (DiskFixture fixture = open()) {
      for (int i = 0; i < 100; i++) {
        fixture.put(URL + i, bytes(10_000 + i));
      }
      assertThat(fixture.purge(URL + 99)).isOne();
    }
    Path newest = newest("checkpoint", 2);
    long entries = 64 + 24L * 5 + 64; // about: behind the table and the first head
    change(newest, entries + 200, 77);
    try (DiskFixture fixture = open()) {
      int found = 0;
      for (int i = 0; i < 99; i++) {
        DiskFixture.Found one = fixture.load(URL + i);
        if (one.outcome() == LoadOutcome.FOUND) {
          assertThat(one.content()).isEqualTo(bytes(10_000 + i));
          found++;
        }
      }
      assertThat(found).isBetween(50, 98);
      assertThat(fixture.load(URL + 99).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  // Footers

  private DiskFixture fillSegments() throws IOException {
    DiskFixture fixture = open();
    for (int i = 0; i < 60; i++) {
      fixture.put(URL + i, bytes(10_000 + i));
    }
    return fixture;
  }

  private static void verifyAll(DiskFixture fixture) {
    for (int i = 0; i < 60; i++) {
      assertThat(fixture.load(URL + i).content()).as("%d", i).isEqualTo(bytes(10_000 + i));
    }
  }

  @Test
  void segmentsWithAFooterAreNotRead() throws IOException {
    DiskFixture first = fillSegments();
    // some 25 fill a segment: the third is open
    kill(first);
    // without its header, the blocks of the first are unreadable
    change(file("slabs"), 0, 0);
    try (DiskFixture fixture = open()) {
      verifyAll(fixture);
    }
  }

  @Test
  void segmentsWithoutAFooterAreReadAsAWhole() throws IOException {
    DiskFixture first = fillSegments();
    kill(first);
    long segmentBytes = Geometry.of(16 << 20, 13 << 10).segmentBytes();
    change(file("slabs"), segmentBytes - Contents.HEAD_BYTES, 0);
    change(file("slabs"), 2 * segmentBytes - Contents.HEAD_BYTES, 0);
    try (DiskFixture fixture = open()) {
      assertThat(slabs.largestRead()).isGreaterThan(Block.MAX_BYTES);
      verifyAll(fixture);
    }
  }

  @Test
  void nothingIsReadOfSegmentsThatTheCheckpointCovers() throws IOException {
    fillSegments().close();
    try (DiskFixture fixture = open()) {
      assertThat(slabs.largestRead()).isZero();
      verifyAll(fixture);
    }
  }

  @Test
  void pieceOfAnEarlierLifeOfItsSegmentIsNone() throws IOException {
    DiskFixture first = open();
    first.put(URL, bytes(500_000));
    kill(first);
    // the header where the first packed segment begins is of another life
    byte[] all = Files.readAllBytes(file("slabs"));
    for (int at = 0; at < all.length; at += 1 << 18) {
      if (ByteBuffer.wrap(all).getInt(at) == 0x4C4F4C53) {
        try (FileChannel channel = FileChannel.open(file("slabs"), StandardOpenOption.WRITE)) {
          channel.write(
              ByteBuffer.allocate(Long.BYTES).putLong(0, Long.MAX_VALUE >> 1), at + GENERATION);
        }
      }
    }
    try (DiskFixture fixture = open()) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.stats().objects()).isZero();
    }
  }

  @Test
  void aResponseMovedOutOfAHalfEmptiedSegmentDoesNotComeBackAfterAPurge() throws IOException {
    FaultySlab[] slab = new FaultySlab[1];
    try (DiskFixture fixture =
        new DiskFixture(
            16 << 20,
            disk(),
            file -> {
              slab[0] = new FaultySlab(file);
              return slab[0];
            })) {
      for (int i = 0; i < 4; i++) {
        fixture.put(HOT + i, bytes(50_000 + i));
      }
      for (int i = 0; i < 200; i++) {
        fixture.load(HOT + i % 4);
      }
      slab[0].failAtMove(1);
      for (int i = 0; fixture.stats().state() == DiskStats.State.READY; i++) {
        assertThat(i).isLessThan(600);
        fixture.put("http://a/" + i, bytes(60_000));
      }
      kill(fixture);
    }
    try (DiskFixture fixture = open()) {
      for (int i = 0; i < 4; i++) {
        fixture.purge(HOT + i);
      }
      kill(fixture);
    }
    try (DiskFixture fixture = open()) {
      for (int i = 0; i < 4; i++) {
        assertThat(fixture.load(HOT + i).outcome()).isEqualTo(LoadOutcome.ABSENT);
      }
    }
  }

  // Power failures

  /** The system had not written the end of the journal, with records that were not confirmed. */
  @Test
  void aJournalThatAPowerFailureCutIsGoneOnWith() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(URL, bytes(1000));
    }
    DiskFixture first = open();
    first.settle();
    Files.copy(newest("journal", FileSizes.JOURNALS), temp.resolve("kept"));
    Path journal = newest("journal", FileSizes.JOURNALS).getFileName();
    first.store.store.remove(StoreFixture.key(URL)); // which has no waiters
    first.settle();
    kill(first);
    Files.copy(temp.resolve("kept"), here.resolve(journal), StandardCopyOption.REPLACE_EXISTING);
    DiskFixture second = open();
    assertThat(second.load(URL).content()).isEqualTo(bytes(1000));
    assertThat(second.purge(URL)).isOne();
    kill(second);
    try (DiskFixture fixture = open()) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  @Test
  void purgeIsConfirmedWhenItIsOnTheDiskAndARemovalBehindTheBackDoesNotWait() throws IOException {
    try (DiskFixture fixture = open()) {
      FaultyJournals journals = fixture.medium.journals;
      fixture.put(URL, bytes(1000));
      int before = journals.forces();
      fixture.store.store.remove(StoreFixture.key(URL));
      DiskFixture.await(fixture.medium::isIdle);
      assertThat(journals.forces()).isEqualTo(before);
      assertThat(fixture.purge(URL)).isZero();
      assertThat(journals.forces()).isEqualTo(before + 1);
      assertThat(fixture.purge(URL)).isZero();
      assertThat(journals.forces()).as("there is nothing more to force").isEqualTo(before + 1);
      fixture.put(URL, bytes(1000));
      journals.failForces();
      assertThat(fixture.purge(URL)).as("it begins empty").isNotNegative();
      assertThat(fixture.stats().reason()).contains("Input/output error");
    }
  }
}
