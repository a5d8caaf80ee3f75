package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigResult;
import io.loligo.server.admin.Reloaded;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReloaderTest {
  private static final ConfigResult READ =
      Features.reader(new FileConfigSource())
          .readText("test.conf", "http_port 3128\nhttp_access allow all\n");

  @Test
  void appliesTheConfigurationItReads() throws Exception {
    try (Reloader reloader =
        new Reloader(() -> READ, config -> Reloaded.done(List.of(), List.of()))) {
      assertThat(reloader.reload().get(30, TimeUnit.SECONDS).done()).isTrue();
      assertThat(reloader.reloads()).isEqualTo(1);
    }
  }

  /** A signal may come while the process ends: its caller gets an answer and does not wait. */
  @Test
  void answersCallersAfterTheEnd() throws Exception {
    Reloader reloader = new Reloader(() -> READ, config -> Reloaded.done(List.of(), List.of()));
    reloader.close();
    for (int i = 0; i < 2; i++) {
      Reloaded reloaded = reloader.reload().get(30, TimeUnit.SECONDS);
      assertThat(reloaded.done()).isFalse();
      assertThat(reloaded.lines()).containsExactly("it is stopping");
    }
  }
}
