package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.meta;
import static io.loligo.store.StoreFixture.noFields;
import static io.loligo.store.StoreFixture.probe;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.StoreFixture;
import io.loligo.store.disk.medium.Slab;
import io.loligo.store.disk.medium.SystemMedium;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.memory.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Responses that memory stored while a directory was being opened are written to it afterwards. */
final class CatchUpTest {
  private static final int OBJECTS = 60;
  private static final long WRITE_QUEUE_BYTES = 256 << 10;

  @TempDir Path temp;

  private final CountDownLatch opens = new CountDownLatch(1);
  private FaultySlab slab;
  private DiskFixture fixture;

  @BeforeEach
  void begin() throws IOException {
    DiskSettings here =
        DiskSettings.with(List.of(dir(temp.resolve("cache"), 16 << 20)))
            .writeQueueBytes(WRITE_QUEUE_BYTES)
            .build();
    fixture =
        new DiskFixture(
            new StoreFixture(
                16 << 20,
                (allocator, transit, memory) ->
                    DiskTier.claim(
                        here, allocator, transit, memory, new SystemMedium(this::slab))));
    for (int i = 0; i < OBJECTS; i++) {
      fixture.store.fill(url(i), content(i));
    }
  }

  private Slab slab(Path file) throws IOException {
    try {
      opens.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    slab = new FaultySlab(file);
    return slab;
  }

  private void open() {
    opens.countDown();
    fixture.store.store.opened().join();
    assertThat(fixture.stats().state()).isEqualTo(DiskStats.State.READY);
    assertThat(fixture.stats().objects()).isZero();
  }

  @AfterEach
  void close() {
    opens.countDown();
    fixture.store.store.opened().join();
    slab.resume();
    fixture.close();
  }

  private static String url(int number) {
    return "http://late/" + number;
  }

  private static byte[] content(int number) {
    return bytes(20_000 + number);
  }

  private void catchUp() {
    int steps = 0;
    while (fixture.stats().objects() < OBJECTS) {
      assertThat(steps++).as("steps").isLessThan(OBJECTS);
      fixture.store.store.tick();
      fixture.settle();
    }
  }

  @Test
  void writesAllOfItAndItIsThereAfterARestart() throws IOException {
    open();
    catchUp();
    for (int i = 0; i < OBJECTS; i++) {
      assertThat(fixture.load(url(i)).content()).isEqualTo(content(i));
    }
    assertThat(fixture.stats().writes()).isEqualTo(OBJECTS);
    fixture.store.store.tick();
    fixture.settle();
    assertThat(fixture.stats().writes()).as("once").isEqualTo(OBJECTS);
  }

  @Test
  void leavesRoomInTheQueueForArrivingResponses() {
    open();
    slab.stall();
    for (int i = 0; i < 20; i++) {
      fixture.store.store.tick();
    }
    assertThat(fixture.stats().queuedBytes()).isLessThan(WRITE_QUEUE_BYTES / 4 + 30_000);
    fixture.store.fill("http://new/", bytes(30_000));
    assertThat(fixture.stats().skippedQueueFull()).isZero();
    slab.resume();
    fixture.settle();
    assertThat(fixture.load("http://new/").outcome()).isEqualTo(LoadOutcome.FOUND);
    catchUp();
  }

  @Test
  void doesNotReplaceANewerResponse() {
    open();
    byte[] newer = bytes(3000);
    fixture.put(url(0), newer);
    catchUp();
    assertThat(fixture.load(url(0)).content()).isEqualTo(newer);
  }

  @Test
  void doesNotBringBackAResponseRemovedWhileItWaits() {
    open();
    slab.stall();
    fixture.store.store.tick(); // some of it is in a buffer now
    for (int i = 0; i < OBJECTS; i++) {
      fixture.store.store.remove(StoreFixture.key(url(i)));
    }
    slab.resume();
    fixture.settle();
    fixture.store.store.tick();
    fixture.settle();
    assertThat(fixture.stats().objects()).isZero();
  }

  @Test
  void leavesCopiesOfOtherNodesInMemory() {
    fixture.store.fill("http://copy/", meta().copied(0, 10), bytes(1000));
    open();
    catchUp();
    fixture.store.store.tick();
    fixture.settle();
    assertThat(fixture.stats().writes()).isEqualTo(OBJECTS);
    assertThat(fixture.load("http://copy/").outcome()).isEqualTo(LoadOutcome.ABSENT);
    assertThat(fixture.store.store.stats().copies()).isEqualTo(1);
  }

  @Test
  void countsNoHit() {
    open();
    catchUp();
    Entry entry = fixture.store.store.find(probe(url(1)), noFields());
    assertThat(entry.hits()).isZero();
    entry.release();
  }
}
