package io.loligo.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Against the grammar, for each char of Latin-1 and a few above it. */
final class AsciiTest {
  private static final int ALL = 0x3000;

  @Test
  void tokenCharactersAreThoseOfTheGrammar() {
    for (char c = 0; c < ALL; c++) {
      String text = String.valueOf(c);
      boolean token = text.matches("[!#$%&'*+\\-.^_`|~0-9A-Za-z]");
      assertThat(Ascii.isToken(text)).as("%x", (int) c).isEqualTo(token);
      if (c < 256) {
        assertThat(Ascii.isToken((byte) c)).as("%x", (int) c).isEqualTo(token);
      }
    }
    assertThat(Ascii.isToken("ab c")).isFalse();
    assertThat(Ascii.isToken("ab-c")).isTrue();
  }

  @Test
  void classesAreThoseOfTheGrammar() {
    for (int c = -128; c < ALL; c++) {
      String text = c < 0 ? "" : String.valueOf((char) c);
      assertThat(Ascii.isDigit(c)).as("%x", c).isEqualTo(text.matches("[0-9]"));
      assertThat(Ascii.isLetter(c)).as("%x", c).isEqualTo(text.matches("[A-Za-z]"));
      assertThat(Ascii.isBlank(c)).as("%x", c).isEqualTo(text.matches("[ \\t]"));
      assertThat(Ascii.hexDigit(c))
          .as("%x", c)
          .isEqualTo(text.matches("[0-9A-Fa-f]") ? Character.digit(c, 16) : -1);
    }
  }

  @Test
  void lowersLettersOnly() {
    for (int c = -128; c < ALL; c++) {
      int lower = c >= 'A' && c <= 'Z' ? Character.toLowerCase(c) : c;
      assertThat(Ascii.lower(c)).isEqualTo(lower);
      if (c < 128) {
        assertThat(Ascii.lower((byte) c)).isEqualTo((byte) lower);
      }
    }
    byte[] bytes = "xMax-AGE@".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(Ascii.equalsIgnoreCase(bytes, 1, 8, "max-age")).isTrue();
    assertThat(Ascii.equalsIgnoreCase(bytes, 1, 9, "max-age")).isFalse();
    assertThat(Ascii.equalsIgnoreCase(bytes, 1, 9, "max-age`")).isFalse();
  }
}
