package io.loligo.core.caching;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("No-Vary-Search")
class NoVarySearchTest {
  private static NoVarySearch rule(String value) {
    return NoVarySearch.of(Heads.fields("No-Vary-Search: " + value));
  }

  private static boolean equivalent(String rule, String one, String other) {
    return simplified(rule, one).equals(simplified(rule, other));
  }

  private static String simplified(String rule, String query) {
    byte[] bytes = query.getBytes(UTF_8);
    return rule(rule).simplified(bytes, 0, bytes.length);
  }

  /** The syntax of earlier drafts, by which origins were set up. */
  @Test
  void allParametersMayBeNamedByABoolean() {
    assertThat(rule("params")).isEqualTo(rule("params=?1")).isEqualTo(rule("except=()"));
    assertThat(rule("params, except=(\"x\"), key-order"))
        .isEqualTo(rule("except=(\"x\"), key-order"));
    assertThat(rule("params, except=1")).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key-order=\"not a boolean\"",
        "params=\"not an inner list\"",
        "params=(not-a-string)",
        "params=?0",
        "params=?0, except=(\"x\")",
        "params=1",
        "params=(\"a\"), except=(\"x\")",
        "params=(), except=()",
        "except=\"not an inner list\"",
        "except=(not-a-string)",
        "except=?1",
        "params=()",
        "key-order=?0",
        "key-order=1",
        "unknown",
        "((("
      })
  void aMalformedOrDefaultRuleIsNone(String value) {
    assertThat(rule(value)).isNull();
  }

  @Test
  void absentOrTooLongIsNone() {
    assertThat(NoVarySearch.of(Heads.fields("X: y"))).isNull();
    assertThat(rule("params=(\"" + "a".repeat(NoVarySearch.MAX_BYTES) + "\")")).isNull();
  }

  @Test
  void spellingsOfOneRuleAreEqual() {
    assertThat(rule("key-order=?1, params=(\"a\" \"b\")"))
        .isEqualTo(rule("params=(\"b\" \"%61\" \"a\"), key-order, x=1"));
    assertThat(
            NoVarySearch.of(
                Heads.fields("No-Vary-Search: key-order", "No-Vary-Search: params=(\"a\")")))
        .isEqualTo(rule("key-order, params=(\"a\")"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "key-order;a=x;%61=%78",
        "key-order;a=é;a=%C3%A9",
        "key-order;a=%f6;a=%ef%bf%bd",
        "key-order;a=x&&&&;a=x",
        "key-order;a=;a",
        "key-order;a=%20;a=+",
        "key-order;b=1&a=1;a=1&b=1",
        "key-order;a=1&b=1&a=2;b=1&a=1&a=2",
        "params=(\"a\");a=1&b=2;b=2&a=3&a",
        "params=(\"%C3%A9+%E6%B0%97\");%C3%A9%20%E6%B0%97=1;''",
        "except=(\"a\");a=1&b=2;c=1&a=1",
        "except=();a=1&b=2;''",
        "key-order, params=(\"x\");b=1&a=1&x=1;a=1&b=1"
      })
  void takesForEqual(String rule, String one, String other) {
    assertThat(equivalent(rule, one, other)).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "key-order;a=1;a=2",
        "key-order;a=1&a=2;a=2&a=1",
        "key-order;a=1;A=1",
        "key-order;a=1&b=2;a=1&b=2&c",
        "key-order;a=b&c=d;a=b%26c%3Dd",
        "key-order;a=%2;a=%02",
        "params=(\"a\");b=1&c=1;c=1&b=1",
        "params=(\"a\");b=1;a=1&b=1&b=1",
        "except=(\"a\");a=1;a=1&a=1",
        "except=(\"a\");b=1;a"
      })
  void tellsApart(String rule, String one, String other) {
    assertThat(equivalent(rule, one, other)).isFalse();
  }

  @Test
  void noByteIsTakenForAnEnd() {
    assertThat(equivalent("key-order", "a=1%31%3A&b=2", "a=1&1%3A1=b%3D2")).isFalse();
  }
}
