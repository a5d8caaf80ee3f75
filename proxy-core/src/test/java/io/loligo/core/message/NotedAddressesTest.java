package io.loligo.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.NotedAddresses.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NotedAddressesTest {
  private static List<String> read(Field field, String... values) {
    StringBuilder bytes = new StringBuilder();
    Fields fields = new Fields(4);
    for (String value : values) {
      bytes.append(field.fieldName()).append(value);
    }
    fields.clear(bytes.toString().getBytes(StandardCharsets.ISO_8859_1));
    int at = 0;
    for (String value : values) {
      int name = field.fieldName().length();
      fields.add(FieldName.of(field.fieldName()), at, name, at + name, at + name + value.length());
      at += name + value.length();
    }
    NotedAddresses noted = NotedAddresses.in(fields, field);
    assertThat(noted).isNotNull();
    List<String> found = new ArrayList<>();
    for (byte[] next = noted.next(); next != null; next = noted.next()) {
      found.add(IpText.text(next));
    }
    return found;
  }

  @Test
  void readsFromTheLastAddressToTheFirst() {
    assertThat(read(Field.X_FORWARDED_FOR, "10.0.0.1, 10.0.0.2,10.0.0.3"))
        .containsExactly("10.0.0.3", "10.0.0.2", "10.0.0.1");
  }

  @Test
  void readsSeveralLinesAsOne() {
    assertThat(read(Field.X_FORWARDED_FOR, "10.0.0.1", "2001:db8::1"))
        .containsExactly("2001:db8::1", "10.0.0.1");
    assertThat(read(Field.FORWARDED, "for=10.0.0.1", "for=\"[2001:db8::1]\""))
        .containsExactly("2001:db8::1", "10.0.0.1");
  }

  @Test
  void skipsEmptyMembers() {
    assertThat(read(Field.X_FORWARDED_FOR, ",10.0.0.1,, 10.0.0.2 ,\t"))
        .containsExactly("10.0.0.2", "10.0.0.1");
    assertThat(read(Field.FORWARDED, ",for=10.0.0.1,, for=10.0.0.2 ,\t"))
        .containsExactly("10.0.0.2", "10.0.0.1");
  }

  @Test
  void stopsAtAMemberWithoutAnAddress() {
    assertThat(read(Field.X_FORWARDED_FOR, "10.0.0.1, unknown, 10.0.0.2"))
        .containsExactly("10.0.0.2");
    assertThat(read(Field.X_FORWARDED_FOR, "10.0.0.1, 10.0.0.2:81")).isEmpty();
    assertThat(read(Field.FORWARDED, "for=10.0.0.1, for=unknown, for=10.0.0.2"))
        .containsExactly("10.0.0.2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "for=192.0.2.43|192.0.2.43",
        "For=\"192.0.2.43\"|192.0.2.43",
        "for=\"192.0.2.43:47011\"|192.0.2.43",
        "for=192.0.2.43:47011|192.0.2.43",
        "for=\"192.0.2.43:_port\"|192.0.2.43",
        "for=\"[2001:DB8:CAFE::17]:4711\"|2001:db8:cafe::17",
        "for=\"[::ffff:10.0.0.1]\"|10.0.0.1",
        "proto=http;by=203.0.113.43;for=192.0.2.60|192.0.2.60",
        "; host=\"a;for=1.1.1.1, b\" ; for=192.0.2.60;|192.0.2.60",
        "secret=\"\\\"\";for=192.0.2.60|192.0.2.60",
      })
  void takesTheAddressOfAnElement(String element, String address) {
    assertThat(read(Field.FORWARDED, element)).containsExactly(address);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "for=_hidden",
        "by=192.0.2.1",
        "for=192.0.2.1;for=192.0.2.2",
        "for=[2001:db8::1]",
        "for=\"2001:db8::1\"",
        "for=\"[192.0.2.1]\"",
        "for=\"[2001:db8::1\"",
        "for=\"192.0.2.1:\"",
        "for=\"192.0.2.1:123456\"",
        "for=\"192.0.2.1 \"",
        "for = 192.0.2.1",
        "for=192.0.2.1 x",
        "for=",
        "192.0.2.1",
        "x;for=192.0.2.1",
        "for=\"192.0.2.1",
      })
  void anElementWithoutAValidAddressHasNone(String element) {
    assertThat(read(Field.FORWARDED, element)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"for=\"evil", "\"", "for=\"\\", "\\", "x=\"a\"\"", "=;,\"=,", "for=\"1.1.1.1\\"})
  void theBeginningChangesNoLaterElement(String sentByTheClient) {
    assertThat(read(Field.FORWARDED, sentByTheClient + ", for=10.0.0.1, for=\"[2001:db8::2]\""))
        .startsWith("2001:db8::2", "10.0.0.1");
  }

  @Test
  void anyTextEnds() {
    Random random = new Random(7);
    String characters = "for=;,\"\\ []:.1a_";
    for (int round = 0; round < 20_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(24); i >= 0; i--) {
        text.append(characters.charAt(random.nextInt(characters.length())));
      }
      Field field = random.nextBoolean() ? Field.FORWARDED : Field.X_FORWARDED_FOR;
      assertThat(read(field, text.toString())).hasSizeLessThan(24);
    }
  }
}
