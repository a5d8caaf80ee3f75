package io.loligo;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.message.FieldLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Field lines as hooks change them. */
class FieldEditorTest {
  private final FieldLines lines =
      new FieldLines(64).add("Accept", "a").add("Host", "h").add("accept", "b");
  private final FieldEditor editor = new FieldEditor(lines);

  private String written() {
    editor.finish();
    return new String(lines.bytes(), 0, lines.length(), ISO_8859_1);
  }

  @Test
  void namesAreEqualInAnyCase() {
    assertThat(editor.get("ACCEPT")).isEqualTo("a");
    assertThat(editor.all("Accept")).containsExactly("a", "b");
    assertThat(editor.get("Absent")).isNull();
    assertThat(editor.get("host")).isEqualTo("h");
  }

  @Test
  void writesWhatHasChanged() {
    editor.set("accept", "c").add("X-One", "\u00e4").remove("Absent");

    assertThat(written()).isEqualTo("Host: h\r\naccept: c\r\nX-One: \u00e4\r\n");
  }

  @Test
  void leavesTheBytesWhereNothingHasChanged() {
    byte[] before = lines.bytes().clone();

    editor.remove("Absent");
    editor.finish();

    assertThat(lines.bytes()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Host", "CONTENT-LENGTH", "Transfer-Encoding", "connection", "a b", "", "a:"})
  void refusesFieldsOfTheProxyAndWrongNames(String name) {
    assertThatThrownBy(() -> editor.set(name, "x")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> editor.remove(name)).isInstanceOf(IllegalArgumentException.class);
    assertThat(written()).isEqualTo("Accept: a\r\nHost: h\r\naccept: b\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\r\nb: c", "a\nb", "\u0000", " a", "a ", "\u20ac", "\u007f"})
  void refusesValuesThatNoFieldMayHave(String value) {
    assertThatThrownBy(() -> editor.add("X-One", value))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> editor.set("Accept", value))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(written()).isEqualTo("Accept: a\r\nHost: h\r\naccept: b\r\n");
  }
}
