package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.content;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.meta;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.StoredMeta;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Entry;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of other nodes' responses beside a cache_dir. */
final class CopiesAndDiskTest {
  private static final String URL = "http://a/";
  private static final StoredMeta COPY = meta().copied(0, 10);

  @TempDir Path temp;

  private DiskSettings here() {
    return disk(dir(temp.resolve("cache"), 16 << 20));
  }

  @Test
  void nothingOfACopyIsOnDiskAfterARestart() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.store.fill(URL, COPY, bytes(1000));
      Entry copy = fixture.store.store.find(probe(URL), noFields());
      Entry confirmed =
          fixture.store.store.freshen(
              copy.key(), copy, meta(), fixture.store.fields("A: c\r\n\r\n"));
      confirmed.release();
      copy.release();
      fixture.store.fill(URL + "large", COPY, bytes(600_000)); // beyond the largest in memory
      fixture.settle();
      assertThat(fixture.store.store.stats().copies()).isEqualTo(1);
      assertThat(fixture.stats().writes()).isZero();
    }
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.load(URL + "large").outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  /** Clients have the copy, which is newer: an older response must not come back after it. */
  @Test
  void aCopySupersedesAnOlderResponseOnDisk() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(2000));
      fixture.store.fill(URL, COPY, bytes(1000));
      Entry found = fixture.store.store.find(probe(URL), noFields());
      assertThat(content(found)).isEqualTo(bytes(1000));
      found.release();
      fixture.store.store.resize(0);
      fixture.settle();
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  @Test
  void aCopyWithoutRoomLeavesTheResponseOnDisk() throws IOException {
    try (DiskFixture fixture = new DiskFixture(64 << 10, here())) {
      fixture.put(URL, bytes(2000));
      fixture.store.fill(URL, COPY, bytes(30_000));
      fixture.settle();
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(2000));
    }
  }
}
