package io.loligo.store.disk.medium;

import static io.loligo.store.StoreFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.store.disk.DiskFixture;
import io.loligo.store.packing.PackedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads that never wait for a disk. Linux 6.5 or later, as CI is. */
final class PageCacheFileTest {
  private static final byte[] CONTENT = bytes(10_000);
  private static final int BLOCK = 64 << 10;

  @TempDir Path temp;
  private Path path;
  private PageCacheFile file;
  private final ByteBuf into = Unpooled.directBuffer(CONTENT.length);

  @BeforeEach
  void open() throws IOException {
    path = Files.write(temp.resolve("slabs"), CONTENT);
    file = PageCacheFile.open(path.toString());
    assertThat(file).isNotNull();
  }

  @AfterEach
  void release() {
    into.release();
  }

  @Test
  void readsFromAnyPosition() {
    assertThat(file.readNow(1_234, into, 5_000)).isTrue();
    assertThat(ByteBufUtil.getBytes(into)).isEqualTo(Arrays.copyOfRange(CONTENT, 1_234, 6_234));
    file.close();
  }

  /** Blocks of the cache are parts of a chunk; the system writes to the address of each. */
  @Test
  void readsIntoABlockOfAChunk() {
    UnpooledByteBufAllocator chunks = new UnpooledByteBufAllocator(true);
    PackedAllocator packed = new PackedAllocator(chunks);
    ByteBuf before = packed.directBuffer(5_000, 5_000).writeZero(5_000);
    ByteBuf block = packed.directBuffer(5_000, 5_000);
    ByteBuf behind = packed.directBuffer(5_000, 5_000).writeZero(5_000);
    assertThat(file.readNow(1_234, block, 5_000)).isTrue();
    assertThat(ByteBufUtil.getBytes(block)).isEqualTo(Arrays.copyOfRange(CONTENT, 1_234, 6_234));
    assertThat(ByteBufUtil.getBytes(before)).containsOnly(0);
    assertThat(ByteBufUtil.getBytes(behind)).containsOnly(0);
    before.release();
    block.release();
    behind.release();
    file.close();
  }

  @Test
  void readsNothingBeyondTheEnd() {
    assertThat(file.readNow(9_000, into, 1_001)).isFalse();
    file.close();
  }

  @Test
  void readsNothingWhenClosed() {
    file.close();
    assertThat(file.readNow(0, into, 1)).isFalse();
  }

  /** The system would begin to read the page, and may wait for that. */
  @Test
  void neverBeginsToReadFromTheDisk() throws Exception {
    drop(path);
    for (int i = 0; i < 10_000; i++) {
      assertThat(file.readNow(0, into, 5_000)).as("read %d", i).isFalse();
    }
    file.close();
  }

  @Test
  void waitsForTheDiskWhereItMay() throws Exception {
    drop(path);
    assertThat(file.read(1_234, into, 5_000)).isTrue();
    assertThat(ByteBufUtil.getBytes(into)).isEqualTo(Arrays.copyOfRange(CONTENT, 1_234, 6_234));
    assertThat(file.readNow(1_234, into, 5_000)).isTrue();
    file.close();
  }

  /** A page that was read ahead is marked: a read of it reads ahead further, and may wait. */
  @Test
  void readsOnlyRequestedOrExpectedPages() throws Exception {
    Path large = Files.write(temp.resolve("large"), bytes(4 << 20));
    drop(large);
    ByteBuf block = Unpooled.directBuffer(BLOCK);
    try (SlabFile slab = new SlabFile(large)) {
      slab.prepare();
      for (int i = 0; i < 4; i++) {
        slab.read((long) i * BLOCK, block, BLOCK);
      }
      for (int i = 0; i < 10_000; i++) {
        assertThat(slab.readNow(4L * BLOCK, block, BLOCK)).as("read %d", i).isFalse();
      }
      slab.expect(4L * BLOCK, 2L * BLOCK);
      DiskFixture.await(() -> slab.readNow(4L * BLOCK, block, BLOCK));
      DiskFixture.await(() -> slab.readNow(5L * BLOCK, block, BLOCK));
      assertThat(slab.readNow(6L * BLOCK, block, BLOCK)).isFalse();
    } finally {
      block.release();
    }
  }

  /** Takes {@code path} out of the page cache. */
  private static void drop(Path path) throws IOException, InterruptedException {
    Process drop =
        new ProcessBuilder("dd", "of=" + path, "oflag=nocache", "conv=notrunc,fdatasync", "count=0")
            .redirectErrorStream(true)
            .start();
    drop.getInputStream().readAllBytes();
    assertThat(drop.waitFor()).isZero();
  }

  /** A time of access is written through the journal of the file system, which may hang. */
  @Test
  void leavesTheTimeOfAccess() throws IOException {
    FileTime longAgo = FileTime.from(Instant.parse("2001-02-03T04:05:06Z"));
    Files.setAttribute(path, "lastAccessTime", longAgo);
    assertThat(file.readNow(0, into, CONTENT.length)).isTrue();
    assertThat(Files.readAttributes(path, BasicFileAttributes.class).lastAccessTime())
        .isEqualTo(longAgo);
    file.close();
  }
}
