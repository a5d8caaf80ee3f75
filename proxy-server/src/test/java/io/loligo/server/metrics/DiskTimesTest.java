package io.loligo.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.metrics.DiskTimes.Part;
import io.loligo.store.disk.medium.DiskWatch.DiskOperation;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DiskTimesTest {
  private static final long MILLI = 1_000_000;

  private final AtomicLong clock = new AtomicLong();
  private final DiskTimes disk = new DiskTimes(clock::get);

  private LatencySnapshot of(Part part) {
    LatencySnapshot times = new LatencySnapshot();
    disk.addTo(times, part);
    return times;
  }

  @Test
  void storedResponsesAreCountedBySizeAndByTheirOwnWrites() {
    disk.stored(8192, 10, 0, 0);
    disk.stored(8193, 20, 0, 0);
    disk.stored(16_384, 20, 0, 0);
    disk.stored(100_000, 30, 1, 7);
    disk.stored(200_000, 31, 2, 25);
    assertThat(of(Part.STORE).count()).isEqualTo(5);
    assertThat(of(Part.STORE).sumNanos()).isEqualTo(111);
    assertThat(of(Part.STORE_8K).sumNanos()).isEqualTo(10);
    assertThat(of(Part.STORE_16K).sumNanos()).isEqualTo(40);
    assertThat(of(Part.SECOND_BLOCK).sumNanos()).isEqualTo(7);
    assertThat(disk.sharedWrites()).isEqualTo(3);
  }

  @Test
  void sizesAreInGroupsOfOneKilobyte() {
    disk.stored(0, 1, 0, 0);
    disk.stored(1024, 3, 0, 0);
    disk.stored(1025, 5, 0, 0);
    disk.stored(64 << 10, 7, 0, 0);
    disk.stored((64 << 10) + 1, 9, 1, 9);
    LatencySnapshot sizes = new LatencySnapshot();
    disk.sizes().addSizesTo(sizes);
    assertThat(sizes.count()).isEqualTo(5);
    assertThat(sizes.maxNanos()).isEqualTo((64 << 10) + 1);
    long[] sums = new long[StoredSizes.GROUPS];
    for (int i = 0; i < sums.length; i++) {
      LatencySnapshot group = new LatencySnapshot();
      disk.sizes().addTimesTo(group, i);
      sums[i] = group.sumNanos();
    }
    assertThat(sums).startsWith(4, 5, 0).endsWith(0, 7);
  }

  @Test
  void readsAndWritesTogetherAreSampledToo() {
    disk.began(DiskOperation.READ);
    clock.set(3 * MILLI);
    disk.began(DiskOperation.WRITE);
    clock.set(5 * MILLI);
    disk.ended(DiskOperation.READ, 0, 0);
    clock.set(9 * MILLI);
    LatencySnapshot both = new LatencySnapshot();
    disk.addSamplesTo(both);
    assertThat(both.count()).isEqualTo(4);
    // at 2, 4, 6 and 8 ms
    assertThat(both.sumNanos()).isEqualTo(1 + 2 + 1 + 1);
  }
}
