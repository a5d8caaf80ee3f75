package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class HistoryPlaceTest {
  private static Path of(String... lines) {
    ProxyConfig config =
        Features.reader(new FileConfigSource())
            .readText("test", "http_port 0\n" + String.join("\n", lines) + "\n")
            .config();
    return HistoryPlace.of(config);
  }

  @Test
  void isBesideTheFirstLogThatIsAFile() {
    assertThat(of("cache_log /l/cache.log").getParent()).isEqualTo(Path.of("/l"));
    assertThat(of("cache_log none", "access_log stdio:/a/access.log").getParent())
        .isEqualTo(Path.of("/a"));
    assertThat(of("cache_log /dev/stderr", "access_log stdio:/a/access.log").getParent())
        .as("not in /dev")
        .isEqualTo(Path.of("/a"));
  }

  @Test
  void isNowhereWithoutAFile() {
    assertThat(of("cache_log none", "access_log none")).isNull();
    assertThat(of("cache_log none", "access_log stdio:/dev/stdout")).isNull();
    assertThat(of("cache_log /l/cache.log", "loligo_history off")).isNull();
  }
}
