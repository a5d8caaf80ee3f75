package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.ContentDigest;
import io.loligo.store.StoreFixture;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests wait for a directory that is being opened, and hit. */
final class WaitTest {
  private static final String URL = "http://wait/";
  private static final String OTHER = "http://wait/other";
  private static final String ABSENT = "http://wait/absent";

  /** Looked for when all is known, but it is not ready yet. */
  private static final String ALTERNATIVE =
      "http://wait/q QUERY " + "0".repeat(ContentDigest.DIGITS);

  private static final long WAIT_SECONDS = 5;

  @TempDir Path temp;

  private final ManualMedium medium = new ManualMedium();
  private final AtomicLong nanos = new AtomicLong();
  private final MemoryLedger transit = new MemoryLedger(1 << 20);

  /** The results of loads: the length of the content, or the outcome. */
  private final Map<String, Object> told = new HashMap<>();

  private Runnable whenAllIsKnown = () -> {};
  private DiskTier tier;

  /** Runs the wanted step while it is not ready yet. */
  private final class View extends ForwardingMemoryView {
    View() {
      super(SupersedingTest.NOBODY);
    }

    @Override
    public void alternativeLeft(OptionalInt pathHash) {
      whenAllIsKnown.run();
    }
  }

  @BeforeEach
  void fillAndClaim() throws IOException {
    DiskSettings here = disk(dir(temp.resolve("cache"), 16 << 20));
    try (DiskFixture fixture = new DiskFixture(here)) {
      fixture.put(URL, bytes(1000));
      fixture.put(OTHER, bytes(300_000));
      fixture.put(ALTERNATIVE, bytes(10));
    }
    medium.clock = nanos::get;
    tier = DiskTier.claim(here, PooledByteBufAllocator.DEFAULT, transit, new View(), medium);
  }

  @AfterEach
  void close() {
    if (tier != null) {
      tier.close();
    }
    assertThat(transit.used()).isZero();
  }

  private void load(String url) {
    tier.load(
        key(url),
        noFields(),
        Wanted.CONTENT,
        ImmediateEventExecutor.INSTANCE,
        (entry, outcome, hits, queued, read) -> {
          assertThat(told).doesNotContainKey(url);
          told.put(url, entry == null ? outcome : entry.contentLength());
          if (entry != null) {
            entry.release();
          }
        });
  }

  @Test
  void theFirstRequestsWaitAndHit() {
    assertThat(tier.mayHold(key(URL))).isTrue();
    load(URL);
    load(ABSENT);
    tier.open();
    load(OTHER);
    assertThat(told).isEmpty();
    medium.run();
    assertThat(told).isEqualTo(Map.of(URL, 1000L, OTHER, 300_000L, ABSENT, LoadOutcome.ABSENT));
    assertThat(tier.mayHold(key(ABSENT))).isFalse();
  }

  @Test
  void aKnownResponseIsServedBeforeAllAreKnown() {
    load(URL);
    load(ABSENT);
    boolean[] wasCalled = {false};
    whenAllIsKnown =
        () -> {
          wasCalled[0] = true;
          load(OTHER);
          medium.run();
          assertThat(tier.stats().get(0).state()).isEqualTo(DiskStats.State.OPENING);
          assertThat(told).isEqualTo(Map.of(URL, 1000L, OTHER, 300_000L));
        };
    tier.open();
    medium.run();
    assertThat(wasCalled[0]).isTrue();
    assertThat(told).containsEntry(ABSENT, LoadOutcome.ABSENT);
  }

  @Test
  void noRequestWaitsBeyondTheBound() {
    load(URL);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(WAIT_SECONDS) - 1);
    tier.tick();
    assertThat(told).isEmpty();
    assertThat(tier.mayHold(key(URL))).isTrue();
    nanos.incrementAndGet();
    tier.tick();
    assertThat(told).isEqualTo(Map.of(URL, LoadOutcome.ABSENT));
    assertThat(tier.mayHold(key(URL))).isFalse();
    told.clear();
    load(URL);
    assertThat(told).isEqualTo(Map.of(URL, LoadOutcome.ABSENT));
    told.clear();
    tier.open();
    medium.run();
    load(URL);
    medium.run();
    assertThat(told).isEqualTo(Map.of(URL, 1000L));
  }

  @Test
  void noRequestWaitsForADirectoryThatIsOff() throws IOException {
    tier.close();
    ManualMedium refusing =
        new ManualMedium(
            file -> {
              throw new IOException("Input/output error");
            });
    refusing.clock = nanos::get;
    tier =
        DiskTier.claim(
            disk(dir(temp.resolve("cache"), 16 << 20)),
            PooledByteBufAllocator.DEFAULT,
            transit,
            new View(),
            refusing);
    load(URL);
    tier.open();
    refusing.run();
    assertThat(told).isEqualTo(Map.of(URL, LoadOutcome.ABSENT));
    assertThat(tier.mayHold(key(URL))).isFalse();
  }

  @Test
  void aResponseSupersededMeanwhileIsNotServed() {
    load(URL);
    tier.supersede(key(URL));
    boolean[] wasCalled = {false};
    whenAllIsKnown =
        () -> {
          wasCalled[0] = true;
          tier.supersede(key(OTHER));
          load(OTHER);
          medium.run();
          assertThat(told).isEmpty();
        };
    tier.open();
    medium.run();
    assertThat(wasCalled[0]).isTrue();
    assertThat(told).isEqualTo(Map.of(URL, LoadOutcome.ABSENT, OTHER, LoadOutcome.ABSENT));
  }

  @Test
  void nothingFromBeforeAClearIsServed() {
    boolean[] wasCalled = {false};
    whenAllIsKnown =
        () -> {
          wasCalled[0] = true;
          tier.clear();
          load(URL);
          medium.run();
          assertThat(told).isEmpty();
        };
    tier.open();
    medium.run();
    assertThat(wasCalled[0]).isTrue();
    assertThat(told).isEqualTo(Map.of(URL, LoadOutcome.ABSENT));
    assertThat(tier.stats().get(0).objects()).isZero();
  }

  @Test
  void waitersAreToldOfTheClose() {
    load(URL);
    tier.close();
    tier = null;
    assertThat(told).isEqualTo(Map.of(URL, LoadOutcome.ABSENT));
  }

  /** Responses of one block are written where they come: no disk thread has a task for each. */
  @Test
  void aSmallResponseIsNoTaskForADiskThread() throws IOException {
    tier.close();
    tier = null;
    ManualMedium counting = new ManualMedium();
    StoreFixture store =
        new StoreFixture(
            16 << 20,
            (allocator, transit, memory) ->
                DiskTier.claim(
                    disk(dir(temp.resolve("cache"), 16 << 20)),
                    allocator,
                    transit,
                    memory,
                    counting));
    try (DiskFixture fixture = new DiskFixture(store)) {
      counting.run();
      for (int i = 0; i < 100; i++) {
        store.fill("http://small/" + i, bytes(1000));
      }
      assertThat(fixture.stats().writes()).isEqualTo(100);
      assertThat(counting.waiting()).isZero();
      counting.run();
    }
  }
}
