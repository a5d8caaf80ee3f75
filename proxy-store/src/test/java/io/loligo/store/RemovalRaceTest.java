package io.loligo.store;

import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.meta;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.store.StoreFixture.SilentWriter;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Removes responses while they are being stored, very often: a response is not found after its
 * removal has returned.
 */
@Tag("races")
final class RemovalRaceTest {
  private static final int GUARD_SECONDS = 60;
  private static final String URL = "http://a/1";
  private static final CacheKey KEY = key(URL);
  private static final KeyProbe PROBE = probe(URL);
  private static final byte[] CONTENT = StoreFixture.bytes(1000);

  @TempDir Path temp;

  private final Meeting meeting = new Meeting();

  @Test
  void findsNothingInMemory() throws Exception {
    try (StoreFixture fixture = new StoreFixture()) {
      assertThat(foundAfterRemoval(fixture, 20_000)).isZero();
    }
  }

  @Test
  void findsNothingOnDisk() throws Exception {
    try (StoreFixture fixture =
        new StoreFixture(16 << 20, disk(dir(temp.resolve("cache"), 16 << 20)))) {
      assertThat(foundAfterRemoval(fixture, 5_000)).isZero();
    }
  }

  /** In how many rounds something was found behind its removal. */
  private int foundAfterRemoval(StoreFixture fixture, int rounds) throws Exception {
    CompletableFuture<Integer> removed =
        CompletableFuture.supplyAsync(() -> remove(fixture.store, rounds));
    for (int round = 0; round < rounds; round++) {
      InFlight flight = arrived(fixture);
      meeting.arrive(4 * round + 2);
      flight.end(null);
      meeting.arrive(4 * round + 4);
    }
    return removed.get(GUARD_SECONDS, TimeUnit.SECONDS);
  }

  private static InFlight arrived(StoreFixture fixture) {
    InFlight flight =
        fixture.store.begin(KEY, true, ImmediateEventExecutor.INSTANCE, new SilentWriter());
    flight.head(StoreFixture.head(), meta(), true, fixture.fields("\r\n"), CONTENT.length);
    flight.content(fixture.buffer(CONTENT));
    return flight;
  }

  private int remove(TieredStore store, int rounds) {
    int found = 0;
    for (int round = 0; round < rounds; round++) {
      meeting.arrive(4 * round + 2);
      for (int i = round % 50; i > 0; i--) {
        Thread.onSpinWait();
      }
      store.remove(KEY);
      boolean seen = isFound(store);
      while (meeting.arrivals() < 4 * round + 3) {
        meeting.guard();
        seen |= isFound(store);
      }
      found += seen || isFound(store) ? 1 : 0;
      meeting.arrive(4 * round + 4);
    }
    return found;
  }

  private static boolean isFound(TieredStore store) {
    Entry entry = store.find(PROBE, noFields());
    if (entry == null && store.mayLoad(PROBE)) {
      CompletableFuture<Entry> loaded = new CompletableFuture<>();
      store.load(
          KEY,
          noFields(),
          Wanted.CONTENT,
          ImmediateEventExecutor.INSTANCE,
          (there, report) -> loaded.complete(there));
      entry = loaded.orTimeout(GUARD_SECONDS, TimeUnit.SECONDS).join();
    }
    if (entry != null) {
      entry.release();
    }
    return entry != null;
  }
}
