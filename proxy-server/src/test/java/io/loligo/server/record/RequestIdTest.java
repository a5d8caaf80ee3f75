package io.loligo.server.record;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestIdTest {
  private static boolean isAcceptable(String id) {
    byte[] bytes = (" " + id + " ").getBytes(ISO_8859_1);
    return RequestId.isAcceptable(bytes, 1, bytes.length - 1);
  }

  @Test
  void theTextHasThePrefixAndTheNumber() {
    assertThat(RequestId.text(-1, 255)).isEqualTo("ffffffffffffffff-ff");
    assertThat(RequestId.text(0x1f, 1)).isEqualTo("000000000000001f-1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "5f3a9c01-1f", "a/b:c;d=e,f+g.h~!#$%&'()*[]{}|<>?@^_`"})
  void acceptsVisibleAscii(String id) {
    assertThat(isAcceptable(id)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a\tb", "a\u007f", "\u00e9", "a\"b", "a\\b", "a\u0001"})
  void refusesOtherBytes(String id) {
    assertThat(isAcceptable(id)).isFalse();
  }

  @Test
  void refusesLongOnes() {
    assertThat(isAcceptable("x".repeat(128))).isTrue();
    assertThat(isAcceptable("x".repeat(129))).isFalse();
  }

  @Test
  void aRecordGivesTheIdOfATrustedClientElseItsOwn() {
    ExchangeRecord record = new ExchangeRecord();
    assertThat(record.requestId()).isNull();
    record.number = 7;
    record.idPrefix = 1;
    assertThat(record.requestId()).isEqualTo("0000000000000001-7");
    record.givenId = "theirs";
    assertThat(record.requestId()).isEqualTo("theirs");
    record.clear();
    assertThat(record.requestId()).isNull();
  }
}
