package io.loligo.core.http1;

import static io.loligo.core.http1.Parsed.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.FieldName;
import io.loligo.core.message.ParseFailure;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Properties of heads of every shape. */
final class HeadPropertiesTest {
  private static final String TOKEN =
      "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

  record Line(String name, String value, String before, String after) {
    String text() {
      return name + ":" + before + value + after + "\r\n";
    }

    String parsed() {
      return FieldName.of(name) + "|" + name + "|" + value;
    }
  }

  record Request(String method, String target, String version, List<Line> lines) {
    String text() {
      StringBuilder text = new StringBuilder(method + " " + target + " " + version + "\r\n");
      lines.forEach(line -> text.append(line.text()));
      return text.append("\r\n").toString();
    }
  }

  @Property(tries = 500, seed = "20040115")
  void parsingReturnsTheWrittenHead(@ForAll("requests") Request request) {
    byte[] bytes = bytes(request.text() + "behind");
    Parsed parsed = Parsed.request(bytes, ParseLimits.DEFAULT);
    int version = request.version().endsWith("0") ? 10 : 11;
    assertThat(parsed.line()).isEqualTo(request.method() + "|" + request.target() + "|" + version);
    assertThat(parsed.fields())
        .containsExactlyElementsOf(request.lines().stream().map(Line::parsed).toList());
    assertThat(parsed.end()).isEqualTo(bytes.length - 6);
  }

  @Property(tries = 500, seed = "20040116")
  void twoCutsChangeNothing(
      @ForAll("requests") Request request,
      @ForAll @IntRange(min = 0, max = 400) int one,
      @ForAll @IntRange(min = 0, max = 400) int two) {
    byte[] bytes = bytes(request.text());
    int first = Math.min(Math.min(one, two), bytes.length);
    int second = Math.min(Math.max(one, two), bytes.length);
    Parsed whole = Parsed.request(bytes, ParseLimits.DEFAULT);
    Parsed parts = Parsed.request(bytes, ParseLimits.DEFAULT, first, second);
    assertThat(parts).matches(whole::sameAs);
    assertThat(parts.looks()).isLessThanOrEqualTo(bytes.length);
  }

  @Property(tries = 500, seed = "20040117")
  void oneDamagedByteIsCutAlike(
      @ForAll("requests") Request request, @ForAll @IntRange(max = 400) int at, @ForAll byte with) {
    byte[] bytes = bytes(request.text());
    bytes[at % bytes.length] = with;
    HeadFuzz.fuzzerTestOneInput(bytes);
  }

  @Property(tries = 1_000, seed = "20040118")
  void randomBytesNeverThrow(@ForAll @Size(max = 80) byte[] bytes) {
    HeadFuzz.fuzzerTestOneInput(bytes);
  }

  @Property(tries = 500, seed = "20040119")
  void anyControlInAValueIsRefused(
      @ForAll("values") String before,
      @ForAll @IntRange(max = 31) int control,
      @ForAll("values") String after) {
    if (control == '\t') {
      return;
    }
    String text = "GET / HTTP/1.1\r\nA:" + before + (char) control + after + "\r\n\r\n";
    Parsed parsed = Parsed.request(bytes(text), ParseLimits.DEFAULT);
    assertThat(parsed.failure())
        .isIn(ParseFailure.BAD_FIELD_VALUE, ParseFailure.BARE_CR, ParseFailure.BARE_LF);
    assertThat(parsed.failureOffset()).isEqualTo(18 + before.length());
  }

  @Provide
  Arbitrary<Request> requests() {
    Arbitrary<String> targets =
        Arbitraries.strings().withCharRange('!', '~').ofMinLength(1).ofMaxLength(40);
    Arbitrary<String> versions = Arbitraries.of("HTTP/1.0", "HTTP/1.1", "HTTP/1.3");
    return Combinators.combine(tokens(), targets, versions, lines().list().ofMaxSize(12))
        .as(Request::new);
  }

  @Provide
  Arbitrary<String> values() {
    Arbitrary<String> inner =
        Arbitraries.strings()
            .withCharRange('!', '~')
            .withCharRange('\u0080', '\u00ff')
            .withChars(' ', '\t')
            .ofMaxLength(30);
    return inner.map(HeadPropertiesTest::trimmed);
  }

  private Arbitrary<Line> lines() {
    Arbitrary<String> blanks = Arbitraries.strings().withChars(' ', '\t').ofMaxLength(3);
    Arbitrary<String> names = Arbitraries.oneOf(tokens(), Arbitraries.of(FieldName.all()));
    return Combinators.combine(names, values(), blanks, blanks).as(Line::new);
  }

  private static Arbitrary<String> tokens() {
    return Arbitraries.strings().withChars(TOKEN).ofMinLength(1).ofMaxLength(20);
  }

  private static String trimmed(String value) {
    int start = 0;
    int end = value.length();
    while (start < end && isBlank(value.charAt(start))) {
      start++;
    }
    while (end > start && isBlank(value.charAt(end - 1))) {
      end--;
    }
    return value.substring(start, end);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }
}
