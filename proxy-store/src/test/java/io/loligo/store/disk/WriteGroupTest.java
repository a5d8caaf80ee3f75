package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.dir;
import static io.loligo.store.StoreFixture.disk;
import static io.loligo.store.StoreFixture.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.store.StoreFixture;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Small responses that wait together are written together, and are each on its own else. */
final class WriteGroupTest {
  private static final int OBJECTS = 500;
  private static final byte[] CONTENT = octets(2_000);

  @TempDir Path temp;

  private final Recording[] slab = new Recording[1];
  private final ManualMedium medium =
      new ManualMedium(
          file -> {
            slab[0] = new Recording(file);
            return slab[0];
          });

  /** Slabs that tell what is written. */
  private static final class Recording implements Slab {
    private final FaultySlab file;

    /** Keys in each write of first blocks. */
    final List<List<String>> writes = new ArrayList<>();

    private int segments;
    private int hookAt = -1;
    private Runnable hook;

    Recording(Path path) throws IOException {
      file = new FaultySlab(path);
    }

    /** Runs {@code what} when the {@code nth} segment from now on is opened. */
    void atSegment(int nth, Runnable what) {
      hookAt = segments + nth;
      hook = what;
    }

    @Override
    public void read(long position, ByteBuf into, int length) throws IOException {
      file.read(position, into, length);
    }

    @Override
    public void write(long position, ByteBuf from) throws IOException {
      List<String> keys = keys(from);
      if (!keys.isEmpty()) {
        writes.add(keys);
      } else if (from.readableBytes() == Block.ALIGNMENT && from.getInt(0) != 0) {
        segments++;
        if (segments == hookAt) {
          hook.run();
        }
      }
      file.write(position, from);
    }

    private static List<String> keys(ByteBuf octets) {
      List<String> keys = new ArrayList<>();
      for (int at = 0; at < octets.readableBytes(); at += Block.ALIGNMENT) {
        ByteBuf block = octets.slice(at, octets.readableBytes() - at);
        if (Block.isWhole(block, Block.FIRST)) {
          keys.add(FirstBlock.key(block).toString());
        }
      }
      return keys;
    }

    @Override
    public void force() throws IOException {
      file.force();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  private StoreFixture open() throws IOException {
    ProxyConfig.Disk here = disk(dir(temp.resolve("cache"), 16 << 20));
    StoreFixture opened =
        new StoreFixture(
            16 << 20,
            (allocator, transit, memory) ->
                DiskTier.claim(here, allocator, transit, memory, medium));
    medium.run();
    assertThat(opened.store.opened()).isDone();
    return opened;
  }

  private static String url(int number) {
    return "http://group/" + number;
  }

  private static void fill(StoreFixture store) {
    for (int i = 0; i < OBJECTS; i++) {
      store.fill(url(i), CONTENT);
    }
  }

  @Test
  void smallOnesAreWrittenTogether() throws IOException {
    try (StoreFixture store = open()) {
      fill(store);
      medium.run();
      assertThat(store.store.diskStats().get(0).objects()).isEqualTo(OBJECTS);
      assertThat(slab[0].writes).hasSizeLessThan(OBJECTS / 15);
      assertThat(slab[0].writes.stream().mapToInt(List::size).sum()).isEqualTo(OBJECTS);
    }
    try (DiskFixture again = new DiskFixture(disk(dir(temp.resolve("cache"), 16 << 20)))) {
      for (int i = 0; i < OBJECTS; i++) {
        assertThat(again.load(url(i)).content()).isEqualTo(CONTENT);
      }
    }
  }

  /** Nobody waits for a write that began later than the removal it is not wanted for. */
  @Test
  void whatIsRemovedWhileItWaitsInTheGroupIsNotWritten() throws IOException {
    try (StoreFixture store = open()) {
      Set<String> written = new HashSet<>();
      slab[0].atSegment(
          2,
          () -> {
            slab[0].writes.forEach(written::addAll);
            slab[0].writes.clear();
            for (int i = 0; i < OBJECTS; i += 2) {
              store.store.remove(StoreFixture.key(url(i)));
            }
          });
      fill(store);
      medium.run();
      assertThat(written).isNotEmpty();
      Set<String> later = new HashSet<>();
      slab[0].writes.forEach(later::addAll);
      for (int i = 0; i < OBJECTS; i++) {
        boolean wanted = i % 2 == 1 && !written.contains(url(i));
        assertThat(later.contains(url(i))).as(url(i)).isEqualTo(wanted);
      }
      assertThat(slab[0].writes.get(0)).as("with others").hasSizeGreaterThan(1);
      assertThat(store.store.diskStats().get(0).objects()).isEqualTo(OBJECTS / 2);
    }
  }

  @Test
  void whereTheDiskFailsNoneIsStored() throws IOException {
    try (StoreFixture store = open()) {
      fill(store);
      slab[0].file.failWrites();
      medium.run();
      DiskStats stats = store.store.diskStats().get(0);
      assertThat(stats.state()).isEqualTo(DiskStats.State.OFF);
      assertThat(stats.writes()).isZero();
    } // every response is released
  }

  /** What took its place is written in the same group. */
  @Test
  void theLastOfAUrlStays() throws IOException {
    try (StoreFixture store = open()) {
      for (int i = 0; i < 20; i++) {
        store.fill(url(i % 2), octets(1_000 + i));
      }
      medium.run();
      assertThat(store.store.diskStats().get(0).objects()).isEqualTo(2);
    }
    try (DiskFixture again = new DiskFixture(disk(dir(temp.resolve("cache"), 16 << 20)))) {
      assertThat(again.load(url(0)).content()).isEqualTo(octets(1_018));
      assertThat(again.load(url(1)).content()).isEqualTo(octets(1_019));
    }
  }
}
