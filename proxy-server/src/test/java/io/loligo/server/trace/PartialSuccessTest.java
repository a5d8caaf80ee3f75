package io.loligo.server.trace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartialSuccessTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "not JSON",
        "{\"partialSuccess\":{}}",
        "{\"partialSuccess\":null}",
        "{\"partialSuccess\":{\"rejectedSpans\":\"0\",\"errorMessage\":\"\"}}",
        "{\"rejectedSpans\":7}",
      })
  void everythingWasTaken(String json) {
    assertThat(PartialSuccess.of(json)).isNull();
  }

  @Test
  void readsBothFormsOfTheNumber() {
    assertThat(PartialSuccess.of("{\"partialSuccess\": {\"rejectedSpans\" : \"12\"}}"))
        .isEqualTo(new PartialSuccess(12, ""));
    assertThat(
            PartialSuccess.of(
                "{\"partialSuccess\":\n{\"errorMessage\": \"a b\", \"rejectedSpans\": 3}}"))
        .isEqualTo(new PartialSuccess(3, "a b"));
  }

  @Test
  void aWarningHasNoNumber() {
    assertThat(PartialSuccess.of("{\"partialSuccess\":{\"errorMessage\":\"slow down\"}}"))
        .isEqualTo(new PartialSuccess(0, "slow down"));
  }

  /** The message is for one line of a log, and cannot pretend to be another member. */
  @Test
  void theMessageKeepsItsEscapes() {
    assertThat(
            PartialSuccess.of(
                "{\"partialSuccess\":{\"errorMessage\":\"a\\n\\\"rejectedSpans\\\":9 \\\\\"}}"))
        .isEqualTo(new PartialSuccess(0, "a\\n\\\"rejectedSpans\\\":9 \\\\"));
    assertThat(PartialSuccess.of("{\"partialSuccess\":{\"errorMessage\":\"a\nb\"}}")).isNull();
  }

  @Test
  void aLongMessageIsCut() {
    String json = "{\"partialSuccess\":{\"errorMessage\":\"" + "x".repeat(1_000) + "\"}}";
    assertThat(PartialSuccess.of(json)).isEqualTo(new PartialSuccess(0, "x".repeat(200)));
  }
}
