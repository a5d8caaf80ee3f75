package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.probe;
import static io.loligo.store.disk.DiskFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheGroups;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.ContentDigest;
import io.loligo.core.caching.StoredMeta;
import io.loligo.store.StoreFixture;
import io.loligo.store.inflight.Spool;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An invalidation waits until disks have forgotten the responses, if they have any. */
final class ForgettingTest {
  private static final String URL = "http://a/1";
  private static final long[] NO_GROUPS = {};

  @TempDir Path temp;
  private final FaultySlab[] slab = new FaultySlab[1];

  private DiskFixture open() throws IOException {
    return new DiskFixture(
        16 << 20,
        disk(dir(temp.resolve("cache"), 16 << 20)),
        file -> {
          slab[0] = new FaultySlab(file);
          return slab[0];
        });
  }

  /** Null: nothing is waited for. */
  private static CompletableFuture<Boolean> invalidate(
      DiskFixture fixture, long[] groups, String... urls) {
    List<CacheKey> keys = new ArrayList<>();
    for (String url : urls) {
      keys.add(key(url));
    }
    CompletableFuture<Boolean> told = new CompletableFuture<>();
    boolean awaited =
        fixture.store.store.invalidate(keys, key(URL), groups, null, fixture.loop, told::complete);
    return awaited ? told : null;
  }

  private static CompletableFuture<Boolean> invalidate(DiskFixture fixture, String... urls) {
    return invalidate(fixture, NO_GROUPS, urls);
  }

  @Test
  void anInvalidationOfAnAbsentKeyDoesNotWait() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(URL, bytes(1000));
      slab[0].stall();
      assertThat(invalidate(fixture, "http://a/2", "http://a/3")).isNull();
      slab[0].resume();
    }
  }

  @Test
  void nothingIsWaitedForWithoutADisk() throws IOException {
    try (DiskFixture fixture = new DiskFixture(new StoreFixture())) {
      fixture.store.fill(URL, bytes(1000));
      assertThat(invalidate(fixture, new long[] {1}, URL)).isNull();
      assertThat(fixture.store.store.holds(probe(URL))).isFalse();
    }
  }

  @Test
  void anInvalidationOfAKeyOnDiskWaitsUntilItIsForced() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(URL, bytes(1000));
      fixture.settle();
      FaultyJournals.Hold force = fixture.medium.journals.holdNextForce();
      CompletableFuture<Boolean> told = invalidate(fixture, "http://a/2", URL);
      assertThat(fixture.store.store.holds(probe(URL))).isFalse();
      await(force::isReached);
      assertThat(told).isNotDone();
      CompletableFuture<Boolean> again = invalidate(fixture, URL);
      assertThat(again).as("not forced for the first yet").isNotNull().isNotDone();
      force.release();
      assertThat(DiskFixture.get(told)).isTrue();
      assertThat(DiskFixture.get(again)).isTrue();
      assertThat(invalidate(fixture, URL)).isNull();
    }
  }

  /** It is cancelled, so that nobody has to wait for it. */
  @Test
  void aWriteUnderWayIsCalledOff() throws IOException {
    try (DiskFixture fixture = open()) {
      slab[0].stall();
      fixture.store.fill(URL, bytes(200_000));
      await(() -> slab[0].stalled() > 0);
      CompletableFuture<Boolean> told = invalidate(fixture, URL);
      assertThat(told == null || DiskFixture.get(told)).isTrue();
      slab[0].resume();
      fixture.settle();
      assertThat(fixture.stats().objects()).isZero();
    }
    try (DiskFixture fixture = open()) {
      assertThat(fixture.stats().objects()).isZero();
    }
  }

  /** A write passed its last check before the removal cancelled it: then the removal sees it. */
  @Test
  void aResponseThatIsBeingMadeKnownIsSeen() throws Exception {
    DiskTier[] tier = new DiskTier[1];
    StoreFixture store =
        new StoreFixture(
            16 << 20,
            (allocator, transit, memory) ->
                tier[0] =
                    DiskTier.claim(
                        disk(dir(temp.resolve("cache"), 16 << 20)), allocator, transit, memory));
    store.store.opened().join();
    CompletableFuture<Boolean> seen = new CompletableFuture<>();
    CompletableFuture<Integer> removed = new CompletableFuture<>();
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Thread remover =
        new Thread(
            () -> {
              tier[0].hide(key(URL));
              seen.complete(tier[0].forget(key(URL), removed::complete));
              tier[0].reveal(key(URL));
            });
    try (DiskFixture fixture = new DiskFixture(store)) {
      fixture.put("http://a/2", bytes(1000)); // opens a segment, which the journal has by now
      fixture.loop.execute(() -> spool(fixture, tier[0], remover, ended));
      DiskFixture.get(ended);
      assertThat(DiskFixture.get(seen)).isTrue();
      assertThat(DiskFixture.get(removed)).isEqualTo(1);
      assertThat(tier[0].mayHold(key(URL))).isFalse();
    }
  }

  /** On the loop of {@code fixture}: {@code remover} runs when the response was checked last. */
  private static void spool(
      DiskFixture fixture, DiskTier tier, Thread remover, CompletableFuture<Void> ended) {
    byte[] content = bytes(1000);
    ByteBuf fields = fixture.store.fields("A: b\r\n\r\n");
    Spool.Listener listener =
        new Spool.Listener() {
          @Override
          public void credit(long bytes) {}

          @Override
          public void readable(long upTo) {}

          @Override
          public void failed() {
            ended.completeExceptionally(new AssertionError("not stored"));
          }

          @Override
          public void ended() {
            ended.complete(null);
          }

          @Override
          public boolean mayStore() {
            remover.start();
            await(
                () ->
                    remover.getState() == Thread.State.BLOCKED
                        || remover.getState() == Thread.State.TERMINATED);
            return true;
          }
        };
    StoredMeta meta = StoreFixture.meta().withContentLength(content.length);
    Spool spool = tier.spool(key(URL), meta, fields, content.length, fixture.loop, listener);
    fields.release();
    spool.content(fixture.store.buffer(content));
    spool.end(meta);
    ended.whenComplete((none, failure) -> fixture.loop.execute(spool::close));
  }

  /** Those that come while one is forced share the next. */
  @Test
  void manyShareAForce() throws IOException {
    try (DiskFixture fixture = open()) {
      int count = 40;
      for (int i = 0; i < count; i++) {
        fixture.store.fill("http://a/" + i, bytes(1000));
      }
      fixture.settle();
      int before = fixture.medium.journals.forces();
      FaultyJournals.Hold force = fixture.medium.journals.holdNextForce();
      List<CompletableFuture<Boolean>> told = new ArrayList<>();
      told.add(invalidate(fixture, "http://a/0"));
      await(force::isReached);
      for (int i = 1; i < count; i++) {
        told.add(invalidate(fixture, "http://a/" + i));
      }
      await(() -> fixture.stats().objects() == 0 && fixture.stats().queueDepth() == 0);
      force.release();
      told.forEach(one -> assertThat(DiskFixture.get(one)).isTrue());
      // the first, the others, and one that may have been between strike and queue
      assertThat(fixture.medium.journals.forces() - before).isLessThan(4);
    }
  }

  @Test
  void groupsAreWaitedForUntilTheyAreNoted() throws IOException {
    long[] groups = {CacheGroups.ofGroup("http://a", "g")};
    Path purges = temp.resolve("cache/purges");
    try (DiskFixture fixture = open()) {
      byte[] before = Files.readAllBytes(purges);
      CompletableFuture<Boolean> told = invalidate(fixture, groups);
      // null: the note was on disk before the caller could wait
      assertThat(told == null || DiskFixture.get(told)).isTrue();
      assertThat(Files.readAllBytes(purges)).isNotEqualTo(before);
    }
  }

  /** Only of the paths that have some. */
  @Test
  void otherKeysOfTheUrlAreWaitedFor() throws IOException {
    String alternative = "http://a/q QUERY " + "0".repeat(ContentDigest.DIGITS);
    try (DiskFixture fixture = open()) {
      fixture.put(alternative, bytes(100));
    }
    try (DiskFixture fixture = open()) {
      assertThat(fixture.load(alternative).content()).isNotNull();
      assertThat(invalidate(fixture, "http://a/r")).isNull();
      byte[] before = Files.readAllBytes(temp.resolve("cache/purges"));
      CompletableFuture<Boolean> told = invalidate(fixture, "http://a/q?x");
      // null: the note was on disk before the caller could wait
      assertThat(told == null || DiskFixture.get(told)).isTrue();
      assertThat(Files.readAllBytes(temp.resolve("cache/purges"))).isNotEqualTo(before);
    }
    try (DiskFixture fixture = open()) {
      assertThat(fixture.load(alternative).content()).isNull();
    }
  }

  @Test
  void aFailingDiskReleasesWaiters() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(URL, bytes(1000));
      fixture.put("http://a/2", bytes(1000));
      fixture.medium.journals.failWrites();
      CompletableFuture<Boolean> told = invalidate(fixture, URL);
      // null if it has failed and ended before the wait
      assertThat(told == null || DiskFixture.get(told)).as("it begins empty").isTrue();
      assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.OFF);
      assertThat(invalidate(fixture, "http://a/2")).as("it does so anyway").isNull();
    }
  }

  @Test
  void aDirectoryThatIsBeingOpenedIsWaitedFor() throws IOException {
    try (DiskFixture fixture = open()) {
      fixture.put(URL, bytes(1000));
    }
    ManualMedium medium = new ManualMedium();
    StoreFixture store =
        new StoreFixture(
            16 << 20,
            (allocator, transit, memory) ->
                DiskTier.claim(
                    disk(dir(temp.resolve("cache"), 16 << 20)),
                    allocator,
                    transit,
                    memory,
                    medium));
    try (DiskFixture fixture = new DiskFixture(store)) {
      CompletableFuture<Boolean> told = invalidate(fixture, URL);
      assertThat(told).isNotNull().isNotDone();
      medium.run();
      assertThat(DiskFixture.get(told)).isTrue();
      assertThat(fixture.store.store.mayLoad(probe(URL))).isFalse();
    }
  }
}
