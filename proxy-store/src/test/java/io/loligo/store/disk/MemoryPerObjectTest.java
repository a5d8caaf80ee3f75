package io.loligo.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.StoreFixture;
import io.loligo.store.admission.Lane;
import io.loligo.store.admission.QueueAdmission;
import io.loligo.store.directory.ObjectIndex;
import io.loligo.store.disk.record.ChronicleRecordMap;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a directory keeps in memory for an object, outside the map, summed up; {@code IndexMemory}
 * in proxy-bench measures it.
 */
final class MemoryPerObjectTest {
  private static final long MOST_BYTES = 100;

  /** Total, mean size of objects, and how many objects it is filled with. */
  @ParameterizedTest
  @CsvSource({
    "107374182400, 13312, 10000000", // the design size
    "9466777216, 1350, 10000000", // objects of a few octets
    "107374182400, 13312, 8000000", // as many as the configured mean size says
    "2147483648, 13312, 160000",
    "104857600, 13312, 7800",
  })
  void isAtMostAHundredOctets(long totalBytes, long meanBytes, int objects) {
    Geometry geometry = Geometry.of(totalBytes, meanBytes, ChronicleRecordMap::fileBytes);
    assertThat(geometry.records()).isGreaterThanOrEqualTo(objects);
    long index = ObjectIndex.memoryBytes(geometry.records());
    long admission =
        new QueueAdmission(
                geometry.slabBytes(), geometry.segmentBytes(), totalBytes / geometry.records())
            .memoryBytes();
    long lists = notes(objects, geometry.segments());

    assertThat((index + admission + lists) / objects).isLessThanOrEqualTo(MOST_BYTES);
  }

  @ParameterizedTest
  @CsvSource({"107374182400, 13312", "2147483648, 13312", "104857600, 1024"})
  void isWhatIsSaidBeforeItIsOpened(long totalBytes, long meanBytes) {
    ProxyConfig.Disk disk =
        new ProxyConfig.Disk(
            List.of(StoreFixture.dir(Path.of("/none"), totalBytes)), meanBytes, 4, 32 << 20);
    Geometry geometry = Geometry.of(totalBytes, meanBytes, ChronicleRecordMap::fileBytes);
    long index = ObjectIndex.memoryBytes(geometry.records());
    long admission =
        new QueueAdmission(
                geometry.slabBytes(), geometry.segmentBytes(), totalBytes / geometry.records())
            .memoryBytes();

    DiskMemory said = DiskMemory.of(disk);
    assertThat(said.heapBytes())
        .isGreaterThanOrEqualTo(admission + notes(geometry.records(), geometry.segments()));
    assertThat(said.directBytes()).isBetween(index, index + (20 << 20));
    assertThat(said.mappedBytes()).isEqualTo(geometry.mapBytes());
  }

  private static long notes(int objects, int segments) {
    Segment segment = new Segment(0);
    segment.open(Lane.MAIN, 1);
    for (int slot = 0; slot <= objects / segments; slot++) {
      segment.note(slot);
    }
    return segment.memoryBytes() * segments;
  }

  @Test
  void anIndexHasNoMoreThanItSays() {
    assertThat(ObjectIndex.memoryBytes(10_000_000))
        .isEqualTo(10_000_000L * ObjectIndex.SLOT_BYTES + (1L << 24) * Integer.BYTES);
  }
}
