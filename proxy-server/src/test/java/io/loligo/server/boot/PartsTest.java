package io.loligo.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

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
      public void close() {
        calls.add("close " + name);
      }
    };
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
