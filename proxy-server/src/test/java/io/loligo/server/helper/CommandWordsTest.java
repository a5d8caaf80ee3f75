package io.loligo.server.helper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandWordsTest {
  @Test
  void quotesEncloseBlanks() {
    assertThat(CommandWords.of("/bin/x -D \"cn=a proxy,dc=b\" -f '(cn=\"%s\")' # why"))
        .isEqualTo(List.of("/bin/x", "-D", "cn=a proxy,dc=b", "-f", "(cn=\"%s\")"));
    assertThat(CommandWords.of(" a \"\" b=\"c d\"")).containsExactly("a", "", "b=\"c", "d\"");
  }

  @Test
  void aBackslashCountsInQuotesOnly() {
    assertThat(CommandWords.of("\"a\\\"b\\\\c\\t\\%\" d\\e")).containsExactly("a\"b\\c\t%", "d\\e");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a \"b c", "a \"b\"c", "a \"b\\d\"", "'a\"", "\"a\\\""})
  void refusesWhatSquidRefuses(String text) {
    assertThat(CommandWords.of(text)).isNull();
  }
}
