package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.StoredMeta;
import io.loligo.store.Store.Peek;
import io.loligo.store.StoreFixture;
import io.loligo.store.memory.Entry;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.UrlPattern;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A soft purge by a pattern: in memory, on disk, when the pattern is forgotten, after a start. */
final class SoftPatternTest {
  private static final String HOST = "http://soft";
  private static final long LIFETIME_SECONDS = 100_000;

  @TempDir Path temp;
  private final long begin = System.currentTimeMillis() - 10_000;
  private final AtomicLong late = new AtomicLong();

  private DiskFixture open() throws IOException {
    DiskFixture fixture = new DiskFixture(disk(dir(temp.resolve("cache"), 16 << 20)));
    fixture.medium.clock = () -> System.nanoTime() + late.get();
    return fixture;
  }

  private void fill(StoreFixture store, String path) {
    fill(store, path, 1000);
  }

  private void fill(StoreFixture store, String path, int size) {
    StoredMeta meta =
        StoredMeta.builder(200)
            .requestTimeMillis(begin)
            .responseTimeMillis(begin)
            .lifetimeSeconds(LIFETIME_SECONDS)
            .build();
    store.fill(HOST + path, meta, bytes(size));
  }

  private static Purged purge(DiskFixture fixture, String pattern) {
    CompletableFuture<Purged> purged = new CompletableFuture<>();
    fixture.store.store.purge(
        new Purge.Matching(UrlPattern.of("soft", pattern), true), fixture.loop, purged::complete);
    return DiskFixture.get(purged);
  }

  private static boolean isFresh(DiskFixture fixture, String path) {
    CompletableFuture<Peek> seen = new CompletableFuture<>();
    fixture.store.store.peek(key(HOST + path), noFields(), fixture.loop, seen::complete);
    StoredMeta meta = DiskFixture.get(seen).selected().meta();
    assertThat(meta.requestTimeMillis()).isPositive();
    return meta.lifetimeSeconds() > meta.ageSeconds(System.currentTimeMillis());
  }

  private static void leaveMemory(DiskFixture fixture) {
    fixture.store.store.resize(0);
    fixture.store.store.resize(16 << 20);
  }

  private void forget(DiskFixture fixture) {
    fixture.tickUntil(
        () -> {
          late.addAndGet(TimeUnit.MINUTES.toNanos(1));
          return fixture.store.store.bans().isEmpty();
        });
  }

  @Test
  void matchesAreStaleWhileThePatternIsPendingAndLater() throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture.store, "/img/1");
      fill(fixture.store, "/img/2");
      fill(fixture.store, "/text");
      fixture.settle();
      assertThat(isFresh(fixture, "/img/1")).isTrue();
      Purged purged = purge(fixture, "^http://soft/img/");
      assertThat(purged.outcome()).isEqualTo(Purged.Outcome.DONE);
      assertThat(purged.memory()).isEqualTo(2);
      assertThat(isFresh(fixture, "/img/1")).as("in memory").isFalse();
      assertThat(isFresh(fixture, "/text")).isTrue();
      leaveMemory(fixture);
      assertThat(isFresh(fixture, "/img/1")).as("on disk").isFalse();
      assertThat(fixture.store.store.bans()).hasSize(1);
    }
    try (DiskFixture fixture = open()) {
      DiskFixture.await(() -> fixture.store.store.opened().isDone());
      assertThat(fixture.store.store.bans()).as("after a start").hasSize(1);
      assertThat(isFresh(fixture, "/img/2")).isFalse();
      forget(fixture);
      assertThat(isFresh(fixture, "/img/1")).as("forgotten").isFalse();
      assertThat(isFresh(fixture, "/img/2")).isFalse();
      assertThat(isFresh(fixture, "/text")).isTrue();
    }
    try (DiskFixture fixture = open()) {
      DiskFixture.await(() -> fixture.store.store.opened().isDone());
      assertThat(fixture.store.store.bans()).isEmpty();
      assertThat(isFresh(fixture, "/img/1")).as("forgotten, and started").isFalse();
      assertThat(isFresh(fixture, "/text")).isTrue();
    }
  }

  /** It may get to the disk when the pattern is forgotten. */
  @Test
  void aMatchOnItsWayToTheDiskIsNotedByItsUrl() throws IOException {
    FaultySlab[] slab = new FaultySlab[1];
    try (DiskFixture fixture =
        new DiskFixture(
            16 << 20,
            disk(dir(temp.resolve("cache"), 16 << 20)),
            file -> {
              slab[0] = new FaultySlab(file);
              return slab[0];
            })) {
      fixture.medium.clock = () -> System.nanoTime() + late.get();
      slab[0].stall();
      fill(fixture.store, "/img/1", 200_000);
      DiskFixture.await(() -> slab[0].stalled() > 0);
      assertThat(purge(fixture, "/img/").memory()).isEqualTo(1);
      slab[0].resume();
      fixture.settle();
      forget(fixture);
      fixture.store.store.remove(key(HOST + "/img/1"));
      fill(fixture.store, "/img/1");
      fill(fixture.store, "/img/2");
      assertThat(isFresh(fixture, "/img/1")).as("of the same time").isFalse();
      assertThat(isFresh(fixture, "/img/2")).as("no pattern covers it").isTrue();
    }
  }

  @Test
  void aMatchIsStaleWithoutADisk() throws IOException {
    try (DiskFixture fixture = new DiskFixture(new StoreFixture())) {
      fill(fixture.store, "/img/1");
      assertThat(purge(fixture, "/img/").memory()).isEqualTo(1);
      assertThat(isFresh(fixture, "/img/1")).isFalse();
      fixture.store.store.tick();
      DiskFixture.await(() -> fixture.store.store.bans().isEmpty());
      Entry entry = fixture.store.store.find(StoreFixture.probe(HOST + "/img/1"), noFields());
      assertThat(entry.meta().lifetimeSeconds()).isLessThan(LIFETIME_SECONDS);
      entry.release();
    }
  }
}
