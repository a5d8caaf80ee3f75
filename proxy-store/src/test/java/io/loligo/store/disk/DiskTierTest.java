package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.store.load.LoadOutcome;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DiskTierTest {
  private static final String URL = "http://a/";
  private static final long SIZE = 16 << 20;

  @TempDir Path temp;

  private DiskSettings killed() {
    return disk(dir(temp.resolve("killed"), SIZE));
  }

  private DiskSettings here() {
    return disk(dir(temp.resolve("cache"), SIZE));
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0, 1, 100, 300, 400, 500, 4096, 65_000, 65_300, 65_400, 65_472, 65_536, 131_072, 500_000
      })
  void loadsAStoredResponse(int length) throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      byte[] bytes = bytes(length);
      fixture.put(URL, bytes);
      DiskFixture.Found found = fixture.load(URL);
      assertThat(found.outcome()).isEqualTo(LoadOutcome.FOUND);
      assertThat(found.content()).isEqualTo(bytes);
      assertThat(found.fields()).isEqualTo("A: b\r\n\r\n");
    }
  }

  @Test
  void knowsAbsentKeys() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(100));
      assertThat(fixture.load("http://b/").outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100, 4096, 65_536, 500_000})
  void hasItAfterARestart(int length) throws IOException {
    byte[] bytes = bytes(length);
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes);
    }
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(fixture.load(URL).content()).isEqualTo(bytes);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100, 4096, 65_536, 500_000})
  void hasItAfterAKill(int length) throws IOException {
    byte[] bytes = bytes(length);
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes);
      DiskFixture.copy(temp.resolve("cache"), temp.resolve("killed"));
    }
    try (DiskFixture fixture = new DiskFixture(killed())) {
      assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
      assertThat(fixture.load(URL).content()).isEqualTo(bytes);
    }
  }

  /** The process that gives it goes on, without it. */
  @Test
  void whatIsGivenIsFoundByTheNextProcessAndNowhereElse() throws IOException {
    byte[] large = bytes(500_000);
    try (DiskFixture given = new DiskFixture(here())) {
      given.put(URL, bytes(1000));
      given.put(URL + "large", large);
      given.store.store.takeNoMore();
      given.put(URL + "late", bytes(1000));
      assertThat(given.load(URL).content()).isEqualTo(bytes(1000));
      given.store.store.giveDirectories();
      assertThat(given.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(given.purge(URL)).isNegative();
      CompletableFuture<Purged> noted = new CompletableFuture<>();
      Purge group = new Purge.Groups(new long[] {1}, false);
      given.store.store.purge(group, given.loop, noted::complete);
      assertThat(DiskFixture.get(noted).outcome()).isEqualTo(Purged.Outcome.NOT_CONFIRMED);
      try (DiskFixture next = new DiskFixture(here())) {
        assertThat(next.load(URL).content()).isEqualTo(bytes(1000));
        assertThat(next.load(URL + "large").content()).isEqualTo(large);
        assertThat(next.load(URL + "late").outcome()).isEqualTo(LoadOutcome.ABSENT);
        next.put(URL + "next", bytes(2000));
        given.store.store.tick();
        given.store.store.giveDirectories();
      }
    }
    try (DiskFixture last = new DiskFixture(here())) {
      assertThat(last.load(URL + "large").content()).isEqualTo(large);
      assertThat(last.load(URL + "next").content()).isEqualTo(bytes(2000));
    }
  }

  @Test
  void whatIsTakenBackLacksOnlyWhatWasRemovedMeanwhile() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(1000));
      fixture.put(URL + "other", bytes(500_000));
      fixture.store.store.takeNoMore();
      fixture.store.store.giveDirectories();
      assertThat(fixture.purge(URL)).isNegative();
      fixture.store.store.takeDirectoriesBack(here());
      fixture.store.store.opened().join();
      assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.load(URL + "other").content()).isEqualTo(bytes(500_000));
      fixture.put(URL + "new", bytes(1000));
      assertThat(fixture.load(URL + "new").content()).isEqualTo(bytes(1000));
    }
    try (DiskFixture next = new DiskFixture(here())) {
      assertThat(next.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(next.load(URL + "new").content()).isEqualTo(bytes(1000));
    }
  }

  @Test
  void responsesAreTakenAgainIfNothingWasGiven() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.store.store.takeNoMore();
      fixture.store.store.takeDirectoriesBack(here());
      fixture.put(URL, bytes(1000));
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(1000));
    }
  }

  @Test
  void forgetsPurgedResponsesForGood() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(1000));
      assertThat(fixture.purge(URL)).isEqualTo(1);
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.purge(URL)).isZero();
      DiskFixture.copy(temp.resolve("cache"), temp.resolve("killed"));
    }
    try (DiskFixture fixture = new DiskFixture(killed())) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  @Test
  void keepsTheNewest() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(1000));
      fixture.put(URL, bytes(2000));
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(2000));
      assertThat(fixture.stats().objects()).isEqualTo(1);
      DiskFixture.copy(temp.resolve("cache"), temp.resolve("killed"));
    }
    try (DiskFixture fixture = new DiskFixture(killed())) {
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(2000));
    }
  }

  /** Memory counts much more for small responses than their bytes. */
  @Test
  void memoryLeavesSmallOnesToTheDiskBeforeOneGoesForAnother() throws IOException {
    try (DiskFixture fixture = new DiskFixture(1 << 20, here())) {
      for (int i = 0; i < 2_000; i++) {
        fixture.put(URL + i, bytes(300));
      }
      long inMemory = fixture.store.store.stats().entries();
      assertThat(inMemory).isBetween(500L, 1_500L);
      assertThat(fixture.store.store.stats().evictions()).isZero();
      assertThat(fixture.load(URL + 1_999).outcome()).isEqualTo(LoadOutcome.FOUND);
      assertThat(fixture.store.store.stats().entries()).isEqualTo(inMemory);
    }
  }

  @Test
  void staysWithinItsSizeUnderAStormOfDistinctUrls() throws IOException {
    Random random = new Random(1);
    try (DiskFixture fixture = new DiskFixture(here())) {
      for (int i = 0; i < 6000; i++) {
        fixture.store.fill("http://a/" + i, bytes(1 + random.nextInt(20_000)));
        if (i % 50 == 0) {
          fixture.settle();
          assertThat(bytesUsed()).isLessThanOrEqualTo(SIZE);
        }
      }
      fixture.settle();
      assertThat(bytesUsed()).isLessThanOrEqualTo(SIZE);
      assertThat(fixture.stats().evictions()).isPositive();
      int found = 0;
      random = new Random(1);
      for (int i = 0; i < 6000; i++) {
        byte[] expected = bytes(1 + random.nextInt(20_000));
        DiskFixture.Found one = fixture.load("http://a/" + i);
        if (one.outcome() == LoadOutcome.FOUND) {
          found++;
          assertThat(one.content()).isEqualTo(expected);
        } else {
          assertThat(one.outcome()).isEqualTo(LoadOutcome.ABSENT);
        }
      }
      assertThat((long) found).isEqualTo(fixture.stats().objects()).isGreaterThan(500);
      assertThat(fixture.stats().skippedOther()).isZero();
    }
  }

  private long bytesUsed() throws IOException {
    try (var files = Files.walk(temp.resolve("cache"))) {
      return files.filter(Files::isRegularFile).mapToLong(DiskTierTest::size).sum();
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void dropsAResponseChangedOnDisk() throws IOException {
    byte[] bytes = bytes(10_000);
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes);
      flip(temp.resolve("cache/slabs"), bytes);
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.DAMAGED);
      assertThat(fixture.stats().damaged()).isEqualTo(1);
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  /** Flips one byte of content where {@code bytes} stand in {@code file}. */
  private static void flip(Path file, byte[] bytes) throws IOException {
    try (var channel =
        java.nio.channels.FileChannel.open(
            file, java.nio.file.StandardOpenOption.READ, java.nio.file.StandardOpenOption.WRITE)) {
      java.nio.ByteBuffer all = java.nio.ByteBuffer.allocate(1 << 20);
      channel.read(all, 0);
      for (int at = 0; at < all.limit() - 16; at++) {
        boolean same = true;
        for (int i = 0; i < 16 && same; i++) {
          same = all.get(at + i) == bytes[i];
        }
        if (same) {
          channel.write(java.nio.ByteBuffer.wrap(new byte[] {(byte) ~bytes[5000]}), at + 5000);
          return;
        }
      }
    }
    throw new AssertionError("the content is not in the first segment");
  }

  @Test
  void refusesASecondUser() throws IOException {
    try (DiskFixture first = new DiskFixture(here())) {
      assertThat(first.stats().state()).isEqualTo(DiskStats.State.READY);
      assertThatThrownBy(() -> new DiskFixture(here()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("test.conf:1")
          .hasMessageContaining("in use by");
    }
  }

  @Test
  void refusesWhatIsTooSmall() {
    assertThatThrownBy(() -> new DiskFixture(disk(dir(temp, 100_000))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too small")
        .hasMessageContaining("MB");
  }
}
