package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DiskModelTest {
  private static final int SIZE = 100;
  private static final int HEAP = 40_000;
  private static final MemorySize MEMORY =
      new MemorySize("cache_mem", () -> 1000, bytes -> bytes + 50, () -> 1_000, bytes -> bytes);

  private final DiskModel model =
      new DiskModel(
          10_000,
          MEMORY,
          new DiskSize("cache_dir", () -> 1 << 20, () -> 0, () -> 150, () -> false),
          HEAP);

  private boolean ask(long hash, int size) {
    return model.request(hash, size, true, false);
  }

  @Test
  void aResponseOnDiskOrInMemoryIsAHit() {
    assertThat(ask(5, SIZE)).isFalse();
    assertThat(ask(5, SIZE)).as("in both").isTrue();
    assertThat(ask(6, 2_000)).isFalse();
    assertThat(ask(6, 2_000)).as("too large for memory").isTrue();
    assertThat(model.entriesOnDisk()).isEqualTo(2);
    assertThat(model.entriesInMemory()).isEqualTo(1);
  }

  @Test
  void aResponseThatIsTooLargeIsNoHit() {
    ask(5, SIZE);
    assertThat(ask(5, TierModel.TOO_LARGE)).isFalse();
    assertThat(model.entriesInMemory()).isZero();
    assertThat(model.entriesOnDisk()).as("its space is in use").isEqualTo(1);
    assertThat(ask(5, TierModel.UNKNOWN)).isFalse();
  }

  @Test
  void aResponseThatMayNotBeUsedIsReplaced() {
    ask(5, SIZE);
    assertThat(model.request(5, SIZE, false, false)).isFalse();
    assertThat(ask(5, SIZE)).isTrue();
  }

  /** 10,000 bytes have room for 100; a response of 2,000 bytes leaves memory. */
  @Test
  void aResponseThatMemoryServesStaysOnDisk() {
    ask(0, SIZE);
    assertThat(ask(0, SIZE)).as("from memory").isTrue();
    ask(1, SIZE);
    for (int object = 1000; object < 1100; object++) {
      ask(Trace.hash(object, 1), SIZE);
      model.second();
    }
    assertThat(ask(0, 2_000)).as("on disk").isTrue();
    assertThat(ask(1, 2_000)).as("neither tier served it").isFalse();
  }

  /** Memory has room for six, and seven eighths of it for five. */
  @Test
  void memoryDropsResponsesThatTheDiskHas() {
    for (int hash = 0; hash < 6; hash++) {
      ask(hash, SIZE);
    }
    assertThat(model.entriesInMemory()).isEqualTo(6);
    model.second();
    assertThat(model.entriesInMemory()).isEqualTo(5);
    assertThat(model.entriesOnDisk()).isEqualTo(6);
  }

  @Test
  void bothTiersKeepTheLowerRanks() {
    ask(5, SIZE);
    ask(Long.MIN_VALUE | 6, SIZE);
    model.sink(KeyRank.ALL - 8);
    assertThat(model.entriesInMemory()).isEqualTo(1);
    assertThat(model.entriesOnDisk()).isEqualTo(1);
    assertThat(ask(5, SIZE)).isTrue();
  }

  @Test
  void isFullWhereOneOfTheTiersIs() {
    DiskModel small =
        new DiskModel(
            1 << 30,
            new MemorySize("cache_mem", () -> 1000, bytes -> bytes, () -> 1 << 20, bytes -> bytes),
            new DiskSize("cache_dir", () -> 1 << 20, () -> 0, () -> 150, () -> false),
            4_000);
    int asked = 0;
    while (small.fullness() < 1) {
      small.request(Trace.hash(asked++, 1), SIZE, true, false);
    }
    assertThat(small.entriesInMemory()).as("of sixteen").isEqualTo(16);
    assertThat(small.entriesOnDisk()).isEqualTo(16);
    small.sink(KeyRank.ALL - 8);
    assertThat(small.fullness()).isLessThan(1);
  }
}
