package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code loligo_cache_dir_second_request on}: one-hit wonders do not go to the disk. */
final class SecondRequestTest {
  private static final String URL = "http://second/";

  @TempDir Path temp;

  private DiskFixture open(boolean onSecondRequest) throws IOException {
    return new DiskFixture(
        16 << 20,
        DiskSettings.with(List.of(dir(temp.resolve("cache"), 16 << 20)))
            .loadTimeoutMillis(0)
            .onSecondRequest(onSecondRequest)
            .build());
  }

  @Test
  void theFirstIsNotWrittenTheSecondIs() throws IOException {
    try (DiskFixture fixture = open(true)) {
      fixture.put(URL, bytes(1000));
      fixture.put(URL + "large", bytes(200_000));
      assertThat(fixture.stats().objects()).isZero();
      assertThat(fixture.stats().skippedAdmission()).isEqualTo(2);
      fixture.put(URL, bytes(1001));
      fixture.put(URL + "large", bytes(200_001));
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(1001));
      assertThat(fixture.load(URL + "large").content()).isEqualTo(bytes(200_001));
    }
  }

  @Test
  void theFirstIsWrittenWhereItIsOff() throws IOException {
    try (DiskFixture fixture = open(false)) {
      fixture.put(URL, bytes(1000));
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(1000));
    }
  }

  /** Its second request was answered by memory. */
  @Test
  void aResponseRequestedFromMemoryIsWritten() throws IOException {
    try (DiskFixture fixture = open(true)) {
      fixture.put(URL, bytes(1000));
      fixture.put(URL + "once", bytes(1000));
      Entry entry = fixture.store.store.find(probe(URL), noFields());
      entry.hit();
      entry.release();
      fixture.tickUntil(() -> fixture.stats().objects() > 0);
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(1000));
      fixture.settle();
      assertThat(fixture.load(URL + "once").outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  /** The requests are forgotten, but stored responses are known. */
  @Test
  void aReplacementIsWrittenAfterARestart() throws IOException {
    try (DiskFixture fixture = open(false)) {
      fixture.put(URL, bytes(1000));
    }
    try (DiskFixture fixture = open(true)) {
      fixture.put(URL, bytes(1001));
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(1001));
    }
  }
}
