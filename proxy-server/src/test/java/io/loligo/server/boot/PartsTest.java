package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartsTest {
  private final List<String> calls = new ArrayList<>();
  private final Parts parts = new Parts();

  private Part named(String name) {
    return new Part() {
      @Override
      public void open() {
        calls.add("open " + name);
      }

      @Override
      public void reconfigured(ProxyConfig before, ProxyConfig now) {
        calls.add("reconfigured " + name);
      }

      @Override
      public void close() {
        calls.add("close " + name);
      }
    };
  }

  /** Their configuration is in force: there is no way back. */
  @Test
  void tellsAllOfAnotherConfigurationAlthoughOneFails() {
    ProxyConfig config =
        Features.reader(new FileConfigSource()).readText("test", "http_port 0\n").config();
    parts.add(named("first"));
    parts.add(
        new Part() {
          @Override
          public void reconfigured(ProxyConfig before, ProxyConfig now) {
            throw new IllegalStateException("it does not change");
          }
        });
    parts.add(named("last"));
    parts.reconfigured(config, config);
    assertThat(calls).containsExactly("reconfigured first", "reconfigured last");
  }

  @Test
  void aStepThatFailsIsNotTheEndOfAChange() {
    ConfigChange.finish(
        "the step",
        () -> {
          throw new IllegalStateException("it does not change");
        });
    ConfigChange.finish("the step", () -> calls.add("done"));
    assertThat(calls).containsExactly("done");
  }

  @Test
  void opensInOrderAndClosesInTheReverseOrder() {
    parts.add(named("first"));
    parts.addEnd(() -> calls.add("end"));
    parts.add(named("last"));
    parts.open();
    parts.close();
    assertThat(calls)
        .containsExactly("open first", "open last", "close last", "end", "close first");
  }

  @Test
  void closesAllAlthoughOneFails() {
    parts.add(named("first"));
    parts.addEnd(
        () -> {
          throw new IllegalStateException("it does not end");
        });
    parts.add(named("last"));
    parts.close();
    assertThat(calls).containsExactly("close last", "close first");
  }
}
