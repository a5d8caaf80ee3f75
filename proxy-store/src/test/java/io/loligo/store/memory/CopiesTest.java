package io.loligo.store.memory;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.content;
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
import io.loligo.store.StoredWatch;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Copies of other nodes' responses: in memory alone, within their share of it. */
final class CopiesTest {
  private static final String URL = "http://a/";
  private static final long MEMORY = 4 << 20;
  private static final long LIMIT = MEMORY / 100 * Copies.PERCENT;
  private static final StoredMeta COPY = meta().copied(0, 10);

  private static StoreFixture fixture() {
    return new StoreFixture(MEMORY, 512 << 10, 16 << 20, Runnable::run);
  }

  private static boolean finds(StoreFixture fixture, String url) {
    Entry entry = fixture.store.find(probe(url), noFields());
    if (entry != null) {
      entry.release();
    }
    return entry != null;
  }

  @Test
  void neverTakeMoreThanTheirShareOfTheMemory() {
    try (StoreFixture fixture = fixture()) {
      for (int i = 0; i < 100; i++) {
        fixture.fill(URL + "own" + i, bytes(4000));
      }
      for (int i = 0; i < 2000; i++) {
        fixture.fill(URL + i, COPY, bytes(1000 + 37 * (i % 900)));
        assertThat(fixture.store.stats().copyBytes()).isLessThanOrEqualTo(LIMIT);
      }
      assertThat(fixture.store.stats().copyBytes()).isGreaterThan(LIMIT / 2);
      assertThat(fixture.store.stats().copies()).isPositive();
      for (int i = 0; i < 100; i++) {
        assertThat(finds(fixture, URL + "own" + i)).as("not for copies: %s", i).isTrue();
      }
    }
  }

  /** One that is fresh answers many clients, if more hot keys do not drive it out. */
  @Test
  void aNewOneDisplacesNoneThatIsFresh() {
    try (StoreFixture fixture = fixture()) {
      for (int i = 0; i < 100; i++) {
        fixture.fill(URL + i, COPY, bytes(15_000));
      }
      int kept = (int) fixture.store.stats().copies();
      long taken = fixture.store.stats().insertions();
      assertThat(kept).isBetween(25, 45);
      for (int i = 0; i < 100; i++) {
        assertThat(finds(fixture, URL + i)).as("copy %s of 100", i).isEqualTo(i < kept);
      }
      assertThat(taken).isEqualTo(kept);
      assertThat(fixture.store.takesCopy(15_000)).isFalse();
      seconds(fixture, Copies.FRESH_SECONDS);
      assertThat(finds(fixture, URL + 0)).as("perhaps fresh").isTrue();
    }
  }

  /** Else each fetch of a hot key would prepare a copy for nothing. */
  @Test
  void aCopyThatIsTakenFindsRoom() {
    try (StoreFixture fixture = fixture()) {
      int taken = 0;
      for (; fixture.store.takesCopy(4_096); taken++) {
        fixture.fill(URL + taken, COPY, bytes(4_096));
      }
      assertThat(fixture.store.stats().copies()).isEqualTo(taken);
      assertThat(fixture.store.stats().rejections()).isZero();
      long room = LIMIT - fixture.store.stats().copyBytes();
      assertThat(room).isBetween(0L, 8_192L);
      assertThat(fixture.store.takesCopy(room - 100)).as("it has a head, too").isFalse();
    }
  }

  @Test
  void theOldestOnesGoFirst() {
    try (StoreFixture fixture = fixture()) {
      for (int i = 0; i < 100; i++) {
        seconds(fixture, 1);
        fixture.fill(URL + i, COPY, bytes(15_000));
      }
      int kept = (int) fixture.store.stats().copies();
      assertThat(kept).isBetween(25, 45);
      for (int i = 0; i < 100; i++) {
        assertThat(finds(fixture, URL + i)).as("copy %s of 100", i).isEqualTo(i >= 100 - kept);
      }
      assertThat(fixture.store.takesCopy(15_000)).isTrue();
      assertThat(fixture.store.takesCopy(LIMIT)).isFalse();
    }
  }

  @Test
  void oldOnesGoWhileThereIsRoom() {
    try (StoreFixture fixture = fixture()) {
      fixture.fill(URL + "old", COPY, bytes(1000));
      fixture.fill(URL + "own", bytes(1000));
      seconds(fixture, Copies.KEPT_SECONDS);
      assertThat(finds(fixture, URL + "old")).as("it may be served stale").isTrue();
      fixture.fill(URL + "young", COPY, bytes(1000));
      seconds(fixture, 1);
      assertThat(finds(fixture, URL + "old")).isFalse();
      assertThat(finds(fixture, URL + "young")).isTrue();
      seconds(fixture, Copies.KEPT_SECONDS);
      assertThat(fixture.store.stats().copyBytes()).isZero();
      assertThat(finds(fixture, URL + "own")).as("a response of its own").isTrue();
    }
  }

  private static void seconds(StoreFixture fixture, int seconds) {
    for (int i = 0; i < seconds; i++) {
      fixture.store.tick();
    }
  }

  /** The map tells late of those that left it. */
  @Test
  void theLimitHoldsWhileMaintenanceWaits() {
    ArrayDeque<Runnable> maintenance = new ArrayDeque<>();
    StoreFixture fixture = new StoreFixture(MEMORY, 512 << 10, 16 << 20, maintenance::add);
    for (int i = 0; i < 200; i++) {
      fixture.fill(URL + i, COPY, bytes(15_000));
      assertThat(fixture.store.stats().copyBytes()).isLessThanOrEqualTo(LIMIT);
    }
    assertThat(fixture.store.stats().rejections()).isPositive();
    seconds(fixture, Copies.FRESH_SECONDS + 1);
    assertThat(fixture.store.stats().copyBytes()).as("not yet").isGreaterThan(LIMIT / 8 * 7);
    runAll(maintenance);
    long freed = LIMIT - fixture.store.stats().copyBytes();
    assertThat(freed).as("once, not twice").isBetween(LIMIT / 8, LIMIT / 4);
    fixture.fill(URL + "x", COPY, bytes(15_000));
    assertThat(finds(fixture, URL + "x")).isTrue();
    fixture.store.close();
    runAll(maintenance);
    assertThat(fixture.store.stats().copyBytes()).isZero();
    fixture.close();
  }

  private static void runAll(ArrayDeque<Runnable> tasks) {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  @Test
  void aSmallerMemoryHasRoomForFewer() {
    try (StoreFixture fixture = fixture()) {
      for (int i = 0; i < 100; i++) {
        fixture.fill(URL + i, COPY, bytes(15_000));
      }
      fixture.store.resize(MEMORY / 2);
      fixture.store.tick();
      assertThat(fixture.store.stats().copyBytes()).isBetween(1L, LIMIT / 2);
    }
  }

  @Test
  void eachCountsOnceUntilItIsGone() {
    try (StoreFixture fixture = fixture()) {
      for (int i = 0; i < 500; i++) {
        fixture.fill(URL, COPY, bytes(1000));
        fixture.store.tick();
      }
      Entry last = fixture.store.find(probe(URL), noFields());
      assertThat(fixture.store.stats().copies()).isEqualTo(1);
      assertThat(fixture.store.stats().copyBytes()).isEqualTo(last.bytes());
      last.release();
      fixture.fill(URL, bytes(2000));
      assertThat(fixture.store.stats().copies()).as("replaced by a response of its own").isZero();
      assertThat(fixture.store.stats().copyBytes()).isZero();
      fixture.fill(URL, COPY, bytes(1000));
      assertThat(fixture.store.remove(key(URL))).isEqualTo(1);
      fixture.fill(URL, COPY, bytes(100_000));
      assertThat(fixture.store.stats().copies()).isEqualTo(1);
      fixture.store.clear();
      assertThat(fixture.store.stats().copyBytes()).isZero();
    }
  }

  @Test
  void variantsCountBesideEachOther() {
    Fields en = language("en");
    Fields de = language("de");
    try (StoreFixture fixture = fixture()) {
      fixture.fillFor(URL, en, varying(en).copied(0, 10), bytes(1000));
      fixture.fillFor(URL, de, varying(de), bytes(3000));
      assertThat(fixture.store.stats().copies()).isEqualTo(1);
      Entry copy = fixture.store.find(probe(URL), en);
      assertThat(fixture.store.stats().copyBytes()).isEqualTo(copy.bytes());
      copy.release();
      fixture.fillFor(URL, de, varying(de).copied(0, 10), bytes(3000));
      assertThat(fixture.store.stats().copies()).isEqualTo(2);
      fixture.store.remove(key(URL));
      assertThat(fixture.store.stats().copies()).isZero();
      assertThat(fixture.store.stats().copyBytes()).isZero();
    }
  }

  private static Fields language(String language) {
    return fields("Accept-Language: " + language);
  }

  private static Fields fields(String line) {
    return StoredFields.index((line + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
  }

  private static StoredMeta varying(Fields request) {
    VarySelection vary = VarySelection.of(false, request, fields("Vary: Accept-Language"));
    return StoredMeta.builder(200).lifetimeSeconds(60).vary(vary).build();
  }

  @Test
  void aValidationDoesNotMakeOneLiveLonger() {
    try (StoreFixture fixture = fixture()) {
      Entry copy = fixture.put(URL, COPY, bytes(1000));
      CacheKey key = key(URL);
      Entry confirmed = fixture.store.freshen(key, copy, meta(), fixture.fields("A: c\r\n\r\n"));
      Entry variant =
          fixture.store.addVariant(key, copy, meta(), fixture.fields("A: d\r\n\r\n"), () -> true);
      assertThat(confirmed.meta().lifetimeSeconds()).as("for its client").isEqualTo(60);
      assertThat(content(confirmed)).isEqualTo(bytes(1000));
      Entry stored = fixture.store.find(probe(URL), noFields());
      assertThat(stored).isSameAs(copy);
      assertThat(stored.meta().lifetimeSeconds()).isEqualTo(10);
      for (Entry each : List.of(copy, confirmed, variant, stored)) {
        each.release();
      }
    }
  }

  @Test
  void theyAreNotPartOfTheContentOfThisNode() {
    try (StoreFixture fixture = fixture()) {
      fixture.fill(URL + "own", bytes(1000));
      fixture.fill(URL + "copy", COPY, bytes(1000));
      List<String> told = new ArrayList<>();
      fixture.store.tellMemory(
          new StoredWatch() {
            @Override
            public void found(CacheKey key, StoredMeta meta) {
              told.add(key.toString());
            }

            @Override
            public void wentRound(String directory) {}
          });
      assertThat(told).containsExactly(URL + "own");
    }
  }
}
