package io.loligo.store.disk.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link RecordQuery} says of a damaged file, tried. */
final class DamagedMapTest {
  private static final long RECORDS = 3000;
  private static final Geometry ONE_SEGMENT = Geometry.of(RECORDS);
  private static final long SLOTS = (long) Geometry.FIRST_PAGE_BYTES + ONE_SEGMENT.headerBytes();
  private static final int NEXT_TIER = Geometry.FIRST_PAGE_BYTES + 16;

  @TempDir Path directory;

  @Test
  void refusesASlotThatNamesNoChunk() throws IOException {
    try (RecordMap map = oneRecord();
        RandomAccessFile open = open()) {
      long slot = takenSlot(open);
      open.seek(slot + 3);
      open.write(0xff); // the highest bits of the chunk's number
      assertThatIOException()
          .isThrownBy(() -> TestRecord.get(map, 1))
          .withMessageContaining("a slot names chunk");
    }
  }

  @Test
  void doesNotLookForAnEmptySlotForEver() throws IOException {
    try (RecordMap map = oneRecord();
        RandomAccessFile open = open()) {
      long taken = takenSlot(open);
      for (int i = 0; i < ONE_SEGMENT.slots(); i++) {
        long slot = SLOTS + (long) i * Geometry.SLOT_BYTES;
        if (slot != taken) {
          open.seek(slot);
          open.write(1);
        }
      }
      assertThatIOException()
          .isThrownBy(() -> map.remove(TestRecord.high(1), 1))
          .withMessageContaining("all slots of a segment are taken");
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 1000, Long.MIN_VALUE, Long.MIN_VALUE + 0x1234567, Long.MAX_VALUE})
  void followsNoFurtherTier(long tier) throws IOException {
    try (RecordMap map = oneRecord();
        RandomAccessFile open = open()) {
      open.seek(NEXT_TIER);
      open.writeLong(Long.reverseBytes(tier));
      assertThat(TestRecord.get(map, 2)).isEqualTo(TestRecord.ABSENT);
      assertThat(TestRecord.put(map, 2, 2)).isTrue();
      assertThat(TestRecord.get(map, 1)).isOne();
      assertThat(open.length()).isEqualTo(ONE_SEGMENT.fileBytes());
    }
    assertThatIOException()
        .isThrownBy(() -> ChronicleRecordMap.open(file(), RECORDS))
        .withMessageContaining("damaged header of segment 0");
  }

  @Test
  void waitsForADamagedLockInVainButNotForEver() throws IOException {
    try (RecordMap map = oneRecord();
        RandomAccessFile open = open()) {
      open.seek(Geometry.FIRST_PAGE_BYTES);
      open.writeLong(-1);
      assertThatIOException().isThrownBy(() -> TestRecord.get(map, 1));
    }
    try (RecordMap map = ChronicleRecordMap.recover(file(), RECORDS)) {
      assertThat(TestRecord.get(map, 1)).isOne();
    }
  }

  private RecordMap oneRecord() throws IOException {
    assertThat(ONE_SEGMENT.segments()).isOne();
    RecordMap map = ChronicleRecordMap.create(file(), RECORDS);
    TestRecord.put(map, 1, 1);
    return map;
  }

  private Path file() {
    return directory.resolve("map");
  }

  private RandomAccessFile open() throws IOException {
    return new RandomAccessFile(file().toFile(), "rw");
  }

  private static long takenSlot(RandomAccessFile open) throws IOException {
    open.seek(SLOTS);
    for (int i = 0; i < ONE_SEGMENT.slots(); i++) {
      if (open.readInt() != 0) {
        return SLOTS + (long) i * Geometry.SLOT_BYTES;
      }
    }
    throw new AssertionError("no slot is taken");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rest", "live", "cut"})
  void theProcessLives(String when) throws Exception {
    assertThat(fuzz(1, 12, when)).contains("seed 12");
  }

  @Tag("soak")
  @ParameterizedTest
  @ValueSource(strings = {"rest", "live", "cut"})
  void theProcessLivesLong(String when) throws Exception {
    fuzz(System.nanoTime(), 500, when); // the output of a failure tells the seed
  }

  private String fuzz(long seed, int rounds, String when) throws Exception {
    return ChildJvm.run(
        ChildJvm.of(DamageFuzz.class, List.of("-da"), directory, seed, rounds, when));
  }
}
