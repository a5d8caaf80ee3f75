package io.loligo.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MemorySharesTest {
  private static final long MIB = 1L << 20;

  @Test
  void heapAndDirectMemoryFitAnyMachineBesideTheJvm() {
    for (long machine = 192; machine <= 1 << 20; machine += machine / 7) {
      for (long line :
          new long[] {-1, 0, machine / 8, machine / 2, machine, Long.MAX_VALUE / MIB}) {
        long bytes = line < 0 ? line : line == Long.MAX_VALUE / MIB ? Long.MAX_VALUE : line * MIB;
        MemoryShares shares = MemoryShares.of(machine * MIB, bytes);
        long heap = bytes == Long.MAX_VALUE ? 64 * MIB : shares.heapBytes();
        assertThat(shares.heapBytes()).isBetween(64 * MIB, 31L << 30);
        assertThat(heap + shares.directBytes() + MemoryShares.jvmBytes(heap))
            .as("%s MB, a line of %s MB", machine, line)
            .isLessThanOrEqualTo(machine * MIB);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "256, 64, 32",
    "512, 128, 64",
    "1024, 256, 128",
    "4096, 1024, 128",
    "16384, 4096, 512",
    // more would bring the other collector
    "65536, 8192, 2048",
    "524288, 8192, 2048"
  })
  void theCacheTakesAQuarterUpToEightGigabytes(long machine, long cache, long transit) {
    MemoryShares shares = MemoryShares.of(machine * MIB);
    assertThat(shares.cacheBytes() / MIB).isEqualTo(cache);
    assertThat(shares.transitBytes() / MIB).isEqualTo(transit);
  }

  @Test
  void aLineGetsTheDirectMemoryItNeeds() {
    assertThat(MemoryShares.of(64L << 30).directBytes()).isBetween(46L << 30, 48L << 30);
    assertThat(MemoryShares.of(64L << 30, 50L << 30).directBytes()).isGreaterThan(55L << 30);
    assertThat(MemoryShares.of(64L << 30, 50L << 30).heapBytes()).isBetween(6L << 30, 7L << 30);
    assertThat(MemoryShares.of(64L << 30, Long.MAX_VALUE).directBytes())
        .as("the line is not known")
        .isGreaterThan(63L << 30);
  }
}
