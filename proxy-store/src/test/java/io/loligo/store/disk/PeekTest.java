package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.Store.Peek;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.Glimpse;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Looking without touching. */
final class PeekTest {
  private static final String URL = "http://peek/a";

  @TempDir Path temp;

  private DiskSettings here() {
    return disk(dir(temp.resolve("cache"), 16 << 20));
  }

  private static Peek peek(DiskFixture fixture, String url) {
    CompletableFuture<Peek> seen = new CompletableFuture<>();
    fixture.loop.execute(
        () -> fixture.store.store.peek(key(url), noFields(), fixture.loop, seen::complete));
    return DiskFixture.get(seen);
  }

  @Test
  void seesBothCopiesAndCountsNoHit() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(10_000));
      Entry entry = fixture.store.store.find(probe(URL), noFields());
      entry.hit();
      entry.release();
      peek(fixture, URL);
      Peek seen = peek(fixture, URL);
      assertThat(seen.disk()).isEqualTo(LoadOutcome.FOUND);
      assertThat(seen.variants()).hasSize(2);
      Glimpse inMemory = seen.variants().get(0);
      Glimpse onDisk = seen.variants().get(1);
      assertThat(inMemory.onDisk()).isFalse();
      assertThat(seen.selected()).isSameAs(inMemory);
      assertThat(inMemory.selected()).isTrue();
      assertThat(onDisk.selected()).isFalse();
      assertThat(seen.load()).as("memory answers").isNull();
      assertThat(inMemory.hits()).isEqualTo(1);
      assertThat(onDisk.onDisk()).isTrue();
      assertThat(onDisk.hits()).isZero();
      assertThat(onDisk.meta().contentLength()).isEqualTo(10_000);
      assertThat(new String(onDisk.storedLines(), StandardCharsets.ISO_8859_1))
          .isEqualTo("A: b\r\n\r\n");
    }
  }

  @Test
  void promotesNothing() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(1000));
    }
    try (DiskFixture fixture = new DiskFixture(here())) {
      Peek seen = peek(fixture, URL);
      assertThat(seen.variants()).singleElement().isEqualTo(seen.selected());
      assertThat(seen.load()).isEqualTo(LoadOutcome.FOUND);
      assertThat(fixture.store.store.find(probe(URL), noFields())).isNull();
      assertThat(fixture.stats().hits()).isZero();
    }
  }

  @Test
  void doesNotAskTheDiskForAnAbsentKey() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      Peek seen = peek(fixture, "http://peek/none");
      assertThat(seen.variants()).isEmpty();
      assertThat(seen.disk()).isNull();
    }
  }

  @Test
  void tellsOfDamageAndLeavesItToBeFound() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(40_000));
    }
    try (DiskFixture fixture = new DiskFixture(here())) {
      flip(temp.resolve("cache/slabs"));
      Peek seen = peek(fixture, URL);
      assertThat(seen.variants()).isEmpty();
      assertThat(seen.disk()).isEqualTo(LoadOutcome.DAMAGED);
      assertThat(seen.load()).isEqualTo(LoadOutcome.DAMAGED);
      assertThat(seen.selected()).isNull();
      assertThat(fixture.stats().objects()).isEqualTo(1);
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.DAMAGED);
    }
  }

  /** Changes bytes of the content wherever it stands. */
  private static void flip(Path slabs) throws IOException {
    byte[] wanted = Arrays.copyOfRange(bytes(40_000), 20_000, 20_016);
    try (RandomAccessFile file = new RandomAccessFile(slabs.toFile(), "rw")) {
      byte[] all = new byte[(int) Math.min(file.length(), 1 << 20)];
      file.readFully(all);
      for (int i = 0; i + wanted.length < all.length; i++) {
        if (Arrays.equals(all, i, i + wanted.length, wanted, 0, wanted.length)) {
          file.seek(i);
          file.write(~all[i]);
          return;
        }
      }
    }
    throw new AssertionError("not in the slabs");
  }
}
