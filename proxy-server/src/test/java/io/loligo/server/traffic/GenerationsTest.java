package io.loligo.server.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GenerationsTest {
  private static final long LENGTH = 300_000;

  private final Generations<StringBuilder> both =
      new Generations<>(
          new StringBuilder(),
          new StringBuilder(),
          text -> text.setLength(0),
          LENGTH,
          /* nowMillis= */ 1_000_000);

  private void at(long millis, String text) {
    both.at(1_000_000 + millis).append(text);
  }

  private String all() {
    return both.both().get(0) + "|" + both.both().get(1);
  }

  @Test
  void forgetsWhatIsTwoGenerationsOld() {
    at(0, "a");
    at(LENGTH - 1, "b");
    assertThat(all()).isEqualTo("ab|");
    at(LENGTH, "c");
    assertThat(all()).isEqualTo("c|ab");
    assertThat(both.sinceMillis()).isEqualTo(1_000_000);
    at(2 * LENGTH, "d");
    assertThat(all()).isEqualTo("d|c");
    assertThat(both.sinceMillis()).isEqualTo(1_000_000 + LENGTH);
  }

  @Test
  void forgetsEverythingAfterALongPause() {
    at(0, "a");
    at(2 * LENGTH, "b");
    assertThat(all()).isEqualTo("b|");
    assertThat(both.sinceMillis()).isEqualTo(1_000_000 + 2 * LENGTH);
  }

  @Test
  void aClockThatIsSetBackForgetsNothing() {
    at(10, "a");
    at(-5_000, "b");
    at(-4_000, "c");
    assertThat(all()).isEqualTo("abc|");
    assertThat(both.sinceMillis()).isEqualTo(1_000_000 - 5_000);
    at(LENGTH - 5_000, "d");
    assertThat(all()).isEqualTo("d|abc");
  }
}
