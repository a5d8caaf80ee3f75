package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.cli.SquidArguments.Action;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SquidArgumentsTest {
  @Test
  void optionsMayBeJoined() {
    SquidArguments arguments = SquidArguments.parse("-NYCd1", "-f", "a.conf");
    assertThat(arguments.problem()).isNull();
    assertThat(arguments.action()).isEqualTo(Action.START);
    assertThat(arguments.foreground()).isTrue();
    assertThat(arguments.debugLevel()).isEqualTo(1);
    assertThat(arguments.file()).isEqualTo(Path.of("a.conf"));
    assertThat(arguments.remarks()).hasSize(2);
  }

  @Test
  void aValueMayFollowItsLetterAtOnce() {
    SquidArguments arguments = SquidArguments.parse("-kreconfigure", "-fb.conf");
    assertThat(arguments.action()).isEqualTo(Action.SIGNAL);
    assertThat(arguments.signal()).isEqualTo("reconfigure");
    assertThat(arguments.file()).isEqualTo(Path.of("b.conf"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-k bogus",
        "-k",
        "-f",
        "-a 3128",
        "-n other",
        "-Q",
        "--kid x",
        "--frob",
        "file",
        "-d x"
      })
  void refusesWhatItCannotDo(String line) {
    assertThat(SquidArguments.parse(line.split(" ", -1)).problem()).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-C",
        "-D",
        "-F",
        "-N",
        "-R",
        "-S",
        "-X",
        "-Y",
        "-s",
        "-l local0",
        "-u 3130",
        "-u 0",
        "-n squid",
        "-z",
        "-v",
        "-h",
        "--foreground",
        "-k restart"
      })
  void acceptsWhatScriptsGive(String line) {
    assertThat(SquidArguments.parse(line.split(" ", -1)).problem()).isNull();
  }

  @Test
  void commandsAndOwnOptionsAreNotSquids() {
    assertThat(SquidArguments.isMeant("loligo", new String[] {"-k", "check"})).isTrue();
    assertThat(SquidArguments.isMeant("loligo", new String[] {"run", "-f", "a"})).isFalse();
    assertThat(SquidArguments.isMeant("loligo", new String[] {"--help"})).isFalse();
    assertThat(SquidArguments.isMeant("loligo", new String[] {"--check=a"})).isFalse();
    assertThat(SquidArguments.isMeant("loligo", new String[] {})).isFalse();
    assertThat(SquidArguments.isMeant("squid", new String[] {})).isTrue();
    assertThat(SquidArguments.isMeant("squid", new String[] {"--help"})).isTrue();
    assertThat(SquidArguments.isMeant("squid", new String[] {"stats"})).isFalse();
  }

  @Test
  void theNameGivesTheUsualFile() {
    SquidArguments none = SquidArguments.parse("-N");
    assertThat(none.configuration("squid")).isEqualTo(Path.of("/etc/squid/squid.conf"));
    assertThat(none.configuration("loligo")).isEqualTo(Path.of("/etc/loligo/loligo.conf"));
  }
}
