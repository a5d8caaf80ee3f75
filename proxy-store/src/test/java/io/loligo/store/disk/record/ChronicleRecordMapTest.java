package io.loligo.store.disk.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Records in anonymous memory, of which there is room for as many as were planned. */
final class ChronicleRecordMapTest {
  private static final long RECORDS = 10_000;

  private RecordMap map;

  @BeforeEach
  void make() throws IOException {
    map = ChronicleRecordMap.create(RECORDS);
  }

  @AfterEach
  void close() throws IOException {
    map.close();
  }

  @Test
  void returnsTheStoredRecord() throws IOException {
    assertThat(TestRecord.get(map, 1)).isEqualTo(TestRecord.ABSENT);
    assertThat(TestRecord.put(map, 1, 7)).isTrue();
    assertThat(TestRecord.get(map, 1)).isEqualTo(7);
    assertThat(TestRecord.get(map, 2)).isEqualTo(TestRecord.ABSENT);
    assertThat(map.contains(TestRecord.high(1), 1)).isTrue();
    assertThat(map.contains(TestRecord.high(2), 1)).as("another first half").isFalse();
    assertThat(map.contains(TestRecord.high(1), 2)).as("another second half").isFalse();
    assertThat(map.size()).isOne();
  }

  @Test
  void overwrites() throws IOException {
    TestRecord.put(map, 1, 7);
    TestRecord.put(map, 1, 8);
    assertThat(TestRecord.get(map, 1)).isEqualTo(8);
    assertThat(map.size()).isOne();
  }

  @Test
  void removes() throws IOException {
    TestRecord.put(map, 1, 7);
    assertThat(map.remove(TestRecord.high(1), 1)).isTrue();
    assertThat(map.remove(TestRecord.high(1), 1)).isFalse();
    assertThat(TestRecord.get(map, 1)).isEqualTo(TestRecord.ABSENT);
    assertThat(map.size()).isZero();
  }

  @Test
  void leavesTheBuffersAsPromised() throws IOException {
    ByteBuf record = TestRecord.of(3, 4);
    ByteBuf into = Unpooled.buffer(1).writeByte(1);
    map.put(3, 3, record);
    assertThat(record.readerIndex()).isZero();
    assertThat(map.get(3, 3, into)).isTrue();
    assertThat(into.readableBytes()).isEqualTo(1 + RecordMap.RECORD_BYTES);
    assertThat(into.skipBytes(1)).isEqualTo(record);
  }

  @Test
  void takesNoRecordThatIsTooShort() {
    ByteBuf little = Unpooled.buffer().writeZero(RecordMap.RECORD_BYTES - 1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> map.put(1, 1, little))
        .withMessage("bytes: 495 (expected: 496)");
    assertThat(map.size()).isZero();
  }

  /** And it does not grow: the next one has no room. */
  @Test
  void hasRoomForAllItWasPlannedForAndThenSaysFull() throws IOException {
    for (long i = 0; i < RECORDS; i++) {
      assertThat(TestRecord.put(map, i, i)).as("%d", i).isTrue();
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
    assertThat(refused).isGreaterThan(RECORDS / 2);
    assertThat(map.size()).isEqualTo(put);
    for (long i = 0; i < RECORDS; i++) {
      assertThat(TestRecord.get(map, i)).isEqualTo(i);
    }
    assertThat(map.remove(TestRecord.high(5), 5)).isTrue();
    assertThat(TestRecord.put(map, 5, 6)).isTrue();
    assertThat(TestRecord.get(map, 5)).isEqualTo(6);
  }

  /** Heads come and go for as long as the proxy runs. */
  @Test
  void hasRoomForAsManyHoweverOftenTheyChange() throws IOException {
    for (long i = 0; i < 6 * RECORDS; i++) {
      if (i >= RECORDS) {
        assertThat(map.remove(TestRecord.high(i - RECORDS), i - RECORDS)).isTrue();
      }
      assertThat(TestRecord.put(map, i, i)).as("%d", i).isTrue();
    }
    assertThat(map.size()).isEqualTo(RECORDS);
  }

  /** A thread that waits for a page of a mapped file stops all others. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void isInNoFile() throws IOException {
    for (long i = 0; i < RECORDS; i++) {
      TestRecord.put(map, i, i);
    }
    List<String> mappings = Files.readAllLines(Path.of("/proc/self/maps"));
    assertThat(mappings).anyMatch(line -> line.contains(" r-xp ")); // it can be read
    assertThat(mappings)
        .filteredOn(line -> line.split(" +", 3)[1].equals("rw-s"))
        .allMatch(line -> line.contains("hsperfdata"));
  }

  @Test
  void saysThatItIsClosed() throws IOException {
    TestRecord.put(map, 1, 1);
    map.close();
    assertThatIOException()
        .isThrownBy(() -> TestRecord.get(map, 1))
        .withMessageContaining("cannot be used");
    assertThatIOException().isThrownBy(() -> map.contains(1, 1));
    assertThatIOException().isThrownBy(() -> map.remove(1, 1));
  }

  /** The budget of memory counts on it. */
  @Test
  void takesNoMoreMemoryThanItSays() throws IOException {
    for (long records : new long[] {1000, 100_000}) {
      try (RecordMap sized = ChronicleRecordMap.create(records)) {
        long spare = 1 << 20; // of a small one
        assertThat(((ChronicleRecordMap) sized).memoryBytes())
            .isBetween(records * 512, records * ChronicleRecordMap.ENTRY_BYTES + spare);
      }
    }
  }
}
