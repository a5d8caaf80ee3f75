package io.loligo.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CNumberTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "10, 10",
    "0x10, 16",
    "0XfF, 255",
    "010, 8",
    "255, 255",
    "256, -1",
    "0x100, -1",
    "'', -1",
    "-1, -1",
    "+1, -1",
    "#10, -1",
    "08, -1",
    "0x, -1",
    "1x, -1",
    "' 1', -1",
    "x, -1",
    "99999999999999999999, -1",
    "\u0661, -1"
  })
  void readsNumbersUpToTheMost(String text, long number) {
    assertThat(CNumber.of(text, 255)).isEqualTo(number);
  }
}
