package io.loligo.store.disk.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
  void keepsWhatIsThere() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "here");
    Preallocation.allocate(file, BYTES);
    assertThat(Files.size(file)).isEqualTo(BYTES);
    assertThat(Files.readAllBytes(file)).startsWith('h', 'e', 'r', 'e', 0);
    Preallocation.allocate(file, 10);
    assertThat(Files.size(file)).isEqualTo(BYTES);
  }

  @Test
  void saysWhatIsMissing() throws IOException {
    Path file = directory.resolve("file");
    long tooMuch = Files.getFileStore(directory).getUsableSpace() + (1L << 40);
    assertThatIOException()
        .isThrownBy(() -> Preallocation.allocate(file, tooMuch))
        .withMessageMatching(
            "no space for .*: " + tooMuch + " octets are needed and \\d+ are missing.*");
    assertThat(file).doesNotExist();
    Files.writeString(file, "here");
    assertThatIOException().isThrownBy(() -> Preallocation.allocate(file, tooMuch));
    assertThat(file).hasContent("here");
  }

  private static long blocks(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    return Long.parseLong(new String(stat.getInputStream().readAllBytes(), UTF_8).strip());
  }
}
