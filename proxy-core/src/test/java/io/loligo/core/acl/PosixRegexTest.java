package io.loligo.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** POSIX extended regular expressions on an engine that runs in linear time. */
class PosixRegexTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "a.c xxabcxx true",
        "^ab xab false",
        "bc$ abc true",
        "[[:digit:]]+ a1 true",
        "^[[:alpha:]]+$ a1 false",
        "[]x] ] true",
        "^[^]x]$ ] false",
        "^[\\.]$ \\ true",
        "^[\\.]$ . true",
        "^[a[]$ [ true",
        "^[a^]$ ^ true",
        "^(ab|cd){2}$ abcd true",
        "^a{,2}$ aa true",
        "^a{,2}$ aaa false",
        "^a{2,}$ aaaa true",
        "a{b a{b true",
        "^a+?$ aa true",
        "^xa+?y$ xy true",
        "^a**$ aaa true",
        "*.foo x.foo true",
        "(*a) a true",
        "\\<foo\\> a-foo-b true",
        "\\<foo\\> afoo false",
        "\\d d true",
        "^\\d$ 7 false",
        "\\.com$ a.com true",
        "\\.com$ acom false",
        "^\\w+$ a_1 true",
        "a|b|c zc true",
        "\\(x\\) (x) true",
        "} } true",
        "^(a|b)|c)$ c) true",
        "^(a|b)|c)$ c false",
        "^)*a$ ))a true",
      })
  void finds(String regex, String text, boolean expected) {
    PosixRegex compiled = PosixRegex.compile(regex, false);
    assertThat(compiled.error()).isNull();
    assertThat(compiled.pattern().matcher(text).find()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "( Unmatched",
        "[a Unmatched",
        "(a)\\1 back-reference",
        "(?i)a POSIX",
        "a\\ Trailing",
        "[[.a.]] collating",
        "[[:foo:]] invalid",
      })
  void refuses(String regex, String words) {
    PosixRegex compiled = PosixRegex.compile(regex, false);
    assertThat(compiled.pattern()).isNull();
    assertThat(compiled.error()).contains(words);
  }

  @Test
  void remarksOnProbableMistakes() {
    assertThat(PosixRegex.compile("\\d+", false).warning()).contains("\\d");
    assertThat(PosixRegex.compile("*.exe", false).warning()).contains("nothing before it");
    assertThat(PosixRegex.compile("\\.exe$", false).warning()).isNull();
  }

  @Test
  void ignoresCaseWhereAsked() {
    assertThat(PosixRegex.compile("foo", true).pattern().matcher("FOO").find()).isTrue();
    assertThat(PosixRegex.compile("foo", false).pattern().matcher("FOO").find()).isFalse();
  }
}
