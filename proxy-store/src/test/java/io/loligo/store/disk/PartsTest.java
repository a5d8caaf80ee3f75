package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.ContentPart;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.StoreFixture;
import io.loligo.store.disk.index.Catalogue;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 3.3: parts of a response on disk")
final class PartsTest {
  private static final String URL = "http://a/";
  private static final byte[] WHOLE = bytes(2_000_000);

  @TempDir Path temp;

  private DiskSettings here() {
    return disk(dir(temp.resolve("cache"), 32 << 20));
  }

  private DiskSettings killed() {
    return disk(dir(temp.resolve("killed"), 32 << 20));
  }

  private static StoredMeta meta(String tag, long millis, VarySelection vary) {
    byte[] etag = tag == null ? null : tag.getBytes(ISO_8859_1);
    return StoredMeta.builder(200)
        .requestTimeMillis(millis)
        .responseTimeMillis(millis)
        .dateMillis(millis)
        .lifetimeSeconds(60)
        .etag(etag)
        .vary(vary)
        .contentLength(WHOLE.length)
        .build();
  }

  private static StoredMeta part(String tag, long millis, int first, int end) {
    return meta(tag, millis, null).withPart(new ContentPart(first, end));
  }

  /** Fetches {@code [first, end)} as a part of {@code tag}, and waits until it is on disk. */
  private static void put(DiskFixture fixture, String tag, long millis, int first, int end) {
    put(fixture, part(tag, millis, first, end));
  }

  private static void put(DiskFixture fixture, StoredMeta meta) {
    fetch(fixture, meta, (int) meta.contentStart(), (int) meta.contentEnd(), true);
  }

  /**
   * Fetches content of {@code meta} up to {@code end}, where it breaks off unless {@code whole}.
   */
  private static void fetch(
      DiskFixture fixture, StoredMeta meta, int first, int end, boolean whole) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    fixture.loop.execute(
        () -> {
          InFlight flight =
              fixture.store.store.begin(
                  key(URL), false, fixture.loop, new StoreFixture.SilentWriter());
          flight.head(
              StoreFixture.head(),
              meta,
              false,
              fixture.store.fields("A: b\r\n\r\n"),
              meta.contentEnd() - first);
          flight.content(fixture.store.buffer(WHOLE, first, end));
          if (whole) {
            flight.end(null);
          } else {
            flight.fail("broken");
          }
          done.complete(null);
        });
    DiskFixture.get(done);
    DiskFixture.await(() -> fixture.store.store.stats().inFlight() == 0);
    fixture.settle();
  }

  private static Entry load(DiskFixture fixture, Fields request) {
    if (!fixture.store.store.mayLoad(probe(URL))) {
      return null;
    }
    CompletableFuture<Entry> loaded = new CompletableFuture<>();
    fixture.loop.execute(
        () ->
            fixture.store.store.load(
                key(URL),
                request,
                Wanted.CONTENT,
                fixture.loop,
                (entry, report) -> loaded.complete(entry)));
    return DiskFixture.get(loaded);
  }

  private static Fields range(int first, int last) {
    return fields("Range: bytes=" + first + "-" + last);
  }

  private static Fields fields(String line) {
    return StoredFields.index((line + "\r\n\r\n").getBytes(ISO_8859_1));
  }

  /** The bytes stored for {@code request}; all of them are read and compared. */
  private static ContentPart stored(DiskFixture fixture, Fields request) {
    Entry entry = load(fixture, request);
    if (entry == null) {
      return null;
    }
    StoredMeta meta = entry.meta();
    ContentPart part = meta.part();
    ContentPart all = part == null ? new ContentPart(0, meta.contentLength()) : part;
    for (long at = all.first(); at < all.end(); ) {
      long from = at;
      if (!all.holds(at, at)) {
        at++;
        continue;
      }
      CompletableFuture<byte[]> read = new CompletableFuture<>();
      fixture.loop.execute(
          () ->
              entry.read(
                  from,
                  1 << 20,
                  fixture.loop,
                  content -> {
                    byte[] bytes = new byte[content.readableBytes()];
                    content.readBytes(bytes);
                    content.release();
                    read.complete(bytes);
                  }));
      byte[] bytes = DiskFixture.get(read);
      assertThat(bytes).isEqualTo(Arrays.copyOfRange(WHOLE, (int) at, (int) at + bytes.length));
      at += bytes.length;
    }
    entry.release();
    return all;
  }

  private static ContentPart piece(long first, long end) {
    return new ContentPart(first, end);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1000, 65_000, 65_536, 700_000, 1_999_999})
  void bytesOfAnInterruptedResponseAreThereAfterAKill(int end) throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fetch(fixture, meta("\"1\"", 1, null), 0, end, false);
      assertThat(stored(fixture, noFields())).isEqualTo(piece(0, end));
      DiskFixture.copy(temp.resolve("cache"), temp.resolve("killed"));
    }
    try (DiskFixture fixture = new DiskFixture(killed())) {
      assertThat(stored(fixture, noFields())).isEqualTo(piece(0, end));
    }
    try (DiskFixture fixture = new DiskFixture(here())) {
      assertThat(stored(fixture, noFields())).isEqualTo(piece(0, end));
    }
  }

  @Test
  void nothingIsKeptThatCannotBeContinued() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      fetch(fixture, meta("W/\"1\"", 1, null), 0, 700_000, false);
      fetch(fixture, meta(null, 1, null), 0, 700_000, false);
      assertThat(fixture.stats().objects()).isZero();
    }
  }

  /** After the kill their segments have no footer, so that a start reads the blocks themselves. */
  @Test
  void severalPartsAreStoredBesideEachOtherAndReadAsOne() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      put(fixture, "\"1\"", 1, 0, 500_000);
      put(fixture, "\"1\"", 2, 400_000, 900_000);
      put(fixture, "\"1\"", 3, 1_000_000, 1_000_010);
      assertThat(fixture.stats().objects()).isEqualTo(3);
      ContentPart all = new ContentPart(0, 1_000_010, List.of(piece(900_000, 1_000_000)));
      assertThat(stored(fixture, noFields())).isEqualTo(all);
      assertThat(stored(fixture, range(450_000, 899_999))).isEqualTo(piece(0, 900_000));
      assertThat(stored(fixture, range(950_000, 1_000_005))).isEqualTo(piece(1_000_000, 1_000_010));
      DiskFixture.copy(temp.resolve("cache"), temp.resolve("killed"));
    }
    try (DiskFixture fixture = new DiskFixture(killed())) {
      assertThat(stored(fixture, range(450_000, 899_999))).isEqualTo(piece(0, 900_000));
      fetch(fixture, meta("\"1\"", 4, null), 0, WHOLE.length, true);
      assertThat(fixture.stats().objects()).as("the whole takes their place").isEqualTo(1);
    }
  }

  @Test
  void partsThatFillTheWholeAreTheWhole() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      put(fixture, "\"1\"", 1, 0, 1_200_000);
      put(fixture, "\"1\"", 2, 1_200_000, WHOLE.length);
      Entry entry = load(fixture, noFields());
      assertThat(entry.meta().part()).isNull();
      assertThat(entry.meta().contentLength()).isEqualTo(WHOLE.length);
      entry.release();
      assertThat(stored(fixture, noFields())).isEqualTo(piece(0, WHOLE.length));
      assertThat(fixture.store.store.find(probe(URL), noFields())).as("not in memory").isNull();
    }
  }

  @Test
  void anOlderRepresentationGoes() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      put(fixture, "\"1\"", 1, 0, 500_000);
      put(fixture, "\"2\"", 2, 500_000, 900_000);
      assertThat(stored(fixture, noFields())).isEqualTo(piece(500_000, 900_000));
      assertThat(fixture.stats().objects()).isEqualTo(1);
    }
  }

  @Test
  void aPartThatBeginsWithTheSameByteReplacesAShorterOneOnly() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      put(fixture, "\"1\"", 1, 0, 500_000);
      put(fixture, "\"1\"", 2, 0, 1000);
      assertThat(stored(fixture, noFields())).isEqualTo(piece(0, 500_000));
      put(fixture, "\"1\"", 3, 0, 600_000);
      assertThat(stored(fixture, noFields())).isEqualTo(piece(0, 600_000));
      put(fixture, "\"2\"", 4, 0, 1000);
      assertThat(stored(fixture, noFields())).isEqualTo(piece(0, 1000));
      assertThat(fixture.stats().objects()).isEqualTo(1);
    }
  }

  @Test
  void theOldestOfTooManyGoes() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      for (int i = 0; i < Catalogue.MAX_PARTS + 4; i++) {
        put(fixture, "\"1\"", i, i * 1000, i * 1000 + 10);
      }
      assertThat(fixture.stats().objects()).isEqualTo(Catalogue.MAX_PARTS);
      assertThat(stored(fixture, noFields()).first()).isEqualTo(4000);
    }
  }

  @Test
  void aPartNeitherRemovesNorHidesAWhole() throws IOException {
    Fields en = fields("Accept-Language: en");
    Fields de = fields("Accept-Language: de");
    VarySelection english = VarySelection.of(false, en, fields("Vary: Accept-Language"));
    VarySelection german = VarySelection.of(false, de, fields("Vary: Accept-Language"));
    try (DiskFixture fixture = new DiskFixture(here())) {
      fetch(fixture, meta("\"en\"", 1, english), 0, WHOLE.length, true);
      put(fixture, meta("\"de\"", 2, german).withPart(piece(0, 800_000)));
      put(fixture, meta("\"x\"", 3, english).withPart(piece(0, 800_000)));
      assertThat(fixture.stats().objects()).isEqualTo(2);
      assertThat(stored(fixture, en)).isEqualTo(piece(0, WHOLE.length));
      assertThat(stored(fixture, de)).isEqualTo(piece(0, 800_000));
      fetch(fixture, meta("\"en\"", 4, english), 0, WHOLE.length, true);
      assertThat(stored(fixture, de)).as("of another variant").isEqualTo(piece(0, 800_000));
      fetch(fixture, meta("\"de\"", 5, german), 0, WHOLE.length, true);
      assertThat(fixture.stats().objects()).isEqualTo(2);
      put(fixture, "\"x\"", 6, 0, 800_000);
      assertThat(stored(fixture, en)).isEqualTo(piece(0, WHOLE.length));
      assertThat(stored(fixture, de)).isEqualTo(piece(0, WHOLE.length));
    }
  }

  @Test
  void nothingIsLeftOfPartsThatWerePurged() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      put(fixture, "\"1\"", 1, 0, 500_000);
      put(fixture, "\"1\"", 2, 700_000, 900_000);
      assertThat(fixture.purge(URL)).isEqualTo(2);
      assertThat(load(fixture, noFields())).isNull();
      DiskFixture.copy(temp.resolve("cache"), temp.resolve("killed"));
    }
    try (DiskFixture fixture = new DiskFixture(killed())) {
      assertThat(load(fixture, noFields())).isNull();
    }
  }

  @Test
  void nothingIsLeftOfAFetchThatWasPurgedBeforeItBrokeOff() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      CompletableFuture<InFlight> begun = new CompletableFuture<>();
      fixture.loop.execute(
          () -> {
            InFlight flight =
                fixture.store.store.begin(
                    key(URL), true, fixture.loop, new StoreFixture.SilentWriter());
            flight.head(
                StoreFixture.head(),
                meta("\"1\"", 1, null),
                true,
                fixture.store.fields("A: b\r\n\r\n"),
                WHOLE.length);
            flight.content(fixture.store.buffer(WHOLE, 0, 700_000));
            begun.complete(flight);
          });
      InFlight flight = DiskFixture.get(begun);
      fixture.purge(URL);
      fixture.loop.execute(() -> flight.fail("broken"));
      DiskFixture.await(() -> fixture.store.store.stats().inFlight() == 0);
      fixture.settle();
      assertThat(fixture.stats().objects()).isZero();
    }
  }

  /** Space is made: the oldest go, and the bytes that are left are right. */
  @Test
  void partsAreEvictedAsAllElse() throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(dir(temp.resolve("cache"), 8 << 20)))) {
      put(fixture, "\"1\"", 1, 0, 300_000);
      for (int i = 0; i < 60; i++) {
        fixture.put(URL + i, bytes(300_000));
      }
      assertThat(fixture.stats().evictions()).isPositive();
      ContentPart left = stored(fixture, noFields());
      assertThat(left == null || left.equals(piece(0, 300_000))).isTrue();
    }
  }

  @Test
  void aDamagedPartIsNotJoined() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      put(fixture, "\"1\"", 1, 0, 1000);
      put(fixture, "\"1\"", 2, 1000, 2000);
      flip(temp.resolve("cache/slabs"), Arrays.copyOfRange(WHOLE, 100, 116));
      assertThat(stored(fixture, noFields())).isEqualTo(piece(1000, 2000));
      assertThat(fixture.stats().damaged()).isEqualTo(1);
    }
  }

  private static void flip(Path file, byte[] marker) throws IOException {
    byte[] all = java.nio.file.Files.readAllBytes(file);
    for (int at = 0; at < all.length - marker.length; at++) {
      if (Arrays.equals(all, at, at + marker.length, marker, 0, marker.length)) {
        all[at] ^= 1;
        java.nio.file.Files.write(file, all);
        return;
      }
    }
    throw new AssertionError("the content is not there");
  }

  @Test
  void joinedPartsAreFreshenedEachAndForGood() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      put(fixture, "\"1\"", 1, 0, 1_200_000);
      put(fixture, "\"1\"", 2, 1_200_000, WHOLE.length);
      Entry old = load(fixture, noFields());
      StoredMeta later = meta("\"1\"", 50, null);
      Entry fresh =
          fixture.store.store.freshen(key(URL), old, later, fixture.store.fields("A: c\r\n\r\n"));
      fresh.release();
      old.release();
      fixture.settle();
      Entry again = load(fixture, range(0, 9));
      assertThat(again.meta().responseTimeMillis()).isEqualTo(50);
      assertThat(again.meta().part()).isEqualTo(piece(0, 1_200_000));
      again.release();
      assertThat(stored(fixture, noFields())).isEqualTo(piece(0, WHOLE.length));
    }
  }

  @Test
  void isNotHereWithoutWaitingWhereThereAreSeveral() throws IOException {
    try (DiskFixture fixture = new DiskFixture(here())) {
      put(fixture, "\"1\"", 1, 0, 1000);
      var one = fixture.store.store.loadNow(key(URL), range(0, 9), Wanted.CONTENT);
      if (one != null) { // the page cache may not have it
        assertThat(one.entry().meta().part()).isEqualTo(piece(0, 1000));
        one.entry().release();
      }
      put(fixture, "\"1\"", 2, 1000, 2000);
      assertThat(fixture.store.store.loadNow(key(URL), range(0, 9), Wanted.CONTENT)).isNull();
      assertThat(fixture.load("http://b/").outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
  }
}
