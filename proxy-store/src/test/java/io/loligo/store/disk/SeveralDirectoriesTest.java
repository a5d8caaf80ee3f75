package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.caching.VarySelection;
import io.loligo.core.message.Fields;
import io.loligo.store.StoreFixture;
import io.loligo.store.disk.medium.SlabFile;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.load.LoadOutcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Directories beside each other: they share the load, and one goes on without the other. */
final class SeveralDirectoriesTest {
  private static final int OBJECTS = 200;

  @TempDir Path temp;

  private DiskSettings both() {
    return disk(dir(temp.resolve("one"), 16 << 20), dir(temp.resolve("other"), 32 << 20));
  }

  private static String url(int number) {
    return "http://several/" + number;
  }

  private static void fill(DiskFixture fixture, int from, int to) {
    for (int i = from; i < to; i++) {
      fixture.put(url(i), bytes(20_000 + i));
    }
  }

  private static int found(DiskFixture fixture) {
    int found = 0;
    for (int i = 0; i < OBJECTS; i++) {
      DiskFixture.Found one = fixture.load(url(i));
      if (one.outcome() == LoadOutcome.FOUND) {
        assertThat(one.content()).isEqualTo(bytes(20_000 + i));
        found++;
      }
    }
    return found;
  }

  @Test
  void shareTheLoadByFreeSpace() throws IOException {
    try (DiskFixture fixture = new DiskFixture(both())) {
      fill(fixture, 0, OBJECTS);
      List<DiskStats> stats = fixture.store.store.diskStats();
      assertThat(stats.get(0).objects() + stats.get(1).objects()).isEqualTo(OBJECTS);
      // twice the size and more: the map of the smaller takes a larger share
      assertThat((double) stats.get(1).objects() / stats.get(0).objects()).isBetween(1.8, 3.0);
      assertThat(found(fixture)).isEqualTo(OBJECTS);
    }
    try (DiskFixture fixture = new DiskFixture(both())) {
      assertThat(found(fixture)).isEqualTo(OBJECTS);
    }
  }

  @Test
  void shareTheLoadBySizeWhereBothAreFull() throws IOException {
    try (DiskFixture fixture = new DiskFixture(both())) {
      fillUp(fixture, 0, 1200);
      List<DiskStats> before = fixture.store.store.diskStats();
      assertThat(before).allMatch(stats -> stats.evictions() > 0);
      fillUp(fixture, 1200, 2400);
      List<DiskStats> after = fixture.store.store.diskStats();
      double smaller = after.get(0).writes() - before.get(0).writes();
      double larger = after.get(1).writes() - before.get(1).writes();
      assertThat(larger / smaller).isBetween(1.7, 3.2);
      for (int i = 2390; i < 2400; i++) {
        assertThat(fixture.load("http://full/" + i).content()).isEqualTo(bytes(60_000 + i));
      }
    }
  }

  private CacheDir sized(String name, long minBytes, long maxBytes) {
    String path = temp.resolve(name).toString();
    return new CacheDir("rock", path, 16 << 20, minBytes, maxBytes, false, "test.conf:1");
  }

  private static Fields language(String language) {
    return StoredFields.index(
        ("Accept-Language: " + language + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
  }

  private static StoredMeta varying(Fields request) {
    byte[] lines = "Vary: Accept-Language\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    VarySelection vary = VarySelection.of(false, request, StoredFields.index(lines));
    return StoredMeta.builder(200).lifetimeSeconds(60).vary(vary).build();
  }

  @Test
  void variantsThatAreApartByTheirSizesStay() throws IOException {
    Fields small = language("en");
    Fields large = language("de");
    try (DiskFixture fixture =
        new DiskFixture(disk(sized("one", 0, 5000), sized("other", 5001, -1)))) {
      for (int i = 0; i < 2; i++) {
        fixture.store.fill(URL, varying(small), bytes(1000 + i));
        fixture.settle();
        fixture.store.fill(URL, varying(large), bytes(10_000 + i));
        fixture.settle();
        assertThat(fixture.load(URL, small).content()).isEqualTo(bytes(1000 + i));
        assertThat(fixture.load(URL, large).content()).isEqualTo(bytes(10_000 + i));
      }
      fixture.store.fill(URL, varying(small), bytes(9000));
      fixture.settle();
      assertThat(objects(fixture)).as("the other's was older").isEqualTo(2);
      assertThat(fixture.load(URL, small).content()).isEqualTo(bytes(9000));
      fixture.put(URL, bytes(100));
      assertThat(objects(fixture)).as("one for all").isOne();
    }
  }

  @Test
  void aResponseThatDoesNotVaryStaysBesideANewerVariantElsewhere() throws IOException {
    Fields en = language("en");
    try (DiskFixture fixture =
        new DiskFixture(disk(sized("one", 0, 5000), sized("other", 5001, -1)))) {
      fixture.put(URL, bytes(1000));
      fixture.store.fill(URL, varying(en), bytes(10_000));
      fixture.settle();
      for (int i = 0; i < 2; i++) {
        assertThat(fixture.load(URL, en).content()).isEqualTo(bytes(10_000));
        fixture.settle();
        assertThat(fixture.load(URL, language("de")).content()).isEqualTo(bytes(1000));
      }
    }
  }

  private static void fillUp(DiskFixture fixture, int from, int to) {
    for (int i = from; i < to; i++) {
      fixture.store.fill("http://full/" + i, bytes(60_000 + i));
      if (i % 20 == 0) {
        fixture.settle();
      }
    }
    fixture.settle();
  }

  @Test
  void oneGoesOnWithoutTheOther() throws IOException {
    try (DiskFixture fixture = new DiskFixture(both())) {
      fill(fixture, 0, OBJECTS);
      long inOne = fixture.stats().objects();
      Files.move(temp.resolve("one"), temp.resolve("away"));
      fixture.store.store.tick();
      fixture.settle();
      List<DiskStats> stats = fixture.store.store.diskStats();
      assertThat(stats.get(0).state()).isEqualTo(DiskStats.State.OFF);
      assertThat(stats.get(0).reason()).contains("removed");
      assertThat(stats.get(1).state()).isEqualTo(DiskStats.State.READY);
      assertThat(found(fixture)).isEqualTo(OBJECTS - (int) inOne);
      // the lost response is fetched again and stored in the other
      fill(fixture, 0, OBJECTS);
      assertThat(found(fixture)).isEqualTo(OBJECTS);
    }
    // replaced by an empty one
    try (DiskFixture fixture = new DiskFixture(both())) {
      List<DiskStats> stats = fixture.store.store.diskStats();
      assertThat(stats.get(0).state()).isEqualTo(DiskStats.State.READY);
      assertThat(stats.get(0).objects()).isZero();
      assertThat(found(fixture)).isEqualTo(OBJECTS);
    }
  }

  // One that was away for a while

  private static final String URL = "http://away/";

  private DiskSettings one() {
    return disk(dir(temp.resolve("one"), 16 << 20));
  }

  private DiskSettings other() {
    return disk(dir(temp.resolve("other"), 32 << 20));
  }

  private static StoredMeta receivedAt(long millis) {
    return StoredMeta.builder(200)
        .responseTimeMillis(millis)
        .dateMillis(millis)
        .lifetimeSeconds(60)
        .build();
  }

  /** Stores without any removal. */
  private static void store(DiskFixture fixture, String url, StoredMeta meta, byte[] bytes) {
    long writes = writes(fixture);
    fixture.store.fill(url, meta, bytes);
    DiskFixture.await(() -> writes(fixture) > writes);
  }

  private static long writes(DiskFixture fixture) {
    return fixture.store.store.diskStats().stream().mapToLong(DiskStats::writes).sum();
  }

  private static long objects(DiskFixture fixture) {
    return fixture.store.store.diskStats().stream().mapToLong(DiskStats::objects).sum();
  }

  private static void awaitObjects(DiskFixture fixture, long count) {
    DiskFixture.await(() -> objects(fixture) == count);
  }

  /** Two that know of each other; then each of them alone stores its copy. */
  private void storeInEach(long millisInOne, long millisInOther) throws IOException {
    new DiskFixture(both()).close();
    try (DiskFixture fixture = new DiskFixture(one())) {
      store(fixture, URL, receivedAt(millisInOne), bytes(1000));
      store(fixture, url(1), receivedAt(0), bytes(3000));
    }
    try (DiskFixture fixture = new DiskFixture(other())) {
      store(fixture, URL, receivedAt(millisInOther), bytes(2000));
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 2000", "1000, 2000, 2000", "2000, 1000, 1000"})
  void newestOfTwoWinsAndTheOlderGoes(long inOne, long inOther, int expected) throws IOException {
    storeInEach(inOne, inOther);
    try (DiskFixture fixture = new DiskFixture(both())) {
      assertThat(objects(fixture)).isEqualTo(3);
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(expected));
      awaitObjects(fixture, 2);
      assertThat(fixture.load(URL).content()).isEqualTo(bytes(expected));
      assertThat(fixture.load(url(1)).content()).isEqualTo(bytes(3000));
    }
  }

  @Test
  void anAbsentDirectoryAnswersNothingBeforeTheOthersAreOpen() throws IOException {
    storeInEach(1000, 2000);
    CountDownLatch mayOpen = new CountDownLatch(1);
    try (StoreFixture store =
            new StoreFixture(
                16 << 20,
                (allocator, transit, memory) ->
                    DiskTier.claim(
                        both(),
                        allocator,
                        transit,
                        memory,
                        new SystemMedium(
                            file -> {
                              if (file.startsWith(temp.resolve("other"))) {
                                await(mayOpen);
                              }
                              return new SlabFile(file);
                            })));
        DiskFixture fixture = new DiskFixture(store)) {
      DiskFixture.await(() -> fixture.stats().state() == DiskStats.State.READY);
      CompletableFuture<DiskFixture.Found> found =
          CompletableFuture.supplyAsync(() -> fixture.load(URL));
      store.store.tick(); // no request has waited for long
      assertThat(found).isNotDone();
      mayOpen.countDown();
      store.store.opened().join();
      assertThat(DiskFixture.get(found).content()).isEqualTo(bytes(2000));
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void purgedWhileOneWasAwayDoesNotComeBackFromIt() throws IOException {
    storeInEach(0, 0);
    try (DiskFixture fixture = new DiskFixture(other())) {
      assertThat(fixture.purge(URL)).isOne();
      fixture.put(url(2), bytes(500));
    }
    try (DiskFixture fixture = new DiskFixture(both())) {
      assertThat(fixture.load(URL).outcome()).isEqualTo(LoadOutcome.ABSENT);
      assertThat(fixture.load(url(2)).content()).isEqualTo(bytes(500));
    }
  }

  @Test
  void clearedWhileOneWasAwayDoesNotComeBackFromIt() throws IOException {
    storeInEach(0, 0);
    try (DiskFixture fixture = new DiskFixture(other())) {
      fixture.store.store.clear();
    }
    try (DiskFixture fixture = new DiskFixture(both())) {
      assertThat(objects(fixture)).isZero();
    }
  }

  private final List<FaultySlab> slabs = new CopyOnWriteArrayList<>();

  /** Both directories, the first of which is on a disk that can be made to fail. */
  private DiskFixture openFaulty() throws IOException {
    return new DiskFixture(
        16 << 20,
        both(),
        file -> {
          if (!file.startsWith(temp.resolve("one"))) {
            return new SlabFile(file);
          }
          slabs.add(new FaultySlab(file));
          return slabs.get(0);
        });
  }

  private void turnOff(DiskFixture fixture) {
    slabs.get(0).failWrites();
    // the larger share of free space is not always the other's
    for (int i = 0; fixture.stats().state() == DiskStats.State.READY; i++) {
      assertThat(i).isLessThan(OBJECTS);
      store(fixture, "http://off/" + i);
    }
    assertThat(fixture.stats().reason()).contains("Input/output error");
  }

  /** Stores, or fails to, without any removal. */
  private static void store(DiskFixture fixture, String url) {
    long writes = writes(fixture);
    fixture.store.fill(url, bytes(250_000));
    DiskFixture.await(
        () -> writes(fixture) > writes || fixture.stats().state() != DiskStats.State.READY);
  }

  @Test
  void keepsItsContentWhereNothingWasRemovedWhileItWasOff() throws IOException {
    try (DiskFixture fixture = openFaulty()) {
      fill(fixture, 0, OBJECTS);
      turnOff(fixture);
    }
    try (DiskFixture fixture = new DiskFixture(both())) {
      assertThat(found(fixture)).isEqualTo(OBJECTS);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void purgedWhileOneWasOffDoesNotComeBackFromIt(boolean withTheOther) throws IOException {
    long inOther;
    try (DiskFixture fixture = openFaulty()) {
      fill(fixture, 0, OBJECTS);
      inOther = fixture.store.store.diskStats().get(1).objects();
      turnOff(fixture);
      assertThat(fixture.purge("http://nobody/")).as("confirmed").isZero();
    }
    try (DiskFixture fixture = new DiskFixture(withTheOther ? both() : one())) {
      assertThat(found(fixture)).isEqualTo(withTheOther ? (int) inOther : 0);
    }
  }

  @Test
  void purgedWhileOneWasRemovedDoesNotComeBackWithIt() throws IOException {
    int inOther;
    try (DiskFixture fixture = new DiskFixture(both())) {
      fill(fixture, 0, OBJECTS);
      inOther = (int) fixture.store.store.diskStats().get(1).objects();
      Files.move(temp.resolve("one"), temp.resolve("away"));
      fixture.store.store.tick();
      fixture.settle();
      assertThat(fixture.purge("http://nobody/")).as("confirmed: the other knows").isZero();
    }
    Files.move(temp.resolve("away"), temp.resolve("one"));
    try (DiskFixture fixture = new DiskFixture(both())) {
      assertThat(found(fixture)).isEqualTo(inOther);
    }
  }
}
