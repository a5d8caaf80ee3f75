package io.loligo.core.structured;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.structured.FieldMember.InnerList;
import io.loligo.core.structured.FieldMember.Item;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("RFC 9651 section 4.2: parsing structured fields")
class StructuredFieldsTest {
  @ParameterizedTest
  @CsvSource({"0,0", "-0,0", "42,42", "-999999999999999,-999999999999999", "007,7"})
  void readsIntegers(String text, long value) {
    assertThat(bare(text)).isEqualTo(new BareItem(BareItem.Type.INTEGER, value));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.5", "-0.001", "123456789012.125"})
  void readsDecimals(String text) {
    assertThat(bare(text)).isEqualTo(new BareItem(BareItem.Type.DECIMAL, new BigDecimal(text)));
  }

  @Test
  void readsTheOtherTypes() {
    assertThat(bare("\"a \\\"b\\\\\"")).isEqualTo(new BareItem(BareItem.Type.STRING, "a \"b\\"));
    assertThat(bare("*a/b:c")).isEqualTo(new BareItem(BareItem.Type.TOKEN, "*a/b:c"));
    assertThat(bare("?0")).isEqualTo(new BareItem(BareItem.Type.BOOLEAN, false));
    assertThat(bare("@-60")).isEqualTo(new BareItem(BareItem.Type.DATE, -60L));
    assertThat(bare("%\"f%c3%bc\""))
        .isEqualTo(new BareItem(BareItem.Type.DISPLAY_STRING, "f\u00fc"));
    assertThat((byte[]) bare(":aGk=:").value()).isEqualTo("hi".getBytes(StandardCharsets.US_ASCII));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "1.",
        ".5",
        "1.2345",
        "1234567890123456",
        "1234567890123.1",
        "--1",
        "+1",
        "\"open",
        "\"\\n\"",
        "\"tab\t\"",
        "\"\u00fc\"",
        "?2",
        "?",
        "@1.5",
        "@",
        ":a=b:",
        ":open",
        "%\"%C3%BC\"",
        "%\"%ff\"",
        "%x",
        "1 2",
        "a,b",
        "{",
        "1;A",
        "1;=",
        "1;a=",
        "\t1"
      })
  void refusesTextThatIsNotAnItem(String text) {
    assertThat(StructuredFields.item(text)).isNull();
  }

  @Test
  void readsListsAndInnerLists() {
    List<FieldMember> members = StructuredFields.list(" a;q=1;p, (1 \"x\" );z ,\t?1");
    assertThat(members).hasSize(3);
    assertThat(members.get(0).parameters())
        .isEqualTo(Map.of("q", new BareItem(BareItem.Type.INTEGER, 1L), "p", BareItem.TRUE));
    InnerList inner = (InnerList) members.get(1);
    assertThat(inner.items())
        .extracting(Item::bare)
        .extracting(BareItem::type)
        .containsExactly(BareItem.Type.INTEGER, BareItem.Type.STRING);
    assertThat(inner.parameters()).containsKey("z");
    assertThat(StructuredFields.list("")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a,", ",a", "a,,b", "(a", "(a\tb)", "(a,b)", "a b", "((a))"})
  void refusesTextThatIsNotAList(String text) {
    assertThat(StructuredFields.list(text)).isNull();
  }

  @Test
  void aRepeatedKeyOfADictionaryKeepsItsPlaceAndTakesTheLastValue() {
    Map<String, FieldMember> members = StructuredFields.dictionary("a=1, b;x=2, c=(1), a=?0");
    assertThat(members.keySet()).containsExactly("a", "b", "c");
    assertThat(((Item) members.get("a")).bare())
        .isEqualTo(new BareItem(BareItem.Type.BOOLEAN, false));
    assertThat(((Item) members.get("b")).bare()).isEqualTo(BareItem.TRUE);
  }

  @Test
  void aRepeatedMemberTakesTheParametersOfTheLastToo() {
    Map<String, FieldMember> members = StructuredFields.dictionary("a=1;p, b, a;q");
    assertThat(members.keySet()).containsExactly("a", "b");
    assertThat(((Item) members.get("a")).bare()).isEqualTo(BareItem.TRUE);
    assertThat(members.get("a").parameters()).containsOnlyKeys("q");
  }

  @Test
  void aRepeatedParameterKeepsItsPlaceAndTakesTheLastValue() {
    Map<String, BareItem> parameters = StructuredFields.item("x;a=1;b;a=2").parameters();
    assertThat(parameters.keySet()).containsExactly("a", "b");
    assertThat(parameters.get("a")).isEqualTo(new BareItem(BareItem.Type.INTEGER, 2L));
  }

  @ParameterizedTest
  @ValueSource(strings = {"A=1", "a=", "a =1", "a= 1", "1=a", "a=1;", "a=1,", "a=1 b=2", "-a"})
  void refusesTextThatIsNotADictionary(String text) {
    assertThat(StructuredFields.dictionary(text)).isNull();
  }

  @Property(tries = 2000)
  void endsOnAnyInputWithoutFailure(
      @ForAll @CharRange(from = '\0', to = '\u00ff') @StringLength(max = 40) String ascii,
      @ForAll
          @Chars({'a', '1', ',', ';', '=', '"', '(', ')', ' ', '.', '?', ':', '%', '@', '-'})
          @StringLength(max = 30)
          String syntax) {
    for (String text : List.of(ascii, syntax)) {
      StructuredFields.item(text);
      StructuredFields.list(text);
      StructuredFields.dictionary(text);
    }
  }

  private static BareItem bare(String text) {
    return StructuredFields.item(text).bare();
  }
}
