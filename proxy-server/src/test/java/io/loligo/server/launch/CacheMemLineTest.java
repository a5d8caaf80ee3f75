package io.loligo.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CacheMemLineTest {
  @ParameterizedTest
  @CsvSource({
    "cache_mem 8 MB, 8388608",
    "cache_mem 1.5 GB # small, 1610612736",
    "cache_mem 4 KB, 4096",
    "cache_mem 17, 17",
    "http_port 3128, -1",
    "# cache_mem 8 GB, -1"
  })
  void readsALine(String line, long bytes) {
    assertThat(CacheMemLine.bytes(List.of("", "http_port 3128", line))).isEqualTo(bytes);
  }

  @Test
  void takesTheLargestOfSeveral() {
    assertThat(CacheMemLine.bytes(List.of("cache_mem 8 MB", "cache_mem 4 MB"))).isEqualTo(8L << 20);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "include /etc/loligo/*.conf",
        "if ${process_number} = 1",
        "cache_mem ${size} MB",
        "cache_mem 1.2.3 MB",
        "cache_mem 8 TB"
      })
  void doesNotGuess(String line) {
    assertThat(CacheMemLine.bytes(List.of("cache_mem 8 MB", line))).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void doesNotGuessWithoutAFile() {
    assertThat(CacheMemLine.bytes(Path.of("/absent/file"))).isEqualTo(Long.MAX_VALUE);
  }
}
