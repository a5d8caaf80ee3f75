package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.StoreFixture;
import io.loligo.store.load.Wanted;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that come while the index is being filled, on threads of their own, all hit. */
final class OpeningUnderLoadTest {
  private static final int OBJECTS = 10_000;

  /** Less than may wait. */
  private static final int REQUESTS = 3_000;

  private static final int ROUNDS = 3;

  @TempDir Path temp;

  private static String url(int number) {
    return "http://load/" + number;
  }

  @Test
  void everyRequestForAStoredResponseHits() throws IOException {
    DiskSettings here =
        DiskSettings.with(List.of(dir(temp.resolve("cache"), 32 << 20)))
            .meanObjectBytes(1 << 10)
            .loadTimeoutMillis(0)
            .openWaitMillis(3_600_000) // no request may depend on the time that others leave
            .build();
    try (DiskFixture fixture = new DiskFixture(here)) {
      for (int i = 0; i < OBJECTS; i++) {
        fixture.store.fill(url(i), bytes(100));
      }
      fixture.settle();
      assertThat(fixture.stats().objects()).isEqualTo(OBJECTS);
    }
    for (int round = 0; round < ROUNDS; round++) {
      StoreFixture store =
          new StoreFixture(
              1 << 20,
              (allocator, transit, memory) -> DiskTier.claim(here, allocator, transit, memory));
      try (DiskFixture fixture = new DiskFixture(store)) {
        Asking asking = new Asking(fixture);
        fixture.loop.execute(asking::next);
        assertThat(DiskFixture.get(asking.through)).as("round %d", round).isEmpty();
      }
    }
  }

  /** Asks all the time until the directory is open. Confined to the loop. */
  private static final class Asking {
    private final DiskFixture fixture;
    private final CompletableFuture<List<String>> through = new CompletableFuture<>();
    private final List<String> missed = new ArrayList<>();
    private int asked;
    private int told;

    Asking(DiskFixture fixture) {
      this.fixture = fixture;
    }

    void next() {
      boolean open = fixture.store.store.opened().isDone();
      if (!open && asked - told < REQUESTS) {
        ask(url((int) (asked++ * 7919L % OBJECTS)));
      }
      if (open && told == asked) {
        through.complete(missed);
      } else {
        fixture.loop.execute(this::next);
      }
    }

    private void ask(String url) {
      fixture.store.store.load(
          key(url),
          noFields(),
          Wanted.CONTENT,
          fixture.loop,
          (entry, report) -> {
            told++;
            if (entry == null) {
              missed.add(url + ": " + report.outcome());
            } else {
              entry.release();
            }
          });
    }
  }
}
