package io.loligo.server.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DiskModelTest {
  private static final int SIZE = 100;
  private static final int MEMORY_ENTRY = DiskModel.MEMORY_ENTRY;
  private static final MemorySize MEMORY =
      new MemorySize("cache_mem", () -> 1000, bytes -> bytes + 50, () -> 1_000, bytes -> bytes);

  private final DiskModel model =
      new DiskModel(
          10_000,
          MEMORY,
          new DiskSize("cache_dir", () -> 1 << 20, () -> 0, () -> 150, () -> false),
          1,
          1024);

  private boolean ask(long hash, int size) {
    return model.request(hash, size, true, false);
  }

  @Test
  void aResponseOnDiskOrInMemoryIsAHit() {
    assertThat(ask(5, SIZE)).isFalse();
    assertThat(ask(5, SIZE)).as("in both").isTrue();
    assertThat(ask(6, 2_000)).isFalse();
    assertThat(ask(6, 2_000)).as("too large for memory").isTrue();
    assertThat(model.entries()).as("two on disk, one in memory").isEqualTo(2 + MEMORY_ENTRY);
  }

  @Test
  void aResponseThatIsTooLargeIsNoHit() {
    ask(5, SIZE);
    assertThat(ask(5, TierModel.TOO_LARGE)).isFalse();
    assertThat(model.entries()).as("its space on disk is in use").isEqualTo(1);
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
    assertThat(model.entries()).isEqualTo(6 + 6 * MEMORY_ENTRY);
    model.second();
    assertThat(model.entries()).isEqualTo(6 + 5 * MEMORY_ENTRY);
  }

  @Test
  void aCopyHasBothTiers() {
    ask(5, SIZE);
    ask(6, SIZE);
    DiskModel copy =
        new DiskModel(
            10_000,
            MEMORY,
            new DiskSize("cache_dir", () -> 1 << 20, () -> 0, () -> 150, () -> false),
            1,
            1024);
    model.copyTo(copy, hash -> hash == 5);
    assertThat(copy.entries()).isEqualTo(1 + MEMORY_ENTRY);
    assertThat(copy.request(5, SIZE, true, false)).isTrue();
  }
}
