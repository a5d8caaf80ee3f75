package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.store.StoreFixture;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.format.Geometry;
import io.loligo.store.disk.medium.DiskThreads;
import io.loligo.store.disk.medium.Marks;
import io.loligo.store.disk.medium.Medium;
import io.loligo.store.disk.medium.SlabFile;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.keys.AlternativeKeys;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.UrlPattern;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Directories that come and go while the store is in use. */
final class DirectoryChangeTest {
  private static final String URL = "http://change/a";
  private static final int GUARD_SECONDS = 30;
  private static final int ROUNDS = 15;
  private static final int OBJECTS = 40;

  @TempDir Path temp;

  private CacheDir one(int megabytes) {
    return dir(temp.resolve("one"), megabytes << 20);
  }

  private CacheDir two() {
    return dir(temp.resolve("two"), 16 << 20);
  }

  private static void change(DiskFixture fixture, CacheDir... dirs) throws IOException {
    try (DirectoryChange change = fixture.store.store.prepare(disk(dirs))) {
      fixture.store.store.commit(change);
    }
    fixture.store.store.opened().join();
  }

  /** The same with other threads, so that every directory in use is opened again. */
  private static DiskSettings withMoreThreads(CacheDir... dirs) {
    return DiskSettings.with(List.of(dirs)).loadTimeoutMillis(0).threads(7).build();
  }

  private static LoadOutcome load(DiskFixture fixture, String url) {
    return fixture.load(url).outcome();
  }

  @Test
  void aRemovedDirectoryKeepsItsContentUntilItReturns() throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      fixture.put(URL, bytes(20_000));
      change(fixture);
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.ABSENT);
      change(fixture, two());
      change(fixture, two(), one(16));
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
      assertThat(fixture.store.store.diskStats())
          .extracting(DiskStats::path)
          .containsExactly(two().path(), one(16).path());
      change(fixture, one(16), two());
      assertThat(fixture.store.store.diskStats())
          .extracting(DiskStats::path)
          .containsExactly(one(16).path(), two().path());
    }
  }

  @Test
  void aDirectoryThatMissedAPurgeBeginsEmpty() throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(one(16), two()))) {
      fixture.put(URL, bytes(20_000));
      change(fixture, two());
      assertThat(fixture.purge(URL)).isNotNegative();
      change(fixture, one(16), two());
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  /** Another process removes the other directory's line, too: the sheets must say so. */
  @Test
  void theNextProcessKnowsWhatADirectoryMissed() throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(one(16), two()))) {
      for (int i = 0; i < OBJECTS; i++) {
        fixture.put(URL + i, bytes(20_000));
      }
      change(fixture, two());
      for (int i = 0; i < OBJECTS; i++) {
        assertThat(fixture.purge(URL + i)).isNotNegative();
      }
    }
    try (DiskFixture fixture = new DiskFixture(disk(one(16), two()))) {
      for (int i = 0; i < OBJECTS; i++) {
        assertThat(load(fixture, URL + i)).isEqualTo(LoadOutcome.ABSENT);
      }
    }
  }

  @Test
  void aRemovalWithoutAnyDirectoryEmptiesTheFirstOne() throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      fixture.put(URL, bytes(20_000));
    }
    try (DiskFixture fixture = new DiskFixture(disk())) {
      change(fixture, one(16));
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
    }
    try (DiskFixture fixture = new DiskFixture(disk())) {
      assertThat(fixture.purge("http://change/other")).isNotNegative();
      change(fixture, one(16));
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  /** Runs a step once, when it is told, in the middle of another one. Thread-safe. */
  private static final class Interrupted extends ForwardingMedium {
    private final AtomicReference<Runnable> inTheRoll = new AtomicReference<>();
    private final AtomicReference<Runnable> whenTold = new AtomicReference<>();
    private final AtomicReference<Runnable> inTheClaim = new AtomicReference<>();

    Interrupted() {
      super(new SystemMedium(SlabFile::new));
    }

    private static void run(AtomicReference<Runnable> step) {
      Runnable once = step.getAndSet(null);
      if (once != null) {
        once.run();
      }
    }

    /** A folder is about to be claimed. */
    @Override
    public Path path(String directory) {
      run(inTheClaim);
      return super.path(directory);
    }

    /** The roll numbers its next sheets. */
    @Override
    public long millis() {
      run(inTheRoll);
      return super.millis();
    }

    /** Threads that are about to be told of a removal. */
    @Override
    public DiskThreads threads(int count, long maxWriteBytes) {
      DiskThreads threads = super.threads(count, maxWriteBytes);
      return (DiskThreads)
          Proxy.newProxyInstance(
              DiskThreads.class.getClassLoader(),
              new Class<?>[] {DiskThreads.class},
              (proxy, method, arguments) -> {
                if (method.getName().equals("urgent")) {
                  run(whenTold);
                }
                return method.invoke(threads, arguments);
              });
    }
  }

  private static DiskFixture fixture(Interrupted medium, CacheDir... dirs) throws IOException {
    return new DiskFixture(16 << 20, disk(dirs), medium);
  }

  private static void changed(DiskFixture fixture, CacheDir... dirs) {
    try {
      change(fixture, dirs);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The URL of a response in a directory that is not in use. */
  private static String absent(DiskFixture fixture) {
    return IntStream.range(0, OBJECTS)
        .mapToObj(i -> URL + i)
        .filter(url -> !fixture.store.store.mayLoad(probe(url)))
        .findAny()
        .orElseThrow();
  }

  private static int found(DiskFixture fixture) {
    int found = 0;
    for (int i = 0; i < OBJECTS; i++) {
      found += load(fixture, URL + i) == LoadOutcome.FOUND ? 1 : 0;
    }
    return found;
  }

  /** The roll counts it as present already. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDirectoryHearsOfAPurgeWhileItJoins(boolean beside) throws IOException {
    CacheDir[] others = beside ? new CacheDir[] {two()} : new CacheDir[0];
    CacheDir[] all = beside ? new CacheDir[] {one(16), two()} : new CacheDir[] {one(16)};
    Interrupted medium = new Interrupted();
    try (DiskFixture fixture = fixture(medium, all)) {
      for (int i = 0; i < OBJECTS; i++) {
        fixture.put(URL + i, bytes(20_000));
      }
      change(fixture, others);
      CompletableFuture<Integer> purged = new CompletableFuture<>();
      String url = absent(fixture);
      medium.inTheRoll.set(() -> fixture.purging(url).thenAccept(purged::complete));
      change(fixture, all);
      assertThat(DiskFixture.get(purged)).isNotNegative();
      assertThat(load(fixture, url)).isEqualTo(LoadOutcome.ABSENT);
      assertThat(found(fixture)).isEqualTo(OBJECTS - 1);
    }
  }

  /** The process has had none so far. */
  @Test
  void theFirstDirectoryHearsOfAPurgeWhileItJoins() throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      fixture.put(URL, bytes(20_000));
      fixture.put(URL + "/purged", bytes(20_000));
    }
    Interrupted medium = new Interrupted();
    try (DiskFixture fixture = fixture(medium)) {
      CompletableFuture<Integer> purged = new CompletableFuture<>();
      medium.inTheRoll.set(() -> fixture.purging(URL + "/purged").thenAccept(purged::complete));
      change(fixture, one(16));
      assertThat(DiskFixture.get(purged)).isNotNegative();
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
      assertThat(load(fixture, URL + "/purged")).isEqualTo(LoadOutcome.ABSENT);
    }
  }

  /** The purge has chosen the directories that it tells, and asks the roll later. */
  @Test
  void aDirectoryThatJoinsDuringAPurgeHearsOfIt() throws IOException {
    Interrupted medium = new Interrupted();
    try (DiskFixture fixture = fixture(medium, one(16), two())) {
      for (int i = 0; i < OBJECTS; i++) {
        fixture.put(URL + i, bytes(20_000));
      }
      change(fixture, two());
      CacheDir[] both = {one(16), two()};
      medium.whenTold.set(() -> changed(fixture, both));
      String purged = absent(fixture);
      assertThat(fixture.purge(purged)).isNotNegative();
      assertThat(medium.whenTold.get()).isNull();
      assertThat(load(fixture, purged)).isEqualTo(LoadOutcome.ABSENT);
      assertThat(found(fixture)).isEqualTo(OBJECTS - 1);
    }
  }

  /** The lock of the roll is held over I/O, and a removal may be an event loop's. */
  @Test
  void aPurgeWithoutAnyDirectoryWaitsForNoLock() throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      fixture.put(URL, bytes(20_000));
      change(fixture);
      Field field = DiskTier.class.getDeclaredField("roll");
      field.setAccessible(true);
      synchronized (field.get(tier(fixture.store.store))) {
        Future<Integer> purged = thread.submit(() -> fixture.purge(URL));
        assertThat(purged.get(GUARD_SECONDS, TimeUnit.SECONDS)).isNotNegative();
      }
      change(fixture, one(16));
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.ABSENT);
    } finally {
      thread.shutdown();
    }
  }

  private static void ban(DiskFixture fixture, String pattern, CompletableFuture<Purged> purged) {
    fixture.store.store.purge(
        new Purge.Matching(UrlPattern.of("change", pattern), false),
        fixture.loop,
        purged::complete);
  }

  /** A removal while it is closed reaches it later, and is not confirmed so early. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDirectoryThatIsClosedAndOpenedAgainHearsOfRemovals(boolean beside) throws Exception {
    Interrupted medium = new Interrupted();
    try (DiskFixture fixture = fixture(medium, one(16))) {
      for (int i = 0; i < OBJECTS; i++) {
        fixture.put(URL + i, bytes(20_000));
      }
      if (beside) {
        change(fixture, one(16), two());
      }
      AtomicInteger purged = new AtomicInteger();
      CompletableFuture<Purged> banned = new CompletableFuture<>();
      medium.inTheClaim.set(
          () -> {
            purged.set(fixture.purge(URL + 0));
            fixture.store.store.remove(key(URL + 1));
            ban(fixture, "/a2$", banned);
            DiskFixture.get(banned);
          });
      change(fixture, beside ? new CacheDir[] {one(64), two()} : new CacheDir[] {one(64)});
      assertThat(purged.get()).as("a killed process would bring it back").isEqualTo(-1);
      assertThat(DiskFixture.get(banned).outcome()).isNotEqualTo(Purged.Outcome.DONE);
      for (int i = 0; i < 3; i++) {
        assertThat(load(fixture, URL + i)).as("%d", i).isEqualTo(LoadOutcome.ABSENT);
      }
      assertThat(found(fixture)).isEqualTo(OBJECTS - 3);
      assertThat(isBehind(fixture, 0)).isFalse();
    }
    try (DiskFixture fixture = new DiskFixture(disk(one(64)))) {
      assertThat(found(fixture)).as("after the next start").isEqualTo(OBJECTS - 3);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDirectoryThatCannotBeOpenedAgainBeginsEmptyIfItMissedARemoval(boolean removes)
      throws Exception {
    Interrupted medium = new Interrupted();
    try (DiskFixture fixture = fixture(medium, one(16))) {
      fixture.put(URL, bytes(20_000));
      fixture.put(URL + "/other", bytes(20_000));
      AtomicReference<Marks> lock = new AtomicReference<>();
      medium.inTheClaim.set(
          () -> {
            try {
              lock.set(Marks.lock(temp.resolve("one")));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            if (removes) {
              fixture.store.store.remove(key(URL));
            }
          });
      change(fixture, one(64));
      lock.get().close();
      assertThat(fixture.store.store.diskStats()).isEmpty();
      change(fixture, one(64));
      LoadOutcome expected = removes ? LoadOutcome.ABSENT : LoadOutcome.FOUND;
      assertThat(load(fixture, URL)).isEqualTo(expected);
      assertThat(load(fixture, URL + "/other")).isEqualTo(expected);
    }
  }

  private static boolean isBehind(DiskFixture fixture, int index)
      throws ReflectiveOperationException {
    return tier(fixture.store.store).directories().all().get(index).isBehind();
  }

  @Test
  void onlyADirectoryThatLeavesOthersIsBehindThem() throws Exception {
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      change(fixture);
      change(fixture, one(16));
      assertThat(isBehind(fixture, 0)).as("no other is newer").isFalse();
      change(fixture, one(16), two());
      change(fixture, two());
      change(fixture);
      change(fixture, two());
      assertThat(isBehind(fixture, 0)).as("the last one").isFalse();
      change(fixture, two(), one(16));
      assertThat(isBehind(fixture, 1)).isTrue();
    }
  }

  @Test
  void aDirectoryThatIsBehindAnswersIfItIsTheOnlyOne() throws Exception {
    try (DiskFixture fixture = new DiskFixture(disk(one(16), two()))) {
      for (int i = 0; i < OBJECTS; i++) {
        fixture.put(URL + i, bytes(20_000));
      }
      change(fixture, two());
      change(fixture, two(), one(16));
    }
    ManualMedium medium = new ManualMedium();
    try (StoreFixture store =
        new StoreFixture(
            16 << 20,
            (allocator, transit, memory) ->
                DiskTier.claim(disk(one(16)), allocator, transit, memory, medium))) {
      assertThat(tier(store.store).directories().all().get(0).isBehind()).isTrue();
      assertThat(store.store.mayLoad(probe(URL))).as("it waits for the content").isTrue();
      medium.run();
    }
  }

  @Test
  void aDirectoryGrowsAndKeepsResponsesAndPurges() throws IOException {
    byte[] large = bytes(400_000);
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      fixture.put(URL, bytes(20_000));
      fixture.put(URL + "/large", large);
      fixture.put(URL + "/purged", bytes(10));
      CompletableFuture<Purged> purged = new CompletableFuture<>();
      ban(fixture, "/purged$", purged);
      assertThat(DiskFixture.get(purged).outcome()).isEqualTo(Purged.Outcome.DONE);
      change(fixture, one(64));
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
      assertThat(fixture.load(URL + "/large").content()).isEqualTo(large);
      assertThat(load(fixture, URL + "/purged")).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.stats().capacityBytes()).isEqualTo(64L << 20);
      for (int i = 0; i < OBJECTS; i++) {
        fixture.put(URL + "/later" + i, large); // as much as the smaller one had room for
      }
    }
    try (DiskFixture fixture = new DiskFixture(disk(one(900)))) {
      assertThat(load(fixture, URL)).as("a start does the same").isEqualTo(LoadOutcome.FOUND);
      assertThat(load(fixture, URL + "/later0")).isEqualTo(LoadOutcome.FOUND);
    }
    try (DiskFixture fixture = new DiskFixture(disk(one(900)))) {
      assertThat(load(fixture, URL)).as("nothing more happens").isEqualTo(LoadOutcome.FOUND);
    }
    try (DiskFixture fixture = new DiskFixture(disk(one(64)))) {
      assertThat(load(fixture, URL)).as("a smaller one").isEqualTo(LoadOutcome.ABSENT);
    }
  }

  /** Killed after the files were made longer, and before the header says so. */
  @Test
  void aDirectoryWhoseGrowthWasInterruptedKeepsItsContent() throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      fixture.put(URL, bytes(20_000));
    }
    Path header = temp.resolve("one").resolve("header");
    byte[] before = Files.readAllBytes(header);
    try (DiskFixture fixture = new DiskFixture(disk(one(64)))) {
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
    }
    Files.write(header, before);
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
    }
    try (DiskFixture fixture = new DiskFixture(disk(one(64)))) {
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
    }
  }

  @Test
  void segmentsStayAsLargeAsTheyWere() {
    Geometry small = Geometry.of(16 << 20, 13 << 10);
    assertThat(small.grownTo(16 << 20, 13 << 10)).isEqualTo(small);
    Geometry grown = small.grownTo(1L << 30, 13 << 10);
    assertThat(grown.segmentBytes()).isEqualTo(small.segmentBytes());
    assertThat(grown.totalBytes()).isEqualTo(1L << 30);
    assertThat(grown.neededBytes()).isLessThanOrEqualTo(1L << 30);
    assertThat(grown.grownTo(1L << 30, 13 << 10)).isEqualTo(grown);
    assertThat(grown.grownTo(16 << 20, 13 << 10)).as("smaller").isNull();
    assertThat(grown.grownTo(1L << 30, 26 << 10)).as("fewer records").isNull();
    assertThat(small.grownTo(1L << 40, 13 << 10)).as("too many segments").isNull();
  }

  @Test
  void anotherProcessMayUseARemovedFolder() throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(one(16), two()))) {
      assertThatThrownBy(() -> Marks.lock(temp.resolve("one"))).isInstanceOf(Marks.InUse.class);
      change(fixture, two());
      Marks.lock(temp.resolve("one")).close();
    }
  }

  @Test
  void aFolderThatCannotBeClaimedReleasesTheOthers() throws IOException {
    Files.writeString(temp.resolve("file"), "");
    try (DiskFixture fixture = new DiskFixture(disk(two()))) {
      assertThatThrownBy(() -> change(fixture, two(), one(16), dir(temp.resolve("file"), 16 << 20)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("file");
      assertThat(fixture.store.store.diskStats()).hasSize(1);
      Marks.lock(temp.resolve("one")).close();
      assertThatThrownBy(() -> change(fixture, dir(temp.resolve("two"), 1 << 20)))
          .hasMessageContaining("too small");
      fixture.put(URL, bytes(20_000));
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
    }
  }

  /** An operator mistypes the size, and the same reload fails at a port. */
  @Test
  void aChangeThatIsGivenUpLeavesTheContentOfItsFolders() throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(one(64)))) {
      fixture.put(URL, bytes(20_000));
    }
    try (DiskFixture fixture = new DiskFixture(disk(two()))) {
      fixture.store.store.prepare(disk(two(), one(16))).close();
    }
    try (DiskFixture fixture = new DiskFixture(disk(one(64)))) {
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
      change(fixture, two());
      change(fixture, two(), one(16));
      assertThat(load(fixture, URL)).as("it is carried out").isEqualTo(LoadOutcome.ABSENT);
    }
  }

  @Test
  void aChangeThatIsGivenUpSetsNothingAside() throws IOException {
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      fixture.put(URL, bytes(20_000));
    }
    Path header = temp.resolve("one").resolve("header");
    byte[] bytes = Files.readAllBytes(header);
    ByteBuffer.wrap(bytes).putInt(Long.BYTES, Marks.VERSION + 1);
    Files.write(header, bytes);
    Path aside = temp.resolve("one").resolve("format-" + (Marks.VERSION + 1));
    try (DiskFixture fixture = new DiskFixture(disk(two()))) {
      fixture.store.store.prepare(disk(two(), one(16))).close();
      assertThat(header).hasBinaryContent(bytes);
      assertThat(aside).doesNotExist();
      change(fixture, two(), one(16));
      assertThat(aside.resolve("header")).hasBinaryContent(bytes);
    }
  }

  /** Its disk is not mounted: a folder in its place would be on another disk. */
  @Test
  void aDirectoryWhoseDiskIsAwayNeitherPreventsAChangeNorIsMadeElsewhere() throws Exception {
    Path away = temp.resolve("away");
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      TieredStore store = fixture.store.store;
      fixture.put(URL, bytes(20_000));
      Files.move(temp.resolve("one"), away);
      fixture.tickUntil(() -> fixture.stats().state() == DiskStats.State.OFF);
      try (DirectoryChange change = store.prepare(withMoreThreads(one(16), two()))) {
        store.commit(change);
      }
      store.opened().join();
      assertThat(store.diskStats())
          .extracting(DiskStats::state)
          .containsExactly(DiskStats.State.OFF, DiskStats.State.READY);
      assertThatThrownBy(() -> store.prepare(withMoreThreads(one(64), two())))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("test.conf:1")
          .hasMessageContaining("mount it");
      assertThat(temp.resolve("one")).doesNotExist();
      Files.move(away, temp.resolve("one"));
      try (DirectoryChange change = store.prepare(withMoreThreads(one(16), two()))) {
        store.commit(change);
      }
      store.opened().join();
      assertThat(store.diskStats())
          .extracting(DiskStats::state)
          .containsExactly(DiskStats.State.READY, DiskStats.State.READY);
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
    }
  }

  /** Its threads are still busy when it should have been closed. */
  @Test
  void aDirectoryWithASlowDiskIsReleasedWhenItsLastThreadEnds() throws Exception {
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      fixture.put(URL, bytes(20_000));
      DiskTier tier = tier(fixture.store.store);
      DiskDirectory slow = tier.directories().all().get(0);
      CompletableFuture<Void> goOn = new CompletableFuture<>();
      CompletableFuture<Void> released = new CompletableFuture<>();
      assertThat(slow.run(() -> DiskFixture.get(goOn))).isTrue();
      tier.leave(slow);
      slow.close(System.nanoTime());
      slow.whenReleased(() -> released.complete(null));
      assertThatThrownBy(() -> Marks.lock(temp.resolve("one"))).isInstanceOf(Marks.InUse.class);
      change(fixture, one(16), two());
      assertThat(fixture.store.store.diskStats())
          .extracting(DiskStats::path)
          .as("a reload goes on without it")
          .containsExactly(two().path());
      assertThat(released).isNotDone();
      goOn.complete(null);
      DiskFixture.get(released);
      change(fixture, one(16), two());
      assertThat(load(fixture, URL)).as("it was closed cleanly").isEqualTo(LoadOutcome.FOUND);
    }
  }

  /** The machine has no more threads when a directory is to be opened again. */
  @Test
  void aDefectOnTheWayReleasesTheFolderAndAwaitsNothing() throws Exception {
    AtomicBoolean fails = new AtomicBoolean();
    Medium medium =
        new ForwardingMedium(SystemMedium.SYSTEM) {
          @Override
          public DiskThreads threads(int count, long maxWriteBytes) {
            if (fails.get()) {
              throw new IllegalStateException("no more threads");
            }
            return super.threads(count, maxWriteBytes);
          }
        };
    try (DiskFixture fixture = new DiskFixture(16 << 20, disk(one(16)), medium)) {
      AlternativeKeys alternatives =
          (AlternativeKeys) field(TieredStore.class, "alternatives", fixture.store.store);
      DiskFixture.await(() -> !alternatives.mayBeAny());
      fails.set(true);
      assertThatThrownBy(() -> change(fixture, one(64))).hasMessage("no more threads");
      fails.set(false);
      assertThat(alternatives.mayBeAny()).as("directories are awaited").isFalse();
      Marks.lock(temp.resolve("one")).close();
      change(fixture, one(64));
      fixture.put(URL, bytes(20_000));
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
    }
  }

  /** The secret numbers fail, for one of two directories. */
  @Test
  void aDefectOfOneDirectoryLeavesTheOthers() throws Exception {
    AtomicInteger before = new AtomicInteger(Integer.MAX_VALUE);
    Medium medium =
        new ForwardingMedium(SystemMedium.SYSTEM) {
          @Override
          public RandomGenerator random() {
            if (before.getAndDecrement() == 0) {
              throw new IllegalStateException("no more numbers");
            }
            return super.random();
          }
        };
    try (DiskFixture fixture = new DiskFixture(16 << 20, disk(), medium)) {
      before.set(0);
      change(fixture, one(16), two());
      assertThat(fixture.store.store.diskStats())
          .extracting(DiskStats::path)
          .containsExactly(two().path());
      Marks.lock(temp.resolve("one")).close();
    }
  }

  private static DiskTier tier(TieredStore store) throws ReflectiveOperationException {
    return (DiskTier) field(TieredStore.class, "disk", store);
  }

  private static Object field(Class<?> type, String name, Object of)
      throws ReflectiveOperationException {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field.get(of);
  }

  /**
   * A reader that is too slow: it is told that there is no more, and fetches the rest elsewhere.
   */
  @Test
  void aReaderThatDoesNotEndIsTold() throws Exception {
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      fixture.put(URL, bytes(400_000));
      fixture.store.store.resize(0); // or memory would take all of it
      CompletableFuture<Entry> loaded = new CompletableFuture<>();
      fixture.store.store.load(
          key(URL),
          noFields(),
          Wanted.CONTENT,
          fixture.loop,
          (entry, report) -> loaded.complete(entry));
      Entry entry = DiskFixture.get(loaded);
      TieredStore store = fixture.store.store;
      try (DirectoryChange change = DirectoryChange.prepare(tier(store), disk(), 0)) {
        store.commit(change);
      }
      Marks.lock(temp.resolve("one")).close();
      CompletableFuture<Boolean> more = new CompletableFuture<>();
      entry.read(300_000, 1000, fixture.loop, content -> more.complete(content != null));
      assertThat(DiskFixture.get(more)).isFalse();
      entry.release();
      change(fixture, one(16));
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
    }
  }

  private static List<WeakReference<Object>> held(TieredStore store)
      throws ReflectiveOperationException {
    List<WeakReference<Object>> held = new ArrayList<>();
    for (DiskDirectory directory : tier(store).directories().all()) {
      held.add(new WeakReference<>(directory));
      held.add(new WeakReference<>(directory.state().lastOpened().catalogue()));
    }
    return held;
  }

  /** Its index is direct memory, which goes with the last reference. */
  @Test
  void nothingHoldsARemovedDirectory() throws Exception {
    try (DiskFixture fixture = new DiskFixture(disk(one(16), two()))) {
      fixture.put(URL, bytes(20_000));
      List<WeakReference<Object>> held = held(fixture.store.store);
      change(fixture);
      DiskFixture.await(
          () -> {
            System.gc();
            return held.stream().allMatch(one -> one.get() == null);
          });
    }
  }

  /** Readers, a writer and a remover go on; every response is whole, and no removed one returns. */
  @Test
  void theStoreIsInUseMeanwhile() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    AtomicBoolean over = new AtomicBoolean();
    CountDownLatch begun = new CountDownLatch(2);
    try (DiskFixture fixture = new DiskFixture(disk(one(16)))) {
      Future<?> writer =
          threads.submit(
              () -> {
                for (int i = 0; !over.get(); i++) {
                  fixture.store.fill(URL + i % OBJECTS, bytes(30_000 + i % OBJECTS));
                  begun.countDown();
                }
              });
      Future<?> reader =
          threads.submit(
              () -> {
                for (int i = 0; !over.get(); i++) {
                  DiskFixture.Found found = fixture.load(URL + i % OBJECTS);
                  if (found.outcome() == LoadOutcome.FOUND) {
                    assertThat(found.content()).isEqualTo(bytes(30_000 + i % OBJECTS));
                  }
                  begun.countDown();
                }
              });
      begun.await();
      for (int round = 0; round < ROUNDS; round++) {
        String url = URL + "/purged" + round;
        fixture.store.fill(url, bytes(100));
        change(fixture, round % 3 == 0 ? new CacheDir[] {two()} : new CacheDir[] {one(16), two()});
        assertThat(fixture.purge(url)).isNotNegative();
        change(fixture, one(16 + round % 2 * 16));
        assertThat(load(fixture, url)).isEqualTo(LoadOutcome.ABSENT);
      }
      over.set(true);
      writer.get();
      reader.get();
      fixture.put(URL, bytes(10));
      assertThat(load(fixture, URL)).isEqualTo(LoadOutcome.FOUND);
    } finally {
      over.set(true);
      threads.shutdown();
    }
  }
}
