package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.StoreFixture;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.SizeClass;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Responses that are too large for the memory available at the moment. */
final class ScarceMemoryTest {
  private static final String URL = "http://a/";
  private static final long GB = 1L << 30;

  @TempDir Path temp;

  private DiskSettings here() {
    return disk(dir(temp.resolve("cache"), 16 << 20));
  }

  @Test
  void noMemoryForTheFirstBlockIsBusyAndNotAMiss() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(200_000));
      long taken = take(fixture, 0);
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.BUSY);
      fixture.store.transit.release(taken);
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(200_000));
    }
  }

  /** It is in the middle of its response, and other readers pass their blocks on. */
  @Test
  void aReaderWaitsForMemoryForTheRest() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(200_000));
      long taken = take(fixture, SizeClass.packed(Block.MAX_BYTES));
      long reads = fixture.stats().reads();
      CompletableFuture<DiskFixture.Found> found =
          CompletableFuture.supplyAsync(() -> fixture.load(URL));
      DiskFixture.await(() -> fixture.stats().reads() > reads);
      assertThat(found).isNotDone();
      fixture.store.transit.release(taken);
      assertThat(DiskFixture.get(found).content()).isEqualTo(bytes(200_000));
    }
  }

  /** Takes all memory but {@code left} bytes; how much. */
  private static long take(DiskFixture fixture, long left) {
    long taken = fixture.store.transit.limit() - fixture.store.transit.used() - left;
    assertThat(fixture.store.transit.tryReserve(taken)).isTrue();
    return taken;
  }

  /** One that has no memory left at the {@code failing}th buffer. */
  static final class Scarce extends PooledByteBufAllocator {
    final AtomicInteger failing = new AtomicInteger();

    Scarce() {
      super(true);
    }

    @Override
    public ByteBuf directBuffer(int initial, int max) {
      if (failing.getAndUpdate(left -> Math.max(0, left - 1)) == 1) {
        throw new OutOfMemoryError("for the test");
      }
      return super.directBuffer(initial, max);
    }
  }

  private DiskFixture open(Scarce scarce) throws IOException {
    WatchedMedium medium = new WatchedMedium(SystemMedium.SYSTEM);
    DiskFixture fixture =
        new DiskFixture(
            new StoreFixture(
                16 << 20,
                (allocator, transit, memory) ->
                    DiskTier.claim(here(), scarce, transit, memory, medium)),
            medium);
    fixture.store.store.opened().join();
    return fixture;
  }

  /** All ledgers are at zero when the fixture is closed. */
  @Test
  void memoryThatEndsWhileContentIsPutTogetherIsGivenBack() throws IOException {
    Scarce scarce = new Scarce();
    try (DiskFixture fixture = open(scarce)) {
      fixture.put(URL, bytes(300_000));
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.FOUND);
      for (int failing = 1; failing < 8; failing++) {
        fixture.store.store.resize(0);
        fixture.store.store.resize(16 << 20);
        scarce.failing.set(failing);
        fixture.load(URL);
        scarce.failing.set(0);
      }
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(300_000));
    }
  }

  /**
   * A response that cannot be struck out might come back: the directory would have to be given up.
   */
  @Test
  void removingNeedsNoMemory() throws IOException {
    Scarce scarce = new Scarce();
    try (DiskFixture fixture = open(scarce)) {
      fixture.put(URL, bytes(300_000));
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.FOUND);
      scarce.failing.set(1);
      assertThat(fixture.purge(URL)).isEqualTo(1);
      assertThat(scarce.failing.getAndSet(0)).as("no buffer was asked for").isEqualTo(1);
      assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
    }
  }

  @Test
  void placesOfPiecesAreInTheBudget() {
    List<CacheDir> dirs = List.of(dir(temp.resolve("cache"), 100 * GB));
    DiskMemory memory = DiskMemory.of(DiskSettings.with(dirs).meanObjectBytes(64 << 10).build());
    long large = 100 * GB / Block.MAX_BYTES;
    assertThat(memory.heapBytes()).isGreaterThan(large * 64);
  }
}
