package io.loligo.server.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonValueTest {
  @Test
  void readsWhatTheWriterWrites() {
    JsonWriter json = JsonWriter.spaced().beginObject().member("a", "\"\\\n\u00e4");
    json.name("b").beginArray().value(-5).value(1.5).value(true).value((String) null).endArray();
    json.name("c").beginObject().endObject().name("d").beginArray().endArray();
    JsonValue read = JsonValue.parse(json.endObject() + "\n");
    assertThat(read.members().keySet()).containsExactly("a", "b", "c", "d");
    assertThat(read.get("a").text()).isEqualTo("\"\\\n\u00e4");
    assertThat(read.get("b").values().get(0).whole()).isEqualTo(-5);
    assertThat(read.get("b").values().get(1).number()).isEqualTo(1.5);
    assertThat(read.get("b").values().get(2).isTrue()).isTrue();
    assertThat(read.get("b").values().get(3).isPresent()).isFalse();
    assertThat(read.get("c").members()).isEmpty();
    assertThat(read.get("d").values()).isEmpty();
  }

  @Test
  void whatIsNotThereReadsAsNothing() {
    JsonValue absent = JsonValue.parse("{}").get("a").get("b");
    assertThat(absent.isPresent()).isFalse();
    assertThat(absent.text()).isEmpty();
    assertThat(absent.whole()).isZero();
    assertThat(absent.isTrue()).isFalse();
    assertThat(absent.values()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{\"a\"}",
        "{\"a\":1,}",
        "[1",
        "[1 2]",
        "\"a",
        "\"\\u12\"",
        "\"\\x\"",
        "tru",
        "1 2",
        "-",
        "{a:1}"
      })
  void refusesOtherTexts(String text) {
    assertThatThrownBy(() -> JsonValue.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("no JSON at offset ");
  }

  @Test
  void boundsTheDepth() {
    assertThatThrownBy(() -> JsonValue.parse("[".repeat(100_000)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
