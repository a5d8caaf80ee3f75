package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.meta;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.StoreFixture;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A removed, replaced or evicted response does not come back, even if events arrive late. */
public final class SupersedingTest {
  private static final String URL = "http://a/";

  public static final DiskTier.MemoryView NOBODY =
      new DiskTier.MemoryView() {
        @Override
        public boolean serves(CacheKey key) {
          return false;
        }

        @Override
        public boolean wants(long contentLength, int hits) {
          return false;
        }

        @Override
        public boolean holds(Entry entry) {
          return false;
        }

        @Override
        public boolean written(Entry entry) {
          return false;
        }

        @Override
        public void superseded(CacheKey key, VarySelection vary) {}

        @Override
        public void alternativeLeft(OptionalInt pathHash) {}
      };

  @TempDir Path temp;

  private DiskSettings here() {
    return disk(dir(temp.resolve("cache"), 16 << 20));
  }

  @Test
  void purgeDuringARevalidationStays() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(1000));
      Entry old = fixture.store.store.find(probe(URL), noFields());
      assertThat(fixture.purge(URL)).isEqualTo(1);
      Entry fresh =
          fixture.store.store.freshen(key(URL), old, meta(), fixture.store.fields("A: c\r\n\r\n"));
      fresh.release();
      old.release();
      fixture.settle();
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  @Test
  void lateConfirmationDoesNotBringBackTheOlder() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(1000));
      Entry old = fixture.store.store.find(probe(URL), noFields());
      fixture.put(URL, bytes(2000));
      Entry fresh =
          fixture.store.store.freshen(key(URL), old, meta(), fixture.store.fields("A: c\r\n\r\n"));
      fresh.release();
      old.release();
      fixture.settle();
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(2000));
    }
  }

  /**
   * A response that memory keeps for others is not on disk: nothing older comes back when memory
   * drops it.
   */
  @Test
  void aResponseThatDoesNotVaryLeavesNoVariantOnDisk() throws IOException {
    Fields en = language("en");
    Fields de = language("de");
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.store.fillFor(URL, en, varying(en), bytes(1000));
      fixture.store.fillFor(URL, de, varying(de), bytes(2000));
      fixture.settle();
      fixture.store.fillFor(URL, en, meta(), bytes(3000));
      assertThat(inMemory(fixture, en)).isEqualTo(3000);
      assertThat(inMemory(fixture, de)).isEqualTo(2000);
      fixture.settle();
      assertThat(fixture.stats().objects()).isEqualTo(1);
      assertThat(fixture.load(URL, en).content()).hasSize(3000);
      assertThat(fixture.load(URL, de).content()).hasSize(3000);
    }
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(fixture.load(URL, en).content()).hasSize(3000);
      assertThat(fixture.load(URL, de).content()).hasSize(3000);
    }
  }

  @Test
  void aResponseThatDoesNotVaryDoesNotHideAVariantThatOnlyTheDiskHas() throws IOException {
    Fields en = language("en");
    Fields de = language("de");
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.store.fillFor(URL, de, meta(), bytes(1000));
      fixture.store.fillFor(URL, en, varying(en), bytes(2000));
      fixture.settle();
      fixture.store.store.resize(0);
      fixture.store.store.resize(16 << 20);
      for (int i = 0; i < 3; i++) {
        assertThat(fixture.load(URL, de).content()).hasSize(1000);
      }
      assertThat(inMemory(fixture, en)).as("memory would answer for the disk").isEqualTo(-1);
      assertThat(fixture.load(URL, en).content()).hasSize(2000);
      assertThat(inMemory(fixture, en)).as("memory has room").isEqualTo(2000);
    }
  }

  @Test
  void aResponseThatDoesNotVaryLeavesMemoryForAVariantThatIsTooLargeForIt() throws Exception {
    Fields en = language("en");
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(1000));
      spool(fixture, varying(en), bytes(700_000));
      fixture.settle();
      assertThat(inMemory(fixture, en)).isEqualTo(-1);
      assertThat(fixture.load(URL, en).content()).hasSize(700_000);
      assertThat(fixture.load(URL, language("de")).content()).hasSize(1000);
    }
  }

  @Test
  void ofVariantsOfOneMomentTheLastToComeIsFirst() throws IOException {
    List<String> languages = List.of("en", "de", "fr", "it", "es");
    try (DiskFixture fixture = new DiskFixture(here())) {
      for (int i = 0; i < languages.size(); i++) {
        Fields request = language(languages.get(i));
        fixture.store.fillFor(URL, request, varying(request), bytes(100 + i));
      }
      fixture.settle();
    }
    try (DiskFixture fixture = new DiskFixture(here())) {
      CompletableFuture<List<Long>> lengths = new CompletableFuture<>();
      fixture.store.store.loadVariants(
          key(URL),
          meta -> true,
          3,
          fixture.loop,
          found -> {
            lengths.complete(found.stream().map(Entry::contentLength).toList());
            found.forEach(Entry::release);
          });
      assertThat(DiskFixture.get(lengths)).containsExactly(104L, 103L, 102L);
    }
  }

  @Test
  void theVariantIsPreferredWhateverItsDate() throws IOException {
    Fields en = language("en");
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.store.fill(URL, dated(1000, null), bytes(1000));
      fixture.store.fillFor(URL, en, dated(0, varying(en).vary()), bytes(2000));
      fixture.settle();
      assertThat(fixture.load(URL, en).content()).hasSize(2000);
      assertThat(fixture.load(URL, language("de")).content()).hasSize(1000);
    }
  }

  private static StoredMeta dated(long millis, VarySelection vary) {
    return StoredMeta.builder(200).dateMillis(millis).lifetimeSeconds(60).vary(vary).build();
  }

  private static long inMemory(DiskFixture fixture, Fields request) {
    Entry entry = fixture.store.store.find(probe(URL), request);
    if (entry == null) {
      return -1;
    }
    long length = entry.contentLength();
    entry.release();
    return length;
  }

  private static Fields language(String language) {
    String lines = "Accept-Language: " + language + "\r\n\r\n";
    return StoredFields.index(lines.getBytes(StandardCharsets.US_ASCII));
  }

  private static StoredMeta varying(Fields request) {
    byte[] lines = "Vary: Accept-Language\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    VarySelection vary = VarySelection.of(false, request, StoredFields.index(lines));
    return StoredMeta.builder(200).lifetimeSeconds(60).vary(vary).build();
  }

  private static Entry loaded(DiskFixture fixture) {
    Entry[] loaded = new Entry[1];
    CompletableFuture<Void> done = new CompletableFuture<>();
    fixture.store.store.load(
        key(URL),
        noFields(),
        Wanted.CONTENT,
        fixture.loop,
        (e, r) -> {
          loaded[0] = e;
          done.complete(null);
        });
    DiskFixture.get(done);
    return loaded[0];
  }

  @Test
  void freshensALargeResponse() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(200_000));
      Entry old = loaded(fixture);
      Entry fresh =
          fixture.store.store.freshen(key(URL), old, meta(), fixture.store.fields("A: c\r\n\r\n"));
      fresh.release();
      old.release();
      fixture.settle();
      assertThat(fixture.load(URL).fields()).isEqualTo("A: c\r\n\r\n");
    }
  }

  private static void spool(DiskFixture fixture, byte[] bytes) throws Exception {
    spool(fixture, meta(), bytes);
  }

  private static void spool(DiskFixture fixture, StoredMeta meta, byte[] bytes) throws Exception {
    long writes = fixture.stats().writes();
    fixture
        .loop
        .submit(
            () -> {
              var flight =
                  fixture.store.store.begin(
                      key(URL),
                      true,
                      fixture.loop,
                      new io.loligo.store.StoreFixture.SilentWriter());
              flight.head(
                  io.loligo.store.StoreFixture.head(),
                  meta,
                  true,
                  fixture.store.fields("A: b\r\n\r\n"),
                  -1);
              flight.content(fixture.store.buffer(bytes));
              flight.end(null);
            })
        .get();
    DiskFixture.await(() -> fixture.stats().writes() > writes);
  }

  @Test
  void freshenDoesNotMixTwoObjectsOfOneLength() throws Exception {
    try (DiskFixture fixture = new DiskFixture(here())) {
      byte[] v1 = bytes(700_000);
      byte[] v2 = v1.clone();
      v2[699_000]++;
      spool(fixture, v1);
      Entry old = loaded(fixture);
      spool(fixture, v2); // another client's reload
      Entry fresh =
          fixture.store.store.freshen(
              key(URL), old, meta(), fixture.store.fields("Etag: v1\r\n\r\n"));
      fresh.release();
      old.release();
      fixture.settle();
      DiskFixture.Found found = fixture.load(URL);
      assertThat(found.fields().contains("v1") && found.content()[699_000] == v2[699_000])
          .as("head of v1 over content of v2")
          .isFalse();
    }
  }

  @Test
  void aTooSmallResponseSupersedesToo() throws IOException {
    var small =
        new CacheDir(
            "rock", temp.resolve("cache").toString(), 16 << 20, 5000, -1, false, "test.conf:1");
    try (DiskFixture fixture = new DiskFixture(disk(small))) {
      fixture.put(URL, bytes(10_000));
      fixture.put(URL, bytes(100));
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  @Test
  void purgeWhileOpening() throws Exception {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(1000));
    }
    AtomicInteger count = new AtomicInteger(-2);
    try (DiskDirectory directory =
        DiskDirectory.claim(
            here().dirs().get(0),
            here(),
            new AtomicLong(),
            PooledByteBufAllocator.DEFAULT,
            new MemoryLedger(1 << 20),
            NOBODY,
            SystemMedium.SYSTEM)) {
      directory.removals().remove(key(URL), true, count::set);
      directory.open().join();
      assertThat(count.get() >= 0 && directory.mayHold(key(URL)))
          .as("confirmed with " + count.get() + " and there all the same")
          .isFalse();
    }
  }

  private void fillAndClose() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(1000));
    }
  }

  @Test
  void nothingIsServedBeforeDeferredRemovalsAreDone() throws IOException {
    fillAndClose();
    ManualMedium medium = new ManualMedium();
    try (DiskDirectory directory =
        DiskDirectory.claim(
            here().dirs().get(0),
            here(),
            new AtomicLong(),
            PooledByteBufAllocator.DEFAULT,
            new MemoryLedger(1 << 20),
            NOBODY,
            medium)) {
      directory.removals().remove(key(URL), false, count -> {});
      directory.open();
      medium.step();
      assertThat(directory.state().isReady()).isTrue();
      assertThat(directory.mayHold(key(URL))).isFalse();
    }
  }

  private DiskTier tier(ManualMedium medium) throws IOException {
    DiskTier tier =
        DiskTier.claim(
            here(), PooledByteBufAllocator.DEFAULT, new MemoryLedger(1 << 20), NOBODY, medium);
    tier.open();
    medium.run();
    assertThat(tier.mayHold(key(URL))).isTrue();
    return tier;
  }

  @Test
  void aSupersededResponseIsNotFoundFromThenOn() throws IOException {
    fillAndClose();
    ManualMedium medium = new ManualMedium();
    try (DiskTier tier = tier(medium)) {
      long asOf = tier.asOf(key(URL));
      tier.supersede(key(URL));
      assertThat(tier.mayHold(key(URL))).isFalse();
      assertThat(tier.isAsOf(key(URL), asOf)).isFalse();
      medium.run();
      assertThat(tier.mayHold(key(URL))).isFalse();
      assertThat(tier.isAsOf(key(URL), asOf)).as("nor goes to memory").isFalse();
      assertThat(tier.isAsOf(key(URL), tier.asOf(key(URL)))).isTrue();
    }
  }

  @Test
  void theOlderIsNotFoundWhereTheNewerCannotBeWritten() throws IOException {
    fillAndClose();
    ManualMedium medium = new ManualMedium();
    try (StoreFixture memory = new StoreFixture();
        DiskTier tier = tier(medium)) {
      Entry newer = memory.put(URL, bytes(100));
      try (PendingWrite pending = tier.announce(key(URL), null)) {
        tier.write(newer, pending);
        // unlike the reads of concurrent requests, it is refused
        medium.refuses = true;
      }
      newer.release();
      medium.run();
      assertThat(tier.mayHold(key(URL))).isTrue();
      newer = memory.put(URL, bytes(200_000));
      try (PendingWrite pending = tier.announce(key(URL), null)) {
        tier.write(newer, pending);
      }
      newer.release();
      assertThat(tier.mayHold(key(URL))).isFalse();
    }
  }

  @Test
  void nothingWaitsForADiskThatHasNothingOfIt() throws IOException {
    fillAndClose();
    ManualMedium medium = new ManualMedium();
    AtomicInteger told = new AtomicInteger(-2);
    try (DiskTier tier = tier(medium)) {
      tier.remove(key("http://b/"), false, told::set);
      assertThat(told.get()).isZero();
      assertThat(medium.waiting()).isZero();
      tier.remove(key(URL), false, told::set);
      assertThat(medium.waiting()).isOne();
      medium.run();
      assertThat(told.get()).isOne();
    }
  }

  @Test
  void aDiskThatIsTooFarBehindIsOff() throws IOException {
    fillAndClose();
    ManualMedium medium = new ManualMedium();
    AtomicInteger refused = new AtomicInteger();
    try (DiskTier tier = tier(medium)) {
      for (int i = 0; i < DiskDirectory.MAX_BEHIND + 100; i++) {
        tier.remove(key(URL), true, count -> refused.addAndGet(count < 0 ? 1 : 0));
      }
      assertThat(tier.stats().get(0).state()).isEqualTo(DiskStats.State.OFF);
      assertThat(tier.stats().get(0).reason()).contains("are pending");
      assertThat(medium.waiting()).isLessThanOrEqualTo(DiskDirectory.MAX_BEHIND);
      assertThat(refused.get()).isEqualTo(100);
      medium.run();
    }
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  /** Closes {@code tier}, for which a newer one of {@link #URL} waits to be written. */
  private static void closeWithANewerOne(DiskTier tier) {
    try (StoreFixture memory = new StoreFixture()) {
      Entry newer = memory.put(URL, bytes(100));
      try (PendingWrite pending = tier.announce(key(URL), null)) {
        tier.write(newer, pending);
      }
      newer.release();
      tier.close();
    }
  }

  @Test
  void aFailedLastWriteLeavesNothingOlder() throws IOException {
    fillAndClose();
    ScarceMemoryTest.Scarce scarce = new ScarceMemoryTest.Scarce();
    ManualMedium medium = new ManualMedium();
    DiskTier tier = DiskTier.claim(here(), scarce, new MemoryLedger(1 << 20), NOBODY, medium);
    tier.open();
    medium.run();
    scarce.failing.set(1);
    closeWithANewerOne(tier);
    assertThat(scarce.failing.get()).isZero();
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  @Test
  void allDirectoriesEndAtTheSameTime() throws IOException {
    ManualMedium medium = new ManualMedium();
    DiskTier tier =
        DiskTier.claim(
            disk(dir(temp.resolve("one"), 16 << 20), dir(temp.resolve("other"), 16 << 20)),
            PooledByteBufAllocator.DEFAULT,
            new MemoryLedger(1 << 20),
            NOBODY,
            medium);
    tier.open();
    medium.run();
    tier.close();
    assertThat(medium.endings).startsWith("stop", "stop");
  }

  @Test
  void evictedAndPurgedStaysAwayAfterAKill() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      for (int i = 0; i < 60; i++) {
        fixture.put("http://a/" + i, bytes(400_000 + i));
      }
      assertThat(fixture.stats().evictions()).isPositive();
      for (int i = 0; i < 60; i++) {
        fixture.purge("http://a/" + i);
      }
      assertThat(fixture.stats().objects()).isZero();
      DiskFixture.copy(temp.resolve("cache"), temp.resolve("killed"));
    }
    try (DiskFixture fixture = new DiskFixture(disk(dir(temp.resolve("killed"), 16 << 20)))) {
      assertThat(fixture.stats().objects()).isZero();
    }
  }

  @Test
  void largeAndHotStaysLikeSmallAndHot() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put("http://big/", bytes(500_000));
      fixture.put("http://small/", bytes(50_000));
      for (int i = 0; i < 50; i++) {
        fixture.load("http://big/");
        fixture.load("http://small/");
      }
      for (int i = 0; i < 300; i++) {
        fixture.put("http://a/" + i, bytes(60_000));
      }
      assertThat(fixture.load("http://small/").outcome()).as("small").isEqualTo(LoadOutcome.FOUND);
      assertThat(fixture.load("http://big/").outcome()).as("big").isEqualTo(LoadOutcome.FOUND);
    }
  }

  @Test
  void aSpooledResponseSupersedesTheOneInMemory() throws Exception {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fixture.put(URL, bytes(1000));
      fixture
          .loop
          .submit(
              () -> {
                var flight =
                    fixture.store.store.begin(
                        key(URL),
                        true,
                        fixture.loop,
                        new io.loligo.store.StoreFixture.SilentWriter());
                flight.head(
                    io.loligo.store.StoreFixture.head(),
                    meta(),
                    true,
                    fixture.store.fields("A: b\r\n\r\n"),
                    700_000);
                flight.content(fixture.store.buffer(bytes(700_000)));
                flight.end(null);
              })
          .get();
      DiskFixture.await(() -> fixture.store.store.stats().inFlight() == 0);
      fixture.settle(); // the fetch releases its content when it has ended
      assertThat(fixture.stats().usedBytes()).isGreaterThan(700_000);
      assertThat(inMemory(fixture, noFields())).isNotEqualTo(1000);
    }
  }
}
