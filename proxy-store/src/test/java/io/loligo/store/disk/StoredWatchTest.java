package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.head;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.meta;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.StoreFixture;
import io.loligo.store.disk.medium.DiskWatch;
import io.loligo.store.disk.medium.SystemMedium;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each way of writing a response tells the watch its size, its time and its own writes. */
class StoredWatchTest {
  private static final String FIELDS = "A: b\r\n\r\n";

  @TempDir Path temp;

  private record Stored(long bytes, long nanos, long blocks, long blockNanos) {}

  private final Queue<Stored> told = new ConcurrentLinkedQueue<>();

  private final DiskWatch watch =
      new DiskWatch() {
        @Override
        public void waited(long nanos) {}

        @Override
        public void began(DiskOperation operation) {}

        @Override
        public void ended(DiskOperation operation, long nanos, long bytes) {}

        @Override
        public void stored(long bytes, long nanos, long blocks, long blockNanos) {
          told.add(new Stored(bytes, nanos, blocks, blockNanos));
        }
      };

  private DiskFixture fixture() throws Exception {
    DiskSettings here = disk(dir(temp.resolve("cache"), 16 << 20));
    return new DiskFixture(16 << 20, here, new SystemMedium(watch));
  }

  private Stored onlyOne() {
    assertThat(told).hasSize(1);
    return told.remove();
  }

  private static void tookTimeForEachBlock(Stored stored) {
    assertThat(stored.nanos).isGreaterThanOrEqualTo(stored.blockNanos);
    assertThat(stored.blockNanos > 0).as("%s", stored).isEqualTo(stored.blocks > 0);
  }

  @Test
  void aResponseOfOneBlockSharesAWriteWithOthers() throws Exception {
    try (DiskFixture fixture = fixture()) {
      fixture.put("http://a/", bytes(5_000));
      Stored stored = onlyOne();
      assertThat(stored.bytes).isBetween(5_000L, 5_200L);
      assertThat(stored.blocks).isZero();
      assertThat(stored.nanos).isPositive();
      tookTimeForEachBlock(stored);
    }
  }

  @Test
  void furtherBlocksAreWrittenAlone() throws Exception {
    try (DiskFixture fixture = fixture()) {
      fixture.put("http://a/", bytes(100_000));
      Stored stored = onlyOne();
      assertThat(stored.bytes).isBetween(100_000L, 100_200L);
      assertThat(stored.blocks).isEqualTo(1);
      tookTimeForEachBlock(stored);
    }
  }

  @Test
  void aResponseThatIsWrittenWhileItArrivesIsToldAtItsEnd() throws Exception {
    try (DiskFixture fixture = fixture()) {
      fixture
          .loop
          .submit(
              () -> {
                var flight =
                    fixture.store.store.begin(
                        key("http://a/"), true, fixture.loop, new StoreFixture.SilentWriter());
                flight.head(head(), meta(), true, fixture.store.fields(FIELDS), -1);
                flight.content(fixture.store.buffer(bytes(700_000)));
                flight.end(null);
              })
          .get();
      DiskFixture.await(() -> fixture.stats().writes() > 0);
      fixture.settle();
      Stored stored = onlyOne();
      assertThat(stored.bytes).isEqualTo(700_000 + FIELDS.length());
      assertThat(stored.blocks).isEqualTo(10);
      tookTimeForEachBlock(stored);
    }
  }
}
