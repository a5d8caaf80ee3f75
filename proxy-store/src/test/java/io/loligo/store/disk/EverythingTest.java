package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.StoredMeta;
import io.loligo.store.Store;
import io.loligo.store.StoreFixture;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A purge of everything: what was stored before is validated before its next use, and kept. */
final class EverythingTest {
  private static final String HOST = "http://everything";

  @TempDir Path temp;

  private DiskFixture open() throws IOException {
    return new DiskFixture(disk(dir(temp.resolve("cache"), 16 << 20)));
  }

  private static StoredMeta meta(long askedMillis) {
    return StoredMeta.builder(200)
        .requestTimeMillis(askedMillis)
        .responseTimeMillis(askedMillis)
        .lifetimeSeconds(100_000)
        .build();
  }

  private static void fill(DiskFixture fixture, String path, long askedMillis) {
    fixture.store.fill(HOST + path, meta(askedMillis), bytes(1000));
  }

  private static Purged purge(DiskFixture fixture) {
    CompletableFuture<Purged> purged = new CompletableFuture<>();
    fixture.store.store.purge(new Purge.Everything(), fixture.loop, purged::complete);
    Purged told = DiskFixture.get(purged);
    assertThat(told.outcome()).isEqualTo(Purged.Outcome.DONE);
    return told;
  }

  private static boolean isValidatedFirst(Entry entry) {
    boolean first = entry.meta().has(StoredMeta.NO_CACHE);
    entry.release();
    return first;
  }

  private static boolean isValidatedFirst(DiskFixture fixture, String path) {
    Entry found = fixture.store.store.find(probe(HOST + path), noFields());
    if (found != null) {
      return isValidatedFirst(found);
    }
    CompletableFuture<Boolean> loaded = new CompletableFuture<>();
    Store.LoadListener then = (entry, report) -> loaded.complete(isValidatedFirst(entry));
    fixture.loop.execute(
        () ->
            fixture.store.store.load(
                key(HOST + path), noFields(), Wanted.CONTENT, fixture.loop, then));
    return DiskFixture.get(loaded);
  }

  private static void leaveMemory(DiskFixture fixture) {
    fixture.store.store.resize(0);
    fixture.store.store.resize(16 << 20);
  }

  @Test
  void whatWasStoredBeforeIsValidatedFromMemoryAndDiskAndAfterAStart() throws IOException {
    try (DiskFixture fixture = open()) {
      long now = System.currentTimeMillis();
      fill(fixture, "/1", now);
      fill(fixture, "/2", now);
      fixture.settle();
      assertThat(isValidatedFirst(fixture, "/1")).isFalse();
      assertThat(purge(fixture)).isEqualTo(new Purged(Purged.Outcome.DONE, 2, Purged.LATER));
      assertThat(isValidatedFirst(fixture, "/1")).as("in memory").isTrue();
      leaveMemory(fixture);
      assertThat(isValidatedFirst(fixture, "/1")).as("on disk").isTrue();
      fill(fixture, "/3", fixture.store.store.requestMoment(System.currentTimeMillis()));
      assertThat(isValidatedFirst(fixture, "/3")).as("stored since").isFalse();
      fixture.settle();
      assertThat(fixture.store.store.bans()).as("no pattern").isEmpty();
    }
    try (DiskFixture fixture = open()) {
      DiskFixture.await(() -> fixture.store.store.opened().isDone());
      assertThat(isValidatedFirst(fixture, "/2")).as("after a start").isTrue();
      assertThat(isValidatedFirst(fixture, "/3")).isFalse();
    }
  }

  /** Its response may be older than a purge that was missed. */
  @Test
  void aFetchThatBeganBeforeIsNotJoinedAndItsResponseIsValidated() throws IOException {
    try (DiskFixture fixture = open()) {
      long now = System.currentTimeMillis();
      CompletableFuture<InFlight> begun = new CompletableFuture<>();
      fixture.loop.execute(
          () -> {
            InFlight flight =
                fixture.store.store.begin(
                    key(HOST + "/1"), true, fixture.loop, new StoreFixture.SilentWriter());
            flight.head(
                StoreFixture.head(), meta(now), true, fixture.store.fields("A: b\r\n\r\n"), 1000);
            begun.complete(flight);
          });
      InFlight flight = DiskFixture.get(begun);
      assertThat(fixture.store.store.inFlight(probe(HOST + "/1"), noFields())).isSameAs(flight);
      purge(fixture);
      assertThat(fixture.store.store.inFlight(probe(HOST + "/1"), noFields())).isNull();
      fixture.loop.execute(
          () -> {
            flight.content(fixture.store.buffer(bytes(1000)));
            flight.end(null);
          });
      DiskFixture.await(() -> fixture.store.store.stats().inFlight() == 0);
      assertThat(isValidatedFirst(fixture, "/1")).isTrue();
    }
  }

  @Test
  void doubtConcernsWhatIsAskedForWhileItLasts() throws IOException {
    try (DiskFixture fixture = open()) {
      fill(fixture, "/1", System.currentTimeMillis());
      fill(fixture, "/2", System.currentTimeMillis());
      fixture.settle();
      leaveMemory(fixture);
      fixture.store.store.doubt();
      assertThat(isValidatedFirst(fixture, "/1")).isTrue();
      fixture.store.store.trust();
      assertThat(isValidatedFirst(fixture, "/2")).isFalse();
    }
  }

  /** A load that began in doubt ends in it, whatever was learnt in between. */
  @Test
  void aLoadThatBeganInDoubtIsValidated() throws IOException {
    FaultySlab[] slab = new FaultySlab[1];
    try (DiskFixture fixture =
        new DiskFixture(
            16 << 20,
            disk(dir(temp.resolve("cache"), 16 << 20)),
            file -> {
              slab[0] = new FaultySlab(file);
              return slab[0];
            })) {
      fill(fixture, "/1", System.currentTimeMillis());
      fixture.settle();
      leaveMemory(fixture);
      fixture.store.store.doubt();
      slab[0].stall();
      CompletableFuture<Boolean> loaded = new CompletableFuture<>();
      fixture.loop.execute(
          () ->
              fixture.store.store.load(
                  key(HOST + "/1"),
                  noFields(),
                  Wanted.CONTENT,
                  fixture.loop,
                  (entry, report) -> loaded.complete(isValidatedFirst(entry))));
      DiskFixture.await(() -> slab[0].stalled() > 0);
      fixture.store.store.trust();
      slab[0].resume();
      assertThat(DiskFixture.get(loaded)).isTrue();
    }
  }

  @Test
  void withoutADiskMemoryIsValidated() throws IOException {
    try (DiskFixture fixture = new DiskFixture(new StoreFixture())) {
      fill(fixture, "/1", System.currentTimeMillis());
      assertThat(purge(fixture)).isEqualTo(new Purged(Purged.Outcome.DONE, 1, 0));
      assertThat(isValidatedFirst(fixture, "/1")).isTrue();
    }
  }
}
