package io.loligo.store.disk;

import static io.loligo.store.StoreFixture.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
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

/** Reads that never wait for a disk. Linux only, as CI is. */
final class PageCacheFileTest {
  private static final byte[] CONTENT = octets(10_000);

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
    assertThat(file.read(1_234, into, 5_000)).isTrue();
    assertThat(ByteBufUtil.getBytes(into)).isEqualTo(Arrays.copyOfRange(CONTENT, 1_234, 6_234));
    file.close();
  }

  @Test
  void readsNothingBeyondTheEnd() {
    assertThat(file.read(9_000, into, 1_001)).isFalse();
    file.close();
  }

  @Test
  void readsNothingWhenClosed() {
    file.close();
    assertThat(file.read(0, into, 1)).isFalse();
  }

  /** A time of access is written through the journal of the file system, which may hang. */
  @Test
  void leavesTheTimeOfAccess() throws IOException {
    FileTime longAgo = FileTime.from(Instant.parse("2001-02-03T04:05:06Z"));
    Files.setAttribute(path, "lastAccessTime", longAgo);
    assertThat(file.read(0, into, CONTENT.length)).isTrue();
    assertThat(Files.readAttributes(path, BasicFileAttributes.class).lastAccessTime())
        .isEqualTo(longAgo);
    file.close();
  }
}
