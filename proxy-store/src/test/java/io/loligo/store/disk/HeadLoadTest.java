package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.meta;
import static io.loligo.store.StoreFixture.noFields;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.StoreFixture;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a head will do, the record has it and the slabs are left alone. */
final class HeadLoadTest {
  private static final String URL = "http://a/";

  @TempDir Path temp;

  private DiskFixture fixture;

  @BeforeEach
  void open() throws IOException {
    fixture = new DiskFixture(disk(dir(temp.resolve("cache"), 16 << 20)));
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private Entry load(Wanted wanted) {
    CompletableFuture<Entry> loaded = new CompletableFuture<>();
    fixture.store.store.load(
        key(URL),
        noFields(),
        wanted,
        fixture.loop,
        (entry, report) -> {
          assertThat(report.outcome()).isEqualTo(LoadOutcome.FOUND);
          loaded.complete(entry);
        });
    return DiskFixture.get(loaded);
  }

  private static String fields(Entry entry) {
    return entry.firstBlock().toString(0, entry.fieldsLength(), StandardCharsets.ISO_8859_1);
  }

  /** Until the map of heads exists and contains the heads that were read. */
  private boolean comesFromARecord(String url) {
    long reads = fixture.stats().reads();
    boolean headOnly = isHeadOnly(url);
    return headOnly && fixture.stats().reads() == reads;
  }

  @Test
  void comesFromTheRecordOfAnEarlierHead() {
    fixture.put(URL, bytes(100_000));
    DiskFixture.await(() -> comesFromARecord(URL));
    long hits = fixture.stats().hits();
    Entry entry = load(Wanted.HEAD);
    assertThat(entry.isHeadOnly()).isTrue();
    assertThat(fields(entry)).isEqualTo("A: b\r\n\r\n");
    assertThat(entry.contentLength()).isEqualTo(100_000);
    assertThat(entry.isResident(0)).isFalse();
    assertThat(fixture.stats().hits()).isEqualTo(hits + 1);
    entry.release();
  }

  @Test
  void contentAfterItIsTheSameHit() {
    fixture.put(URL, bytes(10_000));
    DiskFixture.await(() -> comesFromARecord(URL));
    long hits = fixture.stats().hits();
    long reads = fixture.stats().reads();
    load(Wanted.HEAD).release();
    Entry entry = load(Wanted.CONTENT_AFTER_HEAD);
    assertThat(entry.isHeadOnly()).isFalse();
    assertThat(StoreFixture.content(entry)).isEqualTo(bytes(10_000));
    entry.release();
    assertThat(fixture.stats().hits()).isEqualTo(hits + 1);
    assertThat(fixture.stats().reads()).isEqualTo(reads + 1);
  }

  @Test
  void aHeadTooLongForTheRecordIsReadWithTheContent() {
    String lines = "A: " + "b".repeat(600) + "\r\n\r\n";
    fixture
        .loop
        .submit(
            () -> {
              InFlight flight =
                  fixture.store.store.begin(
                      key(URL), true, fixture.loop, new StoreFixture.SilentWriter());
              flight.head(StoreFixture.head(), meta(), true, fixture.store.fields(lines), 5000);
              ByteBuf content = fixture.store.buffer(bytes(5000));
              flight.content(content);
              flight.end(null);
            })
        .syncUninterruptibly();
    fixture.settle();
    Entry entry = load(Wanted.HEAD);
    assertThat(entry.isHeadOnly()).isFalse();
    assertThat(fields(entry)).isEqualTo(lines);
    assertThat(StoreFixture.content(entry)).isEqualTo(bytes(5000));
    entry.release();
    assertThat(fixture.stats().reads()).isEqualTo(1);
  }

  @Test
  void theRecordOfAReplacedResponseIsNotUsed() {
    fixture.put(URL, bytes(10_000));
    DiskFixture.await(() -> comesFromARecord(URL));
    fixture.put(URL, bytes(20_000));
    Entry entry = load(Wanted.HEAD);
    assertThat(entry.contentLength()).isEqualTo(20_000);
    entry.release();
  }

  private boolean isHeadOnly(String url) {
    CompletableFuture<Boolean> headOnly = new CompletableFuture<>();
    fixture.store.store.load(
        key(url),
        noFields(),
        Wanted.HEAD,
        fixture.loop,
        (entry, report) -> {
          headOnly.complete(entry.isHeadOnly());
          entry.release();
        });
    return DiskFixture.get(headOnly);
  }

  @Test
  void aResponseWhollyInItsRecordComesWhole() {
    fixture.put(URL, bytes(50));
    DiskFixture.await(
        () -> {
          long reads = fixture.stats().reads();
          Entry entry = load(Wanted.HEAD);
          assertThat(StoreFixture.content(entry)).isEqualTo(bytes(50));
          entry.release();
          return fixture.stats().reads() == reads;
        });
  }
}
