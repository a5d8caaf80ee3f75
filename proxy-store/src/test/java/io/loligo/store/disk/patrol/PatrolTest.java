package io.loligo.store.disk.patrol;

import static io.loligo.store.StoreFixture.bytes;
import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.disk.DiskFixture;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.disk.DiskTier;
import io.loligo.store.disk.ManualMedium;
import io.loligo.store.disk.SupersedingTest;
import io.loligo.store.disk.medium.Slab;
import io.loligo.store.disk.medium.SlabFile;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.UrlPattern;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rounds of the patrol: their order, their speed, and their result. */
final class PatrolTest {
  private static final int OBJECTS = 60;

  @TempDir Path temp;
  private final AtomicLong nanos = new AtomicLong();
  private final List<Long> reads = new ArrayList<>();
  private final ManualMedium medium = new ManualMedium(Recorder::new);
  private DiskTier tier;

  /** Where it was read from. */
  private final class Recorder implements Slab {
    private final SlabFile file;

    Recorder(Path path) throws IOException {
      file = new SlabFile(path);
    }

    @Override
    public void read(long position, ByteBuf into, int length) throws IOException {
      reads.add(position);
      file.read(position, into, length);
    }

    @Override
    public void write(long position, ByteBuf from) throws IOException {
      file.write(position, from);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  private Path here() {
    return temp.resolve("cache");
  }

  private DiskSettings config() {
    return disk(dir(here(), 16 << 20));
  }

  private static String url(int number) {
    return "http://patrol/" + number;
  }

  /** Stores {@code count} responses of {@code bytes}, in the order of their numbers. */
  private void store(int count, int bytes) throws IOException {
    try (DiskFixture fixture = new DiskFixture(config())) {
      for (int i = 0; i < count; i++) {
        fixture.store.fill(url(i), bytes(bytes));
      }
      fixture.settle();
      assertThat(fixture.stats().objects()).isEqualTo(count);
    }
  }

  /**
   * {@code then} on a directory that is open, on a clock that goes on by {@code look} each time.
   */
  private void patrol(long look, Runnable then) throws IOException {
    medium.clock = () -> nanos.addAndGet(look);
    try (DiskTier open =
        DiskTier.claim(
            config(),
            PooledByteBufAllocator.DEFAULT,
            new MemoryLedger(1 << 20),
            SupersedingTest.NOBODY,
            medium)) {
      tier = open;
      tier.open();
      medium.run();
      assertThat(stats().state()).isEqualTo(DiskStats.State.READY);
      reads.clear();
      then.run();
    }
  }

  private DiskStats stats() {
    return tier.stats().get(0);
  }

  private void step() {
    tier.tick();
    medium.run();
  }

  private int step(int count) {
    long before = stats().scrubbedBlocks();
    for (int i = 0; i < count; i++) {
      step();
    }
    return (int) (stats().scrubbedBlocks() - before);
  }

  // Order and pace

  @Test
  void readsStoredResponsesInOrderAndRepeatedly() throws IOException {
    store(OBJECTS, 9000);
    patrol(
        1,
        () -> {
          while (reads.size() < 2 * OBJECTS) {
            assertThat(step(1)).as("a six hundredth of it").isLessThanOrEqualTo(1);
          }
          List<Long> first = reads.subList(0, OBJECTS);
          assertThat(first).isSorted().doesNotHaveDuplicates();
          assertThat(first.get(OBJECTS - 1) - first.get(0)).isGreaterThan(OBJECTS * 9000L);
          assertThat(reads.subList(OBJECTS, 2 * OBJECTS)).isEqualTo(first);
          assertThat(stats().objects()).isEqualTo(OBJECTS);
          assertThat(stats().damaged()).isZero();
        });
  }

  @Test
  void readsASixHundredthInAStepAndEndsItWithItsTime() throws IOException {
    store(1800, 10);
    patrol(1, () -> assertThat(step(10)).isBetween(30, 50));
    patrol(Patrol.VERIFY_NANOS / 3 + 1, () -> assertThat(step(10)).isBetween(20, 30));
    patrol(Patrol.VERIFY_NANOS, () -> assertThat(step(10)).isEqualTo(10));
  }

  @Test
  void readsALargeResponseToItsEnd() throws IOException {
    store(2, 500_000);
    int blocks = 2 * (1 + 7);
    patrol(
        1,
        () -> {
          assertThat(step(2)).isEqualTo(blocks);
          assertThat(reads.stream().distinct().count()).as("all blocks").isEqualTo(blocks);
          assertThat(stats().objects()).isEqualTo(2);
        });
  }

  @Test
  void aDirectoryWithNothingInItIsDoneWith() throws IOException {
    patrol(
        1,
        () -> {
          assertThat(step(3)).isZero();
          assertThat(reads).isEmpty();
        });
  }

  // Damage

  private void flip(long at) throws IOException {
    try (FileChannel slabs =
        FileChannel.open(
            here().resolve("slabs"), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      slabs.read(one, at);
      slabs.write(one.put(0, (byte) ~one.get(0)).rewind(), at);
    }
  }

  /** Where {@code bytes} begin. */
  private long find(byte[] bytes, int from) throws IOException {
    byte[] slabs = Files.readAllBytes(here().resolve("slabs"));
    for (int at = 0; at < slabs.length - 16; at++) {
      if (slabs[at] == bytes[from] && Arrays.equals(slabs, at, at + 16, bytes, from, from + 16)) {
        return at;
      }
    }
    throw new AssertionError("not there");
  }

  @Test
  void findsADamagedFirstBlockBeforeAClientAsks() throws IOException {
    store(OBJECTS, 1000);
    flip(find(bytes(1000), 500)); // the first of them
    patrol(
        1,
        () -> {
          step(OBJECTS + 20);
          assertThat(stats().damaged()).isOne();
          assertThat(stats().objects()).isEqualTo(OBJECTS - 1);
          assertThat(tier.mayHold(key(url(0)))).isFalse();
          assertThat(tier.mayHold(key(url(1)))).isTrue();
        });
    patrol(1, () -> assertThat(tier.mayHold(key(url(0)))).as("after a start").isFalse());
  }

  @Test
  void findsADamagedFurtherBlock() throws IOException {
    store(1, 300_000);
    flip(find(bytes(300_000), 250_000));
    patrol(
        1,
        () -> {
          step(3);
          assertThat(stats().damaged()).isOne();
          assertThat(stats().objects()).isZero();
        });
  }

  // Patterns

  private static Ban ban(String regex) {
    return new Ban(Long.MAX_VALUE >> 16, UrlPattern.of("patrol", regex));
  }

  private void ban(Ban ban) {
    tier.ban(ban, done -> {});
    medium.run();
  }

  /** Steps until nothing is stored under number {@code number}. */
  private int stepsUntilGone(int number) {
    int steps = 0;
    while (tier.mayHold(key(url(number)))) {
      step();
      assertThat(steps++).isLessThan(100);
    }
    return steps;
  }

  /** Responses that are compared in a step. */
  private static final int STEP = 10;

  @Test
  void hurriesForAPatternAndOneThatComesJoins() throws IOException {
    store(OBJECTS, 1000);
    patrol(
        Patrol.BAN_NANOS / STEP,
        () -> {
          Ban first = ban("/(5|59)$");
          Ban second = ban("/2$");
          ban(first);
          assertThat(step(1)).as("a step").isBetween(STEP - 3, STEP);
          step(2);
          assertThat(tier.mayHold(key(url(5)))).isFalse();
          assertThat(tier.mayHold(key(url(59)))).isTrue();
          ban(second);
          assertThat(stepsUntilGone(59)).as("nothing is begun anew").isLessThanOrEqualTo(4);
          assertThat(stepsUntilGone(2)).isLessThanOrEqualTo(7);
          assertThat(stats().objects()).isEqualTo(OBJECTS - 3);
          int steps = 0;
          while (tier.isSweeping(first) || tier.isSweeping(second)) {
            step();
            assertThat(steps++).isLessThan(100);
          }
          assertThat(stats().objects()).isEqualTo(OBJECTS - 3);
          assertThat(step(1)).as("it hurries no more").isLessThanOrEqualTo(1);
        });
  }

  @Test
  void aPatternIsNotForgottenBeforeAllWasComparedWithIt() throws IOException {
    store(OBJECTS, 1000);
    patrol(
        Patrol.BAN_NANOS / STEP,
        () -> {
          Ban ban = ban("/nothing$");
          ban(ban);
          int compared = 0;
          while (tier.isSweeping(ban)) {
            compared += step(1);
            assertThat(compared).isLessThan(3 * OBJECTS);
          }
          assertThat(compared).isGreaterThanOrEqualTo(OBJECTS);
          assertThat(stats().objects()).isEqualTo(OBJECTS);
        });
  }

  /** A pattern is compared with the key: further blocks are not read for it. */
  @Test
  void readsNoFurtherBlocksForAPattern() throws IOException {
    store(3, 300_000);
    patrol(
        1,
        () -> {
          ban(ban("/nothing$"));
          step();
          assertThat(reads.stream().distinct().count()).isEqualTo(3);
        });
  }
}
