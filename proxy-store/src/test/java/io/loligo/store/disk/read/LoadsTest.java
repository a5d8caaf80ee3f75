package io.loligo.store.disk.read;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.StoreFixture;
import io.loligo.store.disk.DiskFixture;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.disk.FaultySlab;
import io.loligo.store.disk.ForwardingMemoryView;
import io.loligo.store.disk.WatchedMedium;
import io.loligo.store.disk.format.Block;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One read of the selected responses answers the requests that wait for one key at once. */
final class LoadsTest {
  private static final String URL = "http://a/";
  private static final int CLIENTS = 100;
  private static final int LOOPS = 4;

  @TempDir Path temp;

  private FaultySlab slab;
  private DiskFixture fixture;
  private final List<EventExecutor> loops = new ArrayList<>();

  /** The result of one client. */
  private record Got(LoadOutcome outcome, Entry entry, EventExecutor loop, boolean onLoop) {}

  @BeforeEach
  void open() throws IOException {
    DiskSettings here = disk(dir(temp.resolve("cache"), 32 << 20));
    WatchedMedium medium =
        new WatchedMedium(
            new SystemMedium(
                file -> {
                  slab = new FaultySlab(file);
                  return slab;
                }));
    fixture =
        new DiskFixture(
            new StoreFixture(
                16 << 20,
                (allocator, transit, memory) ->
                    DiskTier.claim(here, allocator, transit, new SecondHits(memory), medium)),
            medium);
    fixture.store.store.opened().join();
    for (int i = 0; i < LOOPS; i++) {
      loops.add(new DefaultEventExecutor());
    }
  }

  /** Nothing may be left in any ledger. */
  @AfterEach
  void close() {
    slab.resume();
    for (EventExecutor loop : loops) {
      loop.shutdownGracefully(0, 30, TimeUnit.SECONDS).syncUninterruptibly();
    }
    fixture.close();
  }

  /** Asks from a loop of its own; the request is in the queue when this returns. */
  private CompletableFuture<Got> ask(int number, Fields request) {
    EventExecutor loop = loops.get(number % LOOPS);
    CompletableFuture<Got> got = new CompletableFuture<>();
    loop.submit(
            () ->
                fixture.store.store.load(
                    key(URL),
                    request,
                    Wanted.CONTENT,
                    loop,
                    (entry, report) ->
                        got.complete(new Got(report.outcome(), entry, loop, loop.inEventLoop()))))
        .syncUninterruptibly();
    return got;
  }

  private List<CompletableFuture<Got>> askAll(int from, int count, Fields request) {
    List<CompletableFuture<Got>> asked = new ArrayList<>();
    for (int i = from; i < from + count; i++) {
      asked.add(ask(i, request));
    }
    return asked;
  }

  /** Memory that wants responses requested twice from disk, however much room it has. */
  private static final class SecondHits extends ForwardingMemoryView {
    SecondHits(DiskTier.MemoryView memory) {
      super(memory);
    }

    @Override
    public boolean wants(long contentLength, int hits) {
      return hits > 1;
    }
  }

  private void awaitStalled() {
    DiskFixture.await(() -> slab.stalled() > 0);
  }

  private static void assertFound(List<CompletableFuture<Got>> asked, byte[] bytes) {
    for (CompletableFuture<Got> one : asked) {
      Got got = DiskFixture.get(one);
      assertThat(got.outcome()).isEqualTo(LoadOutcome.FOUND);
      assertThat(got.onLoop()).isTrue();
      assertThat(StoreFixture.content(got.entry())).isEqualTo(bytes);
      got.entry().release();
    }
  }

  @Test
  void oneReadAnswersAllWaiters() {
    byte[] bytes = bytes(10_000);
    fixture.put(URL, bytes);
    long reads = fixture.stats().reads();
    long hits = fixture.stats().hits();
    slab.stall();
    List<CompletableFuture<Got>> asked = askAll(0, 1, noFields());
    awaitStalled();
    asked.addAll(askAll(1, CLIENTS - 1, noFields()));
    slab.resume();
    assertFound(asked, bytes);
    assertThat(fixture.stats().reads() - reads).isEqualTo(1);
    assertThat(fixture.stats().hits() - hits).isEqualTo(CLIENTS);
  }

  @Test
  void eachRequestGetsItsSelection() {
    Fields en = fields("Accept-Language: en\r\n\r\n");
    Fields de = fields("Accept-Language: de\r\n\r\n");
    Fields fr = fields("Accept-Language: fr\r\n\r\n");
    fixture.store.fill(URL, varying(en), bytes(5000));
    fixture.store.fill(URL, varying(de), bytes(6000));
    fixture.settle();
    long reads = fixture.stats().reads();
    slab.stall();
    List<CompletableFuture<Got>> english = askAll(0, 1, en);
    awaitStalled();
    List<CompletableFuture<Got>> german = askAll(1, CLIENTS, de);
    List<CompletableFuture<Got>> french = askAll(2, CLIENTS, fr);
    english.addAll(askAll(3, CLIENTS, en));
    slab.resume();
    assertFound(english, bytes(5000));
    assertFound(german, bytes(6000));
    for (CompletableFuture<Got> one : french) {
      assertThat(DiskFixture.get(one).outcome()).isEqualTo(LoadOutcome.ABSENT);
    }
    // both to judge them, and the German one again
    assertThat(fixture.stats().reads() - reads).isEqualTo(3);
  }

  private static Fields fields(String lines) {
    return StoredFields.index(lines.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Clients make up as many as they like: they take no place of others, and remove none. */
  @Test
  void aResponseForOneRequestIsKeptInMemoryOnly() {
    fixture.put(URL, bytes(1000));
    VarySelection one = VarySelection.of(true, fields("A: b\r\n\r\n"), fields("\r\n"));
    fixture.store.fill(URL, selectedBy(one), bytes(2000));
    fixture.settle();
    assertThat(fixture.stats().objects()).isEqualTo(1);
    assertThat(fixture.load(URL).content()).hasSize(1000);
  }

  private static StoredMeta varying(Fields request) {
    return selectedBy(VarySelection.of(false, request, fields("Vary: Accept-Language\r\n\r\n")));
  }

  private static StoredMeta selectedBy(VarySelection vary) {
    return StoredMeta.builder(200).lifetimeSeconds(60).vary(vary).build();
  }

  @Test
  void waitersDuringAPurgeGetNothingOfTheReadResponse() {
    fixture.put(URL, bytes(10_000));
    slab.stall();
    CompletableFuture<Got> first = ask(0, noFields());
    awaitStalled();
    CompletableFuture<Got> second = ask(1, noFields());
    CompletableFuture<Integer> purged = fixture.purging(URL);
    DiskFixture.await(() -> fixture.stats().objects() == 0);
    slab.resume();
    assertThat(DiskFixture.get(purged)).isEqualTo(1);
    assertThat(DiskFixture.get(second).outcome()).isEqualTo(LoadOutcome.ABSENT);
    Entry entry = DiskFixture.get(first).entry();
    if (entry != null) {
      entry.release();
    }
  }

  @Test
  void memoryGetsNothingOfAResponseRemovedDuringItsRead() {
    Fields en = fields("Accept-Language: en\r\n\r\n");
    Fields de = fields("Accept-Language: de\r\n\r\n");
    onDiskOnly(varying(en), bytes(5000));
    fixture.settle(); // out of its buffer, where a read takes it without the disk
    CountDownLatch reading = slab.holdNextRead();
    CompletableFuture<Got> first = ask(0, en);
    awaitStalled();
    assertThat(fixture.purge(URL)).isEqualTo(1);
    onDiskOnly(varying(de), bytes(6000));
    reading.countDown();
    DiskFixture.get(first).entry().release();
    assertThat(fixture.store.store.find(probe(URL), en)).isNull();
    assertThat(fixture.store.store.find(probe(URL), de)).isNull();
  }

  @Test
  void memoryGetsAReadResponseIfNothingWasRemoved() {
    onDiskOnly(StoreFixture.meta(), bytes(5000));
    DiskFixture.get(ask(0, noFields())).entry().release();
    Entry promoted = fixture.store.store.find(probe(URL), noFields());
    assertThat(promoted).isNotNull();
    promoted.release();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void memoryGetsACopyOfTheDiskUnlessItWasRemovedMeanwhile(boolean mayStore) {
    Fields en = fields("Accept-Language: en\r\n\r\n");
    Fields de = fields("Accept-Language: de\r\n\r\n");
    onDiskOnly(varying(en), bytes(5000));
    Entry like = DiskFixture.get(ask(0, en)).entry();
    fixture.store.store.resize(0);
    fixture.store.store.resize(16 << 20);
    ByteBuf lines = fixture.store.fields("\r\n");
    fixture.store.store.addVariant(key(URL), like, varying(de), lines, () -> mayStore).release();
    like.release();
    Entry added = fixture.store.store.find(probe(URL), de);
    assertThat(added != null).isEqualTo(mayStore);
    if (added != null) {
      added.release();
    }
    fixture.settle();
  }

  private void onDiskOnly(StoredMeta meta, byte[] bytes) {
    fixture.store.fill(URL, meta, bytes);
    DiskFixture.await(() -> fixture.stats().objects() == 1);
    fixture.store.store.resize(0);
    fixture.store.store.resize(16 << 20);
    assertThat(fixture.store.store.stats().entries()).isZero();
  }

  @Test
  void aReadThatFailsIsOneFailureForAll() {
    fixture.put(URL, bytes(10_000));
    slab.failReads(CLIENTS);
    slab.stall();
    List<CompletableFuture<Got>> asked = askAll(0, 1, noFields());
    awaitStalled();
    asked.addAll(askAll(1, CLIENTS - 1, noFields()));
    slab.resume();
    for (CompletableFuture<Got> one : asked) {
      assertThat(DiskFixture.get(one).entry()).isNull();
    }
    assertThat(DiskFixture.get(asked.get(0)).outcome()).isEqualTo(LoadOutcome.DAMAGED);
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
    assertThat(fixture.stats().damaged()).isOne();
    assertThat(fixture.stats().reads()).isOne();
    slab.failReads(0);
  }

  @Test
  void largeContentIsPutTogetherForMemoryOnce() {
    byte[] bytes = bytes(300_000);
    fixture.put(URL, bytes);
    long reads = fixture.stats().reads();
    slab.stall();
    CompletableFuture<Got> first = ask(0, noFields());
    awaitStalled();
    List<CompletableFuture<Got>> others = askAll(1, CLIENTS, noFields());
    slab.resume();
    Entry onDisk = DiskFixture.get(first).entry();
    assertThat(onDisk.isResident(bytes.length - 1)).isFalse();
    onDisk.release();
    assertFound(others, bytes);
    int further = bytes.length / Block.FURTHER_CONTENT;
    assertThat(fixture.stats().reads() - reads).isEqualTo(2 + further);
  }

  // Without a disk

  private final Queue<Runnable> queue = new ArrayDeque<>();
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());
  private int rounds;

  private Loads loads(Loads.Threads threads) {
    return new Loads(
        threads,
        () ->
            new Loads.Round() {
              private final int number = rounds++;

              @Override
              public Loader.Loaded load(CacheKey key, Fields request, Wanted wanted) {
                inRound.run();
                return Loader.Loaded.none(LoadOutcome.ABSENT);
              }

              @Override
              public void close() {
                told.add("end of " + number);
              }
            },
        PATIENCE_NANOS,
        () -> nanos);
  }

  private static final long PATIENCE_NANOS = 2_000;
  private long nanos = Long.MAX_VALUE - PATIENCE_NANOS / 2;

  private Runnable inRound = () -> {};

  private Loads.Listener as(String name) {
    return (loaded, queueNanos, readNanos) -> told.add(name + ' ' + loaded.outcome());
  }

  private boolean add(Loads loads, String name) {
    return loads.add(
        key(URL), noFields(), Wanted.CONTENT, ImmediateEventExecutor.INSTANCE, as(name));
  }

  @Test
  void waitersAreToldOfAFullQueue() {
    Loads[] loads = new Loads[1];
    loads[0] =
        loads(
            (task, loop) -> {
              assertThat(add(loads[0], "second")).isTrue();
              return false;
            });
    assertThat(add(loads[0], "first")).isFalse();
    assertThat(told).containsExactly("second BUSY");
    assertThat(loads[0].waiting()).isZero();
  }

  @Test
  void requestsDuringTheFirstJoinAndLaterOnesBeginAgain() {
    Loads loads = loads((task, loop) -> queue.add(task));
    add(loads, "first");
    add(loads, "queued");
    List<String> come = new ArrayList<>(List.of("during", "later"));
    inRound =
        () -> {
          if (!come.isEmpty()) {
            add(loads, come.remove(0));
          }
        };
    queue.remove().run();
    assertThat(told).containsExactly("first ABSENT", "queued ABSENT", "during ABSENT", "end of 0");
    queue.remove().run();
    assertThat(told).endsWith("end of 0", "later ABSENT", "end of 1");
    assertThat(queue).isEmpty();
    assertThat(loads.waiting()).isZero();
  }

  @ParameterizedTest
  @ValueSource(classes = {IllegalStateException.class, StackOverflowError.class})
  void oneThatFailsDoesNotKeepTheOthers(Class<? extends Throwable> failure) {
    Loads loads = loads((task, loop) -> queue.add(task));
    loads.add(
        key(URL),
        noFields(),
        Wanted.CONTENT,
        ImmediateEventExecutor.INSTANCE,
        (loaded, queueNanos, readNanos) -> {
          if (failure.equals(StackOverflowError.class)) {
            throw new StackOverflowError("for the test");
          }
          throw new IllegalStateException("for the test");
        });
    add(loads, "second");
    queue.remove().run();
    assertThat(told).containsExactly("second ABSENT", "end of 0");
  }

  @Test
  void aRoundThatCannotBeginLetsEverybodyGo() {
    Loads loads =
        new Loads(
            (task, loop) -> queue.add(task),
            () -> {
              throw new OutOfMemoryError("for the test");
            },
            PATIENCE_NANOS,
            () -> nanos);
    add(loads, "first");
    add(loads, "second");
    assertThatThrownBy(queue.remove()::run).isInstanceOf(OutOfMemoryError.class);
    assertThat(told).containsExactly("first BUSY", "second BUSY");
    assertThat(loads.waiting()).isZero();
    add(loads, "later");
    assertThat(queue).hasSize(1);
  }

  @Test
  void nothingIsReadForRequestsThatWentOnWithout() {
    List<String> read = new ArrayList<>();
    inRound = () -> read.add("once");
    Loads loads = loads((task, loop) -> queue.add(task));
    add(loads, "late");
    nanos += 1;
    add(loads, "in time");
    nanos += PATIENCE_NANOS - 1;
    queue.remove().run();
    assertThat(told).containsExactly("late BUSY", "in time ABSENT", "end of 0");
    assertThat(read).hasSize(1);
    assertThat(loads.waiting()).isZero();
  }

  @Test
  void onlySoManyWait() {
    Loads loads = loads((task, loop) -> queue.add(task));
    for (int i = 0; i < Loads.MAX_WAITING; i++) {
      assertThat(add(loads, "one")).isTrue();
    }
    assertThat(add(loads, "one more")).isFalse();
    queue.remove().run();
    assertThat(told).hasSize(Loads.MAX_WAITING + 1);
    assertThat(add(loads, "one more")).isTrue();
  }
}
