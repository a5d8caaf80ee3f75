package io.loligo.store.disk.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ChronicleRecordMapTest {
  private static final long RECORDS = 10_000;

  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = directory.resolve("map");
  }

  @Test
  void givesBackWhatWasPut() throws IOException {
    try (RecordMap map = ChronicleRecordMap.create(file, RECORDS)) {
      assertThat(TestRecord.get(map, 1)).isEqualTo(TestRecord.ABSENT);
      assertThat(TestRecord.put(map, 1, 7)).isTrue();
      assertThat(TestRecord.get(map, 1)).isEqualTo(7);
      assertThat(TestRecord.get(map, 2)).isEqualTo(TestRecord.ABSENT);
      assertThat(map.size()).isOne();
    }
  }

  @Test
  void overwrites() throws IOException {
    try (RecordMap map = ChronicleRecordMap.create(file, RECORDS)) {
      TestRecord.put(map, 1, 7);
      TestRecord.put(map, 1, 8);
      assertThat(TestRecord.get(map, 1)).isEqualTo(8);
      assertThat(map.size()).isOne();
    }
  }

  @Test
  void removes() throws IOException {
    try (RecordMap map = ChronicleRecordMap.create(file, RECORDS)) {
      TestRecord.put(map, 1, 7);
      assertThat(map.remove(TestRecord.high(1), 1)).isTrue();
      assertThat(map.remove(TestRecord.high(1), 1)).isFalse();
      assertThat(TestRecord.get(map, 1)).isEqualTo(TestRecord.ABSENT);
      assertThat(map.size()).isZero();
    }
  }

  @Test
  void leavesTheBuffersAsPromised() throws IOException {
    ByteBuf record = TestRecord.of(3, 4);
    ByteBuf into = Unpooled.buffer(1).writeByte(1);
    try (RecordMap map = ChronicleRecordMap.create(file, RECORDS)) {
      map.put(3, 3, record);
      assertThat(record.readerIndex()).isZero();
      assertThat(map.get(3, 3, into)).isTrue();
      assertThat(into.readableBytes()).isEqualTo(1 + RecordMap.RECORD_BYTES);
      assertThat(into.skipBytes(1)).isEqualTo(record);
    }
  }

  @Test
  void hasRoomForAllItWasPlannedForAndThenSaysFull() throws IOException {
    try (RecordMap map = ChronicleRecordMap.create(file, RECORDS)) {
      for (long i = 0; i < RECORDS; i++) {
        assertThat(TestRecord.put(map, i, i)).isTrue();
      }
      long put = RECORDS;
      long refused = 0;
      for (long i = RECORDS; i < 2 * RECORDS; i++) {
        if (TestRecord.put(map, i, i)) {
          put++;
        } else {
          refused++;
        }
      }
      assertThat(refused).isPositive();
      assertThat(map.size()).isEqualTo(put);
      assertThat(Files.size(file)).isEqualTo(ChronicleRecordMap.fileBytes(RECORDS));
      for (long i = 0; i < RECORDS; i++) {
        assertThat(TestRecord.get(map, i)).isEqualTo(i);
      }
      assertThat(map.remove(TestRecord.high(5), 5)).isTrue();
      assertThat(TestRecord.put(map, 5, 6)).isTrue();
    }
  }

  @Test
  void visitsAllRecords() throws IOException {
    try (RecordMap map = ChronicleRecordMap.create(file, RECORDS)) {
      for (long i = 0; i < 5000; i++) {
        TestRecord.put(map, i, i + 1);
      }
      for (long i = 0; i < 5000; i += 2) {
        map.remove(TestRecord.high(i), i);
      }
      Set<Long> seen = new HashSet<>();
      map.forEach(
          (high, low, record) -> {
            assertThat(high).isEqualTo(TestRecord.high(low));
            assertThat(TestRecord.version(low, record)).isEqualTo(low + 1);
            assertThat(seen.add(low)).isTrue();
          });
      assertThat(seen).hasSize(2500).allMatch(low -> low % 2 == 1);
    }
  }

  @Test
  void isThereAgainAfterItWasClosed() throws IOException {
    try (RecordMap map = ChronicleRecordMap.create(file, RECORDS)) {
      for (long i = 0; i < 1000; i++) {
        TestRecord.put(map, i, i);
      }
    }
    try (RecordMap map = ChronicleRecordMap.open(file, RECORDS)) {
      assertThat(map.size()).isEqualTo(1000);
      for (long i = 0; i < 1000; i++) {
        assertThat(TestRecord.get(map, i)).isEqualTo(i);
      }
    }
    try (RecordMap map = ChronicleRecordMap.recover(file, RECORDS)) {
      assertThat(map.size()).isEqualTo(1000);
    }
    try (RecordMap map = ChronicleRecordMap.open(file, RECORDS)) {
      assertThat(map.size()).isEqualTo(1000);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 60, 3686, 3687, 7372, 50_000, 154_000, 155_000, 360_000})
  void takesExactlyTheSpaceItSaid(long records) throws IOException {
    ChronicleRecordMap.create(file, records).close();
    assertThat(Files.size(file)).isEqualTo(ChronicleRecordMap.fileBytes(records));
    ChronicleRecordMap.open(file, records).close();
  }

  @Test
  void refusesAFileForAnotherNumberOfRecords() throws IOException {
    ChronicleRecordMap.create(file, RECORDS).close();
    assertThatIOException()
        .isThrownBy(() -> ChronicleRecordMap.open(file, RECORDS + 100))
        .withMessageContaining("another number of records");
    assertThatIOException()
        .isThrownBy(() -> ChronicleRecordMap.recover(file, RECORDS - 100))
        .withMessageContaining("another number of records");
    ChronicleRecordMap.open(file, RECORDS).close();
  }

  @Test
  void refusesWhatIsNotThere() {
    assertThatThrownBy(() -> ChronicleRecordMap.open(file, RECORDS))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> ChronicleRecordMap.recover(file, RECORDS))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(file).doesNotExist();
  }

  @Test
  void refusesAFileThatIsNoMap() throws IOException {
    Preallocation.allocate(file, ChronicleRecordMap.fileBytes(RECORDS));
    assertThatIOException()
        .isThrownBy(() -> ChronicleRecordMap.open(file, RECORDS))
        .withMessageContaining("no header");
  }

  @Test
  void refusesToOpenWhatWasNotClosed() throws IOException {
    ChronicleRecordMap.create(file, RECORDS).close();
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(Geometry.FIRST_PAGE_BYTES);
      open.writeInt(1);
    }
    assertThatIOException()
        .isThrownBy(() -> ChronicleRecordMap.open(file, RECORDS))
        .withMessageContaining("was not closed");
    ChronicleRecordMap.recover(file, RECORDS).close();
    ChronicleRecordMap.open(file, RECORDS).close();
  }

  @Test
  void failsWithAReasonWhenTheFileIsCut() throws IOException {
    RecordMap map = ChronicleRecordMap.create(file, RECORDS);
    TestRecord.put(map, 1, 1);
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.setLength(Geometry.FIRST_PAGE_BYTES);
    }
    assertThatIOException()
        .isThrownBy(() -> TestRecord.get(map, 1))
        .withMessageContaining("cannot be used any more");
    assertThatIOException().isThrownBy(() -> TestRecord.put(map, 2, 1));
    assertThatIOException().isThrownBy(() -> map.forEach((high, low, record) -> {}));
    map.close();
  }

  @Test
  void goesOnInAFileThatWasDeleted() throws IOException {
    try (RecordMap map = ChronicleRecordMap.create(file, RECORDS)) {
      TestRecord.put(map, 1, 1);
      Files.delete(file);
      assertThat(TestRecord.put(map, 2, 2)).isTrue();
      assertThat(TestRecord.get(map, 1)).isOne();
    }
    assertThat(file).doesNotExist();
  }

  @Test
  void saysThatItIsClosed() throws IOException {
    RecordMap map = ChronicleRecordMap.create(file, RECORDS);
    TestRecord.put(map, 1, 1);
    map.close();
    assertThatIOException()
        .isThrownBy(() -> TestRecord.get(map, 1))
        .withMessageContaining("is closed");
    assertThatIOException().isThrownBy(() -> map.forEach((high, low, record) -> {}));
    map.close();
  }
}
