package io.loligo.server.accesslog;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

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
  void noModeLetsControlOctetsThrough(@ForAll byte[] value, @ForAll Quoting quoting) {
    String text = quoted(value, quoting);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      assertThat((c >= ' ' && c != 0x7f) || c == '\t').as("%s in %s", (int) c, quoting).isTrue();
    }
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
