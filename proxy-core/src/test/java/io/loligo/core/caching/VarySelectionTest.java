package io.loligo.core.caching;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Fields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9111 section 4.1: keys with Vary")
class VarySelectionTest {
  @Test
  void selectsByFieldsThatVaryShouldName() {
    VarySelection coded =
        VarySelection.of(
            false, Heads.fields("Accept-Encoding: br"), Heads.fields("Content-Encoding: br"));
    assertThat(coded.names()).containsExactly("accept-encoding");
    assertThat(coded.matches(Heads.fields())).isFalse();
    VarySelection steered =
        VarySelection.of(
            false,
            Heads.fields("X-Forwarded-Host: evil", "Forwarded: for=a; Host=b", "X-Other: c"),
            Heads.fields("Vary: X-Forwarded-Host"));
    assertThat(steered.names()).containsExactly("forwarded", "x-forwarded-host");
    assertThat(steered.matches(Heads.fields())).isFalse();
    assertThat(VarySelection.of(false, Heads.fields("Forwarded: for=a"), Heads.fields("Date: x")))
        .isNull();
    VarySelection disguised =
        VarySelection.of(
            false,
            Heads.fields("x_FORWARDED-host: evil", "Forwarded: for=a; hosts; host \t= b"),
            Heads.fields("Date: x"));
    assertThat(disguised.names()).containsExactly("forwarded", "x_forwarded-host");
    assertThat(disguised.matches(Heads.fields())).isFalse();
    assertThat(VarySelection.of(false, Heads.fields("Forwarded: host"), Heads.fields("Date: x")))
        .isNull();
  }

  @Test
  void responseWithoutVaryHasNoSelection() {
    assertThat(VarySelection.of(false, Heads.fields(), Heads.fields("Date: x"))).isNull();
    assertThat(VarySelection.of(false, Heads.fields(), Heads.fields("Vary:"))).isNull();
    assertThat(VarySelection.of(false, Heads.fields(), Heads.fields("Vary: , ,"))).isNull();
  }

  @Must
  void allNominatedFieldsMustMatch() {
    VarySelection selection =
        selection("Accept-Language, X-Device", "Accept-Language: de", "X-Device: a");
    assertThat(selection.names()).containsExactly("accept-language", "x-device");
    assertThat(selection.matches(Heads.fields("x-device: a", "accept-language: de"))).isTrue();
    assertThat(selection.matches(Heads.fields("X-Device: b", "Accept-Language: de"))).isFalse();
    assertThat(selection.matches(Heads.fields("X-Device: a"))).isFalse();
    assertThat(selection.matches(Heads.fields("X-Device: ab", "Accept-Language: de"))).isFalse();
    assertThat(selection.matches(Heads.fields("X-Device:", "Accept-Language: de"))).isFalse();
  }

  @Must
  void absentMatchesOnlyAbsent() {
    VarySelection absent = selection("X-Device, Accept");
    assertThat(absent.matches(Heads.fields("Other: 1"))).isTrue();
    assertThat(absent.matches(Heads.fields("X-Device: a"))).isFalse();
    assertThat(absent.matches(Heads.fields("X-Device:"))).isFalse();
    assertThat(absent.matches(Heads.fields("Accept: a"))).isFalse();
    assertThat(selection("X-Device", "X-Device:").matches(Heads.fields())).isFalse();
    assertThat(selection("X-Device", "X-Device:").matches(Heads.fields("x-device:"))).isTrue();
  }

  @ParameterizedTest
  @Tag("MAY")
  @CsvSource(
      delimiter = '|',
      value = {
        "Accept-Encoding|gzip, br|gzip,br|true",
        "Accept-Encoding|gzip, br|GZIP \t,  BR|true",
        "Accept-Encoding|gzip, br|br, gzip|true",
        "Accept-Encoding|gzip, br|br, gzip, br|true",
        "Accept-Encoding|gzip, br|br|false",
        "Accept-Encoding|gzip, gzip|gzip, br|false",
        "Accept-Encoding|gzip;q=0.5, br|br;q=1.000 , gzip ;\tq=0.5|true",
        "Accept-Encoding|gzip;q=1|gzip|true",
        "Accept-Encoding|gzip;q=1.01|gzip|false",
        "Accept-Encoding|gzip;q=1;q=0|gzip|false",
        "Accept-Encoding|gzip;q=0|gzip|false",
        "Accept-Encoding|g zip|gzip|false",
        "Accept-Encoding|''|,|true",
        "Accept-Encoding|''|br|false",
        "Accept-Language|de, en|en, de|false",
        "Accept-Encoding|gzip|gzip, br|false",
        "Accept-Language|de, en;q=0.5|de,en;q=0.5|true",
        "Accept-Language|en;q=0.5|en ; q=0.500|true",
        "Accept-Language|en;q=1.0, de|EN,,de;q=1|true",
        "Accept-Language|en;q=0.0|en;q=0|true",
        "Accept-Language|en;q=0.5|en;q=0.05|false",
        "Accept-Language|en;q=10|en|false",
        "Accept-Language|en, de|en|false",
        "Accept-Language|en|en, de|false",
        "Accept-Encoding|gzip;q=0.50|gzip;q=0.5|true",
        "Accept|a/b;c=\"\\\",B\"|a/b;c=\"\\\",b\"|false",
        "Accept|a/b;c=\"\\\", B\"|a/b;c=\"\\\",B\"|false",
        "Accept|a/b;c=\"X, y\"|a/b;c=\"X, y\"|true",
        "Accept|a/b;c=\"X, y\"|a/b;c=\"x, y\"|false",
        "Accept|a/b;c=\"X, y\"|a/b;c=\"X,y\"|false",
        "User-Agent|A, b|A,b|false",
        "User-Agent|A|a|false",
        "Cookie|a=1|a=1|true"
      })
  @DisplayName("normal form where the syntax of the field allows it")
  void comparesInNormalForm(String name, String stored, String asked, boolean same) {
    VarySelection selection = selection(name, name + ": " + stored);
    assertThat(selection.matches(Heads.fields(name + ": " + asked))).isEqualTo(same);
    assertThat(selection.equals(selection(name, name + ": " + asked))).isEqualTo(same);
  }

  @May
  void severalLinesAreOneList() {
    VarySelection selection = selection("X-List", "X-List: a", "X-List: b");
    assertThat(selection.matches(Heads.fields("X-List: a", "Other: x", "X-List: b"))).isTrue();
    assertThat(selection.matches(Heads.fields("X-List: a, b"))).isTrue();
    assertThat(selection.matches(Heads.fields("X-List: a,b"))).isFalse();
    assertThat(selection.matches(Heads.fields("X-List: b", "X-List: a"))).isFalse();
    assertThat(selection.matches(Heads.fields("X-List: a"))).isFalse();
  }

  @Test
  void cookieIsNoList() {
    VarySelection selection = selection("Cookie", "Cookie: a=1", "Cookie: b=2");
    assertThat(selection.matches(Heads.fields("Cookie: a=1", "Cookie: b=2"))).isTrue();
    assertThat(selection.matches(Heads.fields("Cookie: a=1, b=2"))).isFalse();
    assertThat(selection.matches(Heads.fields("Cookie: a=1,b=2"))).isFalse();
  }

  @Test
  void aRequestWithTooManyCodingsMatchesNothing() {
    String[] codings = new String[CodingList.MAX_MEMBERS + 1];
    Arrays.setAll(codings, i -> "c" + i);
    String many = "Accept-Encoding: " + String.join(",", codings);
    String most = "Accept-Encoding: " + String.join(",", Arrays.copyOf(codings, 16));
    assertThat(selection("Accept-Encoding", most).matches(Heads.fields(most))).isTrue();
    assertThat(selection("Accept-Encoding", most).matches(Heads.fields(many))).isFalse();
    assertThat(selection("Accept-Encoding", many).matches(Heads.fields(many))).isFalse();
    assertThat(selection("Accept-Encoding", many).matches(Heads.fields(most))).isFalse();
  }

  /** With work that grows with the square of it this takes hours. */
  @ParameterizedTest
  @ValueSource(strings = {"Accept", "Accept-Encoding", "Accept-Language", "X-Device"})
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void lengthOfAValueCostsNoMoreThanItself(String name) {
    String blanks = " ".repeat(4_000_000);
    String value = name + ": gzip," + blanks + "x" + blanks + "y;" + blanks + "q=1";
    VarySelection selection = selection(name, value);
    assertThat(selection.matches(Heads.fields(value))).isTrue();
    assertThat(selection.matches(Heads.fields(value + "z"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "X-Odd: 1",
        "Host: a",
        "Host: a|X-Odd: 1|X: 2",
        "X-Odd: 1|Host: a",
        "Host: a|x-odd: 1",
        "Host: a|X-Odd: 11",
        "Host: a|X-Odd: 1|X-Odd: 1",
        "Host: a|X-Odd: 1|*: 1",
      })
  void answersThatMaySpeakOfOneRequestAreForTheSameOnly(String other) {
    Fields request = Heads.fields("Host: a", "X-Odd: 1");
    for (String more : List.of("Date: x", "Vary: X-Odd")) {
      VarySelection selection = VarySelection.of(true, request, Heads.fields(more));
      assertThat(selection.matches(Heads.fields("Host: a", "X-Odd: 1"))).isTrue();
      Fields others = other.isEmpty() ? Heads.fields() : Heads.fields(other.split("\\|"));
      assertThat(selection.matches(others)).isFalse();
      assertThat(selection.by(others)).isNotEqualTo(selection);
      assertThat(selection.by(request)).isEqualTo(selection);
      assertThat(selection.toString()).doesNotContain("Host");
    }
  }

  @Test
  void aResponseForEqualRequestsStaysSo() {
    Fields request = Heads.fields("Host: a", "X-Odd: 1");
    VarySelection stored = VarySelection.of(true, request, Heads.fields("Date: x"));
    VarySelection updated = VarySelection.updated(stored, request, Heads.fields("Vary: Accept"));
    assertThat(updated.matches(request)).isTrue();
    assertThat(updated.matches(Heads.fields("Host: a"))).isFalse();
    ByteBuf form = Unpooled.buffer();
    updated.write(form);
    assertThat(VarySelection.read(form)).isEqualTo(updated);
  }

  @Test
  void moreNamesThanAnybodyUsesAreUnmatchable() {
    String[] names = new String[64];
    Arrays.setAll(names, i -> "x-" + i);
    String most = "Vary: " + String.join(",", names);
    assertThat(VarySelection.isUnmatchable(Heads.fields(most, most))).isFalse();
    assertThat(VarySelection.refusal(Heads.fields(most + ", one-more"))).contains("too many");
  }

  @Must
  @DisplayName("RFC 9111 section 3.2: a 304 may name more")
  void theVaryOfA304SelectsFromThenOn() {
    Fields request = Heads.fields("Foo: 1", "Accept: a");
    VarySelection stored = selection("Foo", "Foo: 1");
    assertThat(VarySelection.updated(stored, request, Heads.fields("Date: x"))).isSameAs(stored);
    assertThat(VarySelection.updated(stored, request, Heads.fields("Vary: foo"))).isSameAs(stored);
    assertThat(VarySelection.updated(stored, request, Heads.fields("Vary: *"))).isSameAs(stored);
    VarySelection more =
        VarySelection.updated(stored, request, Heads.fields("Vary: Foo", "Vary: Accept"));
    assertThat(more).isEqualTo(selection("Foo, Accept", "Foo: 1", "Accept: a"));
    assertThat(VarySelection.updated(null, request, Heads.fields("Vary: Foo"))).isEqualTo(stored);
    assertThat(VarySelection.updated(null, request, Heads.fields("Date: x"))).isNull();
  }

  @Test
  void namesOfSeveralLinesAndRepeatedNamesCountOnce() {
    Fields response = Heads.fields("Vary: Accept, X-A", "Vary: ACCEPT , x-b,");
    VarySelection selection = VarySelection.of(false, Heads.fields(), response);
    assertThat(selection.names()).containsExactly("accept", "x-a", "x-b");
  }

  @Must
  @DisplayName("a member * matches no request")
  void starIsUnmatchable() {
    assertThat(VarySelection.isUnmatchable(Heads.fields("Vary: *"))).isTrue();
    assertThat(VarySelection.isUnmatchable(Heads.fields("Vary: a", "Vary: b, *"))).isTrue();
    assertThat(VarySelection.isUnmatchable(Heads.fields("Vary: a, forwarded"))).isTrue();
    assertThat(VarySelection.isUnmatchable(Heads.fields("Vary: Accept"))).isFalse();
    assertThat(VarySelection.isUnmatchable(Heads.fields("Date: x"))).isFalse();
  }

  @Test
  void orderOfNamesDoesNotMakeAnotherVariant() {
    VarySelection one = selection("A, B", "A: 1", "B: 2");
    VarySelection other = selection("b, a", "B: 2", "A: 1");
    assertThat(one).isEqualTo(other).hasSameHashCodeAs(other).hasToString("a=1; b=2");
    assertThat(one).isNotEqualTo(selection("A", "A: 1"));
  }

  private static VarySelection selection(String vary, String... request) {
    return VarySelection.of(false, Heads.fields(request), Heads.fields("Vary: " + vary));
  }
}
