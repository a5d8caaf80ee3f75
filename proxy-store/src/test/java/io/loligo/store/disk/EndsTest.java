package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.meta;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.StoreFixture;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.load.LoadOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The share of stored objects in the slabs: the ends of segments are used, too. */
final class EndsTest {
  private static final long SIZE = 64 << 20;

  @TempDir Path temp;

  private DiskSettings here() {
    return disk(dir(temp.resolve("cache"), SIZE));
  }

  private static double filled(DiskFixture fixture) {
    long slabs = DiskDirectory.geometry(dir(Path.of("x"), SIZE), 13 << 10).slabBytes();
    return (double) fixture.stats().usedBytes() / slabs;
  }

  @Test
  void smallResponsesFillTheEndsOfSegments() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    try (DiskFixture fixture = new DiskFixture(256 << 10, here())) {
      long bytes = 0;
      for (int i = 0; fixture.stats().evictions() == 0; i++) {
        int size = random.nextInt(3) > 0 ? random.nextInt(9_000) : random.nextInt(60_000);
        fixture.store.fill("http://a/" + i, bytes(size));
        bytes += size;
        if (i % 16 == 0) {
          fixture.settle();
        }
      }
      fixture.settle();
      assertThat(bytes).isGreaterThan(SIZE / 2);
      assertThat(filled(fixture)).isGreaterThan(0.93);
    }
  }

  /** Until it is written, or refused. */
  private static void stream(DiskFixture fixture, String url, byte[] bytes) throws Exception {
    long before = ended(fixture);
    fixture
        .loop
        .submit(
            () -> {
              InFlight flight =
                  fixture.store.store.begin(
                      key(url), true, fixture.loop, new StoreFixture.SilentWriter());
              flight.head(StoreFixture.head(), meta(), true, fixture.store.fields("\r\n"), -1);
              flight.content(fixture.store.buffer(bytes));
              flight.end(null);
            })
        .get();
    DiskFixture.await(() -> ended(fixture) > before);
    fixture.settle();
  }

  private static long ended(DiskFixture fixture) {
    return fixture.stats().writes() + fixture.stats().skippedAdmission();
  }

  @Test
  void aStreamOfUnknownLengthThatWouldDriveMostOthersOutEndsThere() throws Exception {
    DiskSettings small = disk(dir(temp.resolve("cache"), 16 << 20));
    byte[] bytes = bytes(5 << 20);
    try (DiskFixture fixture = new DiskFixture(small)) {
      stream(fixture, "http://a/first", bytes);
      assertThat(fixture.stats().writes()).isEqualTo(1);
      for (int i = 0; fixture.stats().evictions() == 0; i++) {
        fixture.put("http://b/" + i, bytes(60_000));
      }
      long writes = fixture.stats().writes();
      stream(fixture, "http://a/second", bytes);
      assertThat(fixture.stats().writes()).isEqualTo(writes);
      assertThat(fixture.stats().skippedAdmission()).isPositive();
      assertThat(fixture.load("http://a/second").outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }
}
