package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.store.StoreFixture;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The questions of the disk to memory when it makes space: only those on which its decision
 * depends.
 */
final class EvictionTest {
  private static final int OBJECTS = 1500;
  private static final String HOT = "http://hot/";

  @TempDir Path temp;

  private final AtomicInteger questions = new AtomicInteger();

  private DiskFixture open(long cacheBytes) throws IOException {
    DiskSettings here = disk(dir(temp.resolve("cache"), 8 << 20));
    WatchedMedium medium = new WatchedMedium(SystemMedium.SYSTEM);
    DiskFixture fixture =
        new DiskFixture(
            new StoreFixture(
                cacheBytes,
                (allocator, transit, memory) ->
                    DiskTier.claim(here, allocator, transit, new Counting(memory), medium)),
            medium);
    fixture.store.store.opened().join();
    return fixture;
  }

  /** Counts the answers from a record that had to be read. */
  private final class Counting extends ForwardingMemoryView {
    Counting(DiskTier.MemoryView memory) {
      super(memory);
    }

    @Override
    public boolean serves(CacheKey key) {
      questions.incrementAndGet();
      return super.serves(key);
    }
  }

  @Test
  void aResponseThatLeftMemoryWhenWrittenIsEvictedUnread() throws IOException {
    try (DiskFixture fixture = open(256 << 10)) {
      for (int i = 0; i < OBJECTS; i++) {
        fixture.put("http://a/" + i, bytes(10_000));
      }
      assertThat(fixture.stats().evictions()).isGreaterThan(OBJECTS / 4);
      // the first that came had room in memory and stayed there
      assertThat(questions.get()).isLessThan(100);
    }
  }

  @Test
  void aResponseThatMemoryServesStays() throws IOException {
    try (DiskFixture fixture = open(4 << 20)) {
      fixture.put(HOT, bytes(10_000));
      for (int i = 0; i < OBJECTS; i++) {
        Entry hot = fixture.store.store.find(probe(HOT), noFields());
        assertThat(hot).isNotNull();
        hot.hit();
        hot.release();
        fixture.put("http://a/" + i, bytes(10_000));
      }
      assertThat(fixture.stats().evictions()).isGreaterThan(OBJECTS / 4);
      assertThat(questions.get()).isPositive();
      assertThat(fixture.load(HOT).outcome()).isEqualTo(LoadOutcome.FOUND);
    }
  }

  /** Small ones: the records of the directory run out when little of the slabs is used. */
  private static void putSmall(DiskFixture fixture, String folder, int count) {
    for (int i = 0; i < count; i++) {
      fixture.store.fill(folder + i, bytes(2_000));
      if (i % 32 == 0) {
        fixture.settle();
      }
    }
    fixture.settle();
  }

  @Test
  void requestedResponsesStayIfRecordsRunOut() throws IOException {
    try (DiskFixture fixture = open(256 << 10)) {
      int count = 400;
      putSmall(fixture, "http://used/", count);
      for (int i = 0; i < count; i++) {
        assertThat(fixture.load("http://used/" + i).outcome()).isEqualTo(LoadOutcome.FOUND);
      }
      putSmall(fixture, "http://once/", 3000);
      assertThat(fixture.stats().evictions()).isGreaterThan(2000);
      int left = 0;
      for (int i = 0; i < count; i++) {
        left += fixture.load("http://used/" + i).outcome() == LoadOutcome.FOUND ? 1 : 0;
      }
      assertThat(left).isGreaterThan(count / 2);
    }
  }
}
