package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.json.JsonValue;
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

  private JsonValue json(String... words) {
    out.getBuffer().setLength(0);
    assertThat(help(words)).isZero();
    return JsonValue.parse(out.toString());
  }

  @Test
  void programsGetTheSameAsJson() {
    JsonValue one = json("--json", "no_cache");
    assertThat(one.get("directive").text()).isEqualTo("cache");
    assertThat(one.get("aliases").values().get(0).text()).isEqualTo("no_cache");
    assertThat(one.get("restart").isPresent()).isFalse();
    JsonValue unused = json("ecap_enable", "--json");
    assertThat(unused.get("takesEffect").isTrue()).isFalse();
    assertThat(unused.get("status").text()).isEqualTo("stops the start unless waived");
    assertThat(json("--directives", "--json").values())
        .hasSizeGreaterThan(200)
        .filteredOn(each -> each.get("directive").text().equals("loligo_transport"))
        .singleElement()
        .matches(each -> !each.get("restart").text().isEmpty());
    JsonValue purge = json("purge", "--json");
    assertThat(purge.get("command").text()).isEqualTo("loligo purge");
    assertThat(purge.get("exitStatus").get("3").text()).isEqualTo("no proxy answers");
    assertThat(purge.get("options").values()).isNotEmpty();
    assertThat(json("--json").values())
        .extracting(each -> each.get("command").text())
        .contains("loligo purge", "loligo acl test", "loligo cluster owner");
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
