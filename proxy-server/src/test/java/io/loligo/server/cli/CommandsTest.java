package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.json.JsonValue;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** What all commands have in common. */
class CommandsTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... words) {
    return Main.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(words);
  }

  @Test
  void eachCommandHasADescriptionExamplesAndExitStatuses() {
    for (CommandSpec command : CommandPages.commands()) {
      String name = command.qualifiedName();
      assertThat(command.usageMessage().description()).as(name).isNotEmpty();
      assertThat(command.usageMessage().exitCodeList().keySet()).as(name).contains("0", "2");
      List<String> examples = List.of(command.usageMessage().footer());
      assertThat(examples).as(name).isNotEmpty().allMatch(line -> line.contains("loligo "));
      command.optionsMap().values().forEach(o -> assertThat(o.description()).isNotEmpty());
    }
  }

  /** A program reads the log of {@code run}, and the script of {@code completion}, as they are. */
  @Test
  void eachCommandHasJsonForPrograms() {
    for (CommandSpec command : CommandPages.commands()) {
      String name = command.qualifiedName();
      boolean none = List.of("loligo run", "loligo completion").contains(name);
      boolean group = !command.subcommands().isEmpty();
      assertThat(command.optionsMap().containsKey("--json")).as(name).isEqualTo(!none && !group);
    }
  }

  @Test
  void examplesAreValidCommandLines() {
    for (CommandSpec command : CommandPages.commands()) {
      for (String example : command.usageMessage().footer()) {
        for (String part : example.split("&&|\\|", -1)) {
          if (part.strip().startsWith("loligo ")) {
            String[] words = part.split(">", 2)[0].strip().replace("'", "").split("(?<!:) +", -1);
            Main.commandLine()
                .parseArgs(List.of(words).subList(1, words.length).toArray(new String[0]));
          }
        }
      }
    }
  }

  @Test
  void helpShowsStatusesAndExamplesWithoutColours() {
    assertThat(run("purge", "--help")).isZero();
    assertThat(out.toString())
        .contains("Usage: loligo purge", "\nExit status:\n", "\nExamples:\n  loligo purge ")
        .doesNotContain("\u001b");
  }

  @Test
  void aWrongCommandLineIsStatus2() {
    assertThat(run("purge")).isEqualTo(2);
    assertThat(run("purge", "--group", "a")).isEqualTo(2);
    assertThat(run("ban")).isEqualTo(2);
    assertThat(run("ban", "x", "--list")).isEqualTo(2);
    assertThat(run("frob")).isEqualTo(2);
    assertThat(run("stats", "--frob")).isEqualTo(2);
    for (String place : List.of("", "a b", "3129", "127.0.0.1", "127.0.0.1:x", "h:1/state")) {
      assertThat(run("stats", "--admin", place)).as(place).isEqualTo(2);
    }
    assertThat(err.toString()).contains("loligo: --admin h:1/state (expected: HOST:PORT)");
  }

  @Test
  void aCommandOfCommandsShowsItsWholeName() {
    for (String command : List.of("acl", "cluster")) {
      assertThat(run(command)).isEqualTo(2);
      assertThat(err.toString()).contains("Usage: loligo " + command + " ");
    }
  }

  @Test
  void outputThatIsLostIsAFailure() {
    PrintStream full =
        new PrintStream(
            new OutputStream() {
              @Override
              public void write(int oneByte) throws IOException {
                throw new IOException("no space left");
              }
            });
    full.print("lost");
    assertThat(TerminalOutput.statusOf(full, 0)).isEqualTo(1);
    assertThat(TerminalOutput.statusOf(full, 3)).isEqualTo(3);
    assertThat(TerminalOutput.statusOf(new PrintStream(OutputStream.nullOutputStream()), 0))
        .isZero();
  }

  @Test
  void versionIsTheSameAsTheOption() {
    assertThat(run("version")).isZero();
    String version = out.toString();
    out.getBuffer().setLength(0);
    assertThat(run("--version")).isZero();
    assertThat(out).hasToString(version);
    out.getBuffer().setLength(0);
    assertThat(run("version", "--json")).isZero();
    assertThat(JsonValue.parse(out.toString()).get("java").text())
        .isEqualTo(Runtime.version().toString());
  }

  @Test
  void onlyATerminalGetsColoursUnlessRefused() {
    assertThat(TerminalOutput.hasColours(true, Map.of("TERM", "xterm"))).isTrue();
    assertThat(TerminalOutput.hasColours(false, Map.of("TERM", "xterm"))).isFalse();
    assertThat(TerminalOutput.hasColours(true, Map.of("NO_COLOR", "1"))).isFalse();
    assertThat(TerminalOutput.hasColours(true, Map.of("NO_COLOR", ""))).isTrue();
    assertThat(TerminalOutput.hasColours(true, Map.of("TERM", "dumb"))).isFalse();
  }

  @Test
  void numbersHaveUnits() {
    assertThat(UnitText.bytes(1023)).isEqualTo("1023 B");
    assertThat(UnitText.bytes(1536)).isEqualTo("1.5 KB");
    assertThat(UnitText.bytes(20.0 * (1 << 30))).isEqualTo("20 GB");
    assertThat(UnitText.time(999)).isEqualTo("999 us");
    assertThat(UnitText.time(3_140)).isEqualTo("3.1 ms");
    assertThat(UnitText.time(61_000_000)).isEqualTo("61 s");
    assertThat(UnitText.duration(59)).isEqualTo("59 s");
    assertThat(UnitText.duration(3_599)).isEqualTo("59 min 59 s");
    assertThat(UnitText.duration(7_260)).isEqualTo("2 h 1 min");
    assertThat(UnitText.duration(90_000)).isEqualTo("1 d 1 h");
    assertThat(UnitText.percent(0.781)).isEqualTo("78.1 %");
  }

  @Test
  void theWholeModelIsValid() {
    CommandLine loligo = Main.commandLine();
    assertThat(loligo.getSubcommands().keySet())
        .contains(
            "run", "check", "acl", "shadow", "explain", "purge", "ban", "stats", "top", "report")
        .contains("reload", "rotate", "drain", "version", "help");
  }
}
