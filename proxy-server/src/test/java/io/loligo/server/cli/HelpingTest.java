package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class HelpingTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int help(String... words) {
    CommandLine loligo = Main.commandLine();
    loligo.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    String[] line = new String[words.length + 1];
    line[0] = "help";
    System.arraycopy(words, 0, line, 1, words.length);
    return loligo.execute(line);
  }

  @Test
  void explainsADirectiveByEachOfItsNames() {
    assertThat(help("no_cache")).isZero();
    assertThat(out.toString()).startsWith("cache allow|deny [!]ACL...\n    ");
  }

  @Test
  void saysThatADirectiveStopsTheStart() {
    assertThat(help("ecap_enable")).isZero();
    assertThat(out.toString()).contains("    Stops the start unless waived.\n");
  }

  @Test
  void explainsAllDirectives() {
    assertThat(help("--directives")).isZero();
    assertThat(out.toString())
        .contains("http_port ", "loligo_transport ", "    Default: 30 seconds.\n")
        .doesNotContain("ecap_enable");
  }

  @Test
  void explainsACommand() {
    assertThat(help("check")).isZero();
    assertThat(out.toString()).contains("Usage: loligo check", "--strict");
  }

  @Test
  void withoutANameItListsTheCommands() {
    assertThat(help()).isZero();
    assertThat(out.toString()).contains("Usage: loligo ", "shadow", "report", "explain");
  }

  @Test
  void anUnknownNameIsAnError() {
    assertThat(help("frob")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString())
        .isEqualTo("loligo: frob is neither a command nor a directive" + System.lineSeparator());
  }

  @Test
  void aMisspeltNameIsGuessed() {
    assertThat(help("cach_dir")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("; did you mean cache_dir?");
    assertThat(help("relod")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("; did you mean reload?");
  }
}
