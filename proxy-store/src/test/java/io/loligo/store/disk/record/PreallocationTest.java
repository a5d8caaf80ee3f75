package io.loligo.store.disk.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import jnr.constants.platform.Errno;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PreallocationTest {
  private static final long BYTES = 5_000_000;

  @TempDir Path directory;

  @Test
  void takesTheSpace() throws Exception {
    Path file = directory.resolve("file");
    Preallocation.allocate(file, BYTES);
    assertThat(Files.size(file)).isEqualTo(BYTES);
    assertThat(blocks(file) * 512).isGreaterThanOrEqualTo(BYTES);
  }

  @Test
  void keepsExistingContent() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "here");
    Preallocation.allocate(file, BYTES);
    assertThat(Files.size(file)).isEqualTo(BYTES);
    assertThat(Files.readAllBytes(file)).startsWith('h', 'e', 'r', 'e', 0);
    Preallocation.allocate(file, 10);
    assertThat(Files.size(file)).isEqualTo(BYTES);
  }

  @Test
  void namesTheMissingBytes() throws IOException {
    Path file = directory.resolve("file");
    long tooMuch = Files.getFileStore(directory).getUsableSpace() + (1L << 40);
    assertThatIOException()
        .isThrownBy(() -> Preallocation.allocate(file, tooMuch))
        .withMessageMatching(
            "no space for .*: " + tooMuch + " bytes are needed and \\d+ are missing.*");
    assertThat(file).doesNotExist();
    Files.writeString(file, "here");
    assertThatIOException().isThrownBy(() -> Preallocation.allocate(file, tooMuch));
    assertThat(file).hasContent("here");
  }

  @ParameterizedTest
  @EnumSource(
      value = Errno.class,
      names = {"ENOSPC", "EIO", "EDQUOT", "EFBIG", "EROFS", "EBADF"})
  void reportsTheErrorOfTheSystem(Errno error) throws IOException {
    Path file = directory.resolve("file");
    assertThatIOException()
        .isThrownBy(() -> Preallocation.allocate(file, BYTES, (path, bytes) -> error.intValue()))
        .withMessageContainingAll(file.toString(), error.name(), BYTES + " bytes");
    assertThat(file).doesNotExist();
    Files.writeString(file, "here");
    assertThatIOException()
        .isThrownBy(() -> Preallocation.allocate(file, BYTES, (path, bytes) -> error.intValue()));
    assertThat(file).hasContent("here");
  }

  @ParameterizedTest
  @EnumSource(
      value = Errno.class,
      names = {"ENOSYS", "EOPNOTSUPP"})
  void writesZerosWhereTheFileSystemHasNoSuchCall(Errno error) throws Exception {
    Path file = directory.resolve("file");
    Preallocation.allocate(file, BYTES, (path, bytes) -> error.intValue());
    assertThat(Files.size(file)).isEqualTo(BYTES);
    assertThat(blocks(file) * 512).isGreaterThanOrEqualTo(BYTES);
  }

  @Test
  void writesZerosWhereTheSystemHasNoSuchCall() throws Exception {
    Path file = directory.resolve("file");
    Preallocation.allocate(
        file,
        BYTES,
        (path, bytes) -> {
          throw new UnsatisfiedLinkError("fallocate");
        });
    assertThat(blocks(file) * 512).isGreaterThanOrEqualTo(BYTES);
    Preallocation.allocate(
        file,
        2 * BYTES,
        (path, bytes) -> {
          throw new UnsupportedOperationException("fallocate");
        });
    assertThat(blocks(file) * 512).isGreaterThanOrEqualTo(2 * BYTES);
  }

  @Test
  void triesAgainAfterASignal() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    Path file = Files.createFile(directory.resolve("file"));
    assertThatIOException()
        .isThrownBy(
            () ->
                Preallocation.allocate(
                    file,
                    BYTES,
                    (path, bytes) ->
                        (calls.incrementAndGet() < 3 ? Errno.EINTR : Errno.EIO).intValue()))
        .withMessageContaining("EIO");
    assertThat(calls).hasValue(3);
  }

  @Test
  void hasTheErrorNumberFromTheSystem() {
    Path device = Path.of("/dev/full");
    assumeThat(device).exists();
    assertThatIOException()
        .isThrownBy(() -> Preallocation.allocate(device, 4_096))
        .withMessageContaining("ENODEV");
  }

  private static long blocks(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    return Long.parseLong(new String(stat.getInputStream().readAllBytes(), UTF_8).strip());
  }
}
