package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuotingTest {
  private static String quoted(byte[] value, Quoting quoting) {
    LogLine line = new LogLine(true);
    line.append("before ");
    int start = line.length();
    line.append(value, 0, value.length);
    line.quote(start, quoting);
    String text = new String(line.bytes(), 0, line.length(), ISO_8859_1);
    assertThat(text).startsWith("before ");
    return text.substring("before ".length());
  }

  @Property
  void noModeLetsControlBytesThrough(@ForAll byte[] value, @ForAll Quoting quoting) {
    String text = quoted(value, quoting);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      assertThat((c >= ' ' && c != 0x7f) || c == '\t').as("%s in %s", (int) c, quoting).isTrue();
    }
  }

  @Property
  void noModePassesBytesThatAreNotText(
      @ForAll @Size(max = 40) List<@From("oddBytes") Byte> value, @ForAll Quoting quoting)
      throws CharacterCodingException {
    byte[] bytes = new byte[value.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = value.get(i);
    }
    byte[] line = quoted(bytes, quoting).getBytes(ISO_8859_1);
    // reports bytes that are not UTF-8
    String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
    assertThat(text.chars().filter(c -> Character.isISOControl(c) && c != '\t')).isEmpty();
  }

  /** Those that begin, continue and bound characters of UTF-8. */
  @Provide
  Arbitrary<Byte> oddBytes() {
    return Arbitraries.of(
            0x41, 0x80, 0x8f, 0x90, 0x9b, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xc3, 0xdf, 0xe0,
            0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff)
        .map(Integer::byteValue);
  }

  @Property
  void textStaysReadableBetweenQuotes(@ForAll("texts") String value) {
    String text = quoted(value.getBytes(UTF_8), Quoting.QUOTED);
    assertThat(new String(text.getBytes(ISO_8859_1), UTF_8)).isEqualTo(value);
  }

  @Provide
  Arbitrary<String> texts() {
    return Arbitraries.strings()
        .withCharRange(' ', '!')
        .withCharRange('#', '[')
        .withCharRange(']', '~')
        .withCharRange('\u00a0', '\ud7ff')
        .withCharRange('\ue000', '\uffff');
  }

  @ParameterizedTest
  @CsvSource({
    "\u009b2J, \\xc2\\x9b2J",
    "Zo\u00eb, Zo\u00eb",
    "\u011b \u20ac \ud83d\ude00, \u011b \u20ac \ud83d\ude00",
  })
  void controlsBeyondAsciiAreQuotedAndTextIsNot(String value, String expected) {
    String text = quoted(value.getBytes(UTF_8), Quoting.QUOTED);
    assertThat(new String(text.getBytes(ISO_8859_1), UTF_8)).isEqualTo(expected);
  }

  @Property
  void quotedTextHoldsNoBareQuote(@ForAll byte[] value) {
    assertThat(quoted(value, Quoting.QUOTED).replaceAll("\\\\.", "")).doesNotContain("\"", "\\");
  }

  @Property
  void fieldsOfOneWordStayOneWord(@ForAll byte[] value) {
    for (Quoting quoting : new Quoting[] {Quoting.PLAIN, Quoting.UNSAFE, Quoting.URL}) {
      assertThat(quoted(value, quoting)).doesNotContain(" ", "\"", "\t");
    }
  }

  @Property
  void bracketedTextHoldsNoBracket(@ForAll byte[] value) {
    assertThat(quoted(value, Quoting.MIME)).doesNotContain("[", "]");
  }
}
