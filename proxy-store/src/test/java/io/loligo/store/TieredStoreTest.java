package io.loligo.store;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.content;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.meta;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.store.disk.DiskFixture;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TieredStoreTest {
  private static final String URL = "http://a/";

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4096, 65_526, 65_527, 65_528, 65_536, 131_072, 300_000})
  void findsAStoredResponse(int length) {
    try (StoreFixture fixture = new StoreFixture()) {
      byte[] bytes = bytes(length);
      Entry entry = fixture.put(URL, bytes);
      assertThat(entry.contentLength()).isEqualTo(length);
      assertThat(content(entry)).isEqualTo(bytes);
      assertThat(entry.fieldsLength()).isEqualTo(8);
      entry.release();
    }
  }

  @Test
  void keepsASmallResponseInOneBlockOfItsSize() {
    try (StoreFixture fixture = new StoreFixture()) {
      Entry entry = fixture.put(URL, bytes(4096));
      assertThat(entry.isPacked()).isTrue();
      assertThat(fixture.store.stats().memoryBytes()).isEqualTo(entry.bytes());
      assertThat(entry.bytes()).isBetween(4096L + 8, 4096L + 256);
      assertThat(entry.firstBlockLength()).isEqualTo(4096 + 8);
      entry.release();
    }
  }

  @Test
  void waitsUntilTheLastFetchHasLanded() throws InterruptedException {
    try (StoreFixture fixture = new StoreFixture()) {
      ManualLoops.Loop loop = new ManualLoops().add();
      InFlight[] flights = new InFlight[2];
      loop.call(
          () -> {
            for (int i = 0; i < flights.length; i++) {
              flights[i] =
                  fixture.store.begin(key(URL + i), true, loop, new StoreFixture.SilentWriter());
            }
          });
      CountDownLatch landed = new CountDownLatch(1);
      Thread waiting =
          new Thread(
              () -> {
                fixture.store.land();
                landed.countDown();
              });
      waiting.start();
      DiskFixture.await(() -> waiting.getState() == Thread.State.TIMED_WAITING);
      loop.call(() -> end(fixture, flights[0]));
      assertThat(landed.getCount()).isEqualTo(1);
      loop.call(() -> end(fixture, flights[1]));
      waiting.join();
      // nothing cut it short: the arrived bytes are stored
      fixture.store.find(probe(URL + 1), noFields()).release();
      fixture.store.land();
    }
  }

  private static void end(StoreFixture fixture, InFlight flight) {
    flight.head(StoreFixture.head(), meta(), true, fixture.fields("A: b\r\n\r\n"), 10);
    flight.content(fixture.buffer(bytes(10)));
    flight.end(null);
  }

  @Test
  void findsWithoutAllocating() {
    try (StoreFixture fixture = new StoreFixture()) {
      fixture.fill(URL, bytes(4096));
      KeyProbe probe = probe(URL);
      Fields request = noFields();
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      int rounds = 20_000;
      find(fixture, probe, request, rounds);
      long before = threads.getCurrentThreadAllocatedBytes();
      find(fixture, probe, request, rounds);
      long each = (threads.getCurrentThreadAllocatedBytes() - before) / rounds;
      assertThat(each).isZero();
    }
  }

  private static void find(StoreFixture fixture, KeyProbe probe, Fields request, int rounds) {
    for (int i = 0; i < rounds; i++) {
      Entry entry = fixture.store.find(probe, request);
      entry.hit();
      entry.release();
    }
  }

  /** Counts scheduled tasks. */
  private static final class CountingLoop extends SingleThreadEventExecutor {
    private final AtomicInteger later = new AtomicInteger();

    CountingLoop() {
      super(null, new DefaultThreadFactory("loop", true), true);
    }

    @Override
    protected void run() {
      do {
        Runnable task = takeTask();
        if (task != null) {
          task.run();
        }
      } while (!confirmShutdown());
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
      later.incrementAndGet();
      return super.schedule(task, delay, unit);
    }
  }

  /**
   * Responses requested in the millisecond of a purge are purged too: nobody who was told of the
   * purge may get one.
   */
  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void tellsOfAPurgeWhenItsMomentIsPast(long millisBetweenLooks) throws Exception {
    AtomicLong clock = new AtomicLong(1000);
    CountingLoop loop = new CountingLoop();
    MemoryLedger transit = new MemoryLedger(1 << 20);
    ByteBufAllocator allocator = UnpooledByteBufAllocator.DEFAULT;
    try (TieredStore store =
        new TieredStore(
            allocator,
            new MemorySettings(1 << 20, 1 << 20, 1 << 20, 1 << 16, 1 << 16),
            memory -> DiskTier.claim(DiskSettings.NONE, allocator, transit, memory),
            transit,
            Runnable::run,
            () -> clock.getAndAdd(millisBetweenLooks))) {
      CompletableFuture<Purged> purged = new CompletableFuture<>();
      store.purge(new Purge.Groups(new long[] {1}, false), loop, purged::complete);
      assertThat(purged.get(30, TimeUnit.SECONDS).outcome()).isEqualTo(Purged.Outcome.DONE);
      assertThat(loop.later.get())
          .as("on the loop, and no thread waits")
          .isEqualTo(1 - (int) millisBetweenLooks);
    } finally {
      loop.shutdownGracefully(0, 30, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  @Test
  void makesStaleAtOnceWhereTheClockWasSetBackBefore() throws Exception {
    AtomicLong clock = new AtomicLong(50_000);
    CountingLoop loop = new CountingLoop();
    try (StoreFixture fixture = new StoreFixture(clock::get)) {
      Entry entry = fixture.put(URL, bytes(10));
      Entry later = fixture.put(URL + "later", bytes(10));
      StoredMeta asked =
          StoredMeta.builder(200).requestTimeMillis(50_000).lifetimeSeconds(60).build();
      fixture.store.freshen(key(URL + "later"), later, asked, fixture.fields("\r\n")).release();
      later.release();
      clock.set(20_000);
      CompletableFuture<Purged> purged = new CompletableFuture<>();
      fixture.store.purge(new Purge.Url(key(URL), true), loop, purged::complete);
      assertThat(purged.get(30, TimeUnit.SECONDS).outcome()).isEqualTo(Purged.Outcome.DONE);
      assertThat(entry.meta().lifetimeSeconds()).isEqualTo(20);
      entry.release();
    } finally {
      loop.shutdownGracefully(0, 30, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  @Test
  void removesAStoredResponse() {
    try (StoreFixture fixture = new StoreFixture()) {
      Entry entry = fixture.put(URL, bytes(10));
      assertThat(fixture.store.remove(key(URL))).isEqualTo(1);
      assertThat(fixture.store.find(probe(URL), noFields())).isNull();
      assertThat(fixture.store.holds(probe(URL))).isFalse();
      assertThat(content(entry)).isEqualTo(bytes(10));
      entry.release();
      assertThat(fixture.activeBuffers()).isZero();
    }
  }

  @Test
  void freshensByNewFieldsOverTheSameContent() {
    try (StoreFixture fixture = new StoreFixture()) {
      byte[] bytes = bytes(200_000);
      Entry old = fixture.put(URL, bytes);
      Entry fresh =
          fixture.store.freshen(key(URL), old, meta(), fixture.fields("New: field\r\n\r\n"));
      old.release();
      assertThat(content(fresh)).isEqualTo(bytes);
      assertThat(fresh.fieldsLength()).isEqualTo(14);
      Entry found = fixture.store.find(probe(URL), noFields());
      assertThat(found).isSameAs(fresh);
      found.release();
      fresh.release();
      assertThat(fixture.store.stats().entries()).isEqualTo(1);
    }
  }
}
