package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Completion scripts, and what bash, zsh and fish make of them. */
class CompletionScriptTest {
  @TempDir Path dir;

  private static String script(String shell) {
    StringWriter out = new StringWriter();
    assertThat(Main.commandLine().setOut(new PrintWriter(out)).execute("completion", shell))
        .isZero();
    return out.toString();
  }

  private List<String> completed(String line) throws IOException, InterruptedException {
    Path script = Files.writeString(dir.resolve("loligo"), script("bash"));
    String words = "loligo " + line;
    int last = words.split(" ", -1).length - 1;
    String asked =
        ". %s; COMP_WORDS=(%s); COMP_CWORD=%d; _complete_loligo; printf '%%s\\n' \"${COMPREPLY[@]}\""
            .formatted(script, words.endsWith(" ") ? words + "''" : words, last);
    Process bash =
        new ProcessBuilder("bash", "--norc", "-c", asked)
            .directory(dir.toFile())
            .redirectErrorStream(true)
            .start();
    String answer = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor()).as(answer).isZero();
    return answer.lines().map(String::strip).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "pu, purge",
    "re, reload",
    "purge --so, --soft",
    "purge --t, --tag",
    "acl te, test",
    "completion f, fish",
    "help cache_m, cache_mem",
    "run --fi, --file"
  })
  void bashCompletes(String line, String expected) throws Exception {
    assertThat(completed(line)).contains(expected);
  }

  @Test
  void bashCompletesFiles() throws Exception {
    Files.writeString(dir.resolve("my.conf"), "");
    assertThat(completed("check my")).contains("my.conf");
    assertThat(completed("run -f my")).contains("my.conf");
  }

  @Test
  void fishHasEachCommandWithItsOptions() {
    String fish = script("fish");
    assertThat(fish)
        .contains("complete -c loligo -n '__fish_use_subcommand' -a purge -d 'Removes stored")
        .contains("complete -c loligo -n '__fish_seen_subcommand_from purge' -l soft -d ")
        .contains("complete -c loligo -n '__fish_seen_subcommand_from run' -s f -l file -r -F -d ")
        .contains(
            "complete -c loligo -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'")
        .contains(" cache_mem ");
    // each line is a command with balanced quotes
    assertThat(fish.lines())
        .allMatch(line -> line.startsWith("complete -c loligo"))
        .allMatch(line -> line.replace("\\'", "").chars().filter(c -> c == '\'').count() % 2 == 0);
  }

  /** Types {@code $2} and two tabs into a shell that has the script {@code $1}. */
  private static final String TYPE_INTO_ZSH =
      """
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "autoload -U compinit; compinit -u -D; source $1; print lo''aded"
      zpty -r shell seen '*loaded*'
      zpty -w -n shell "loligo $2"$'\t\t'
      zpty -r shell seen "*loligo $3*" && print -r -- completed
      """;

  @ParameterizedTest
  @CsvSource({
    "purg, purge",
    "rel, reload",
    "purge --so, purge --soft",
    "acl te, acl test",
    "complet, completion",
    "help cache_me, help cache_mem",
    "check my, check my.conf",
  })
  void zshCompletes(String line, String expected) throws Exception {
    Files.writeString(dir.resolve("my.conf"), "");
    Path script = Files.writeString(dir.resolve("loligo.zsh"), script("zsh"));
    assertThat(shell("zsh", "-f", "-c", TYPE_INTO_ZSH, "zsh", script.toString(), line, expected))
        .contains("completed");
  }

  @ParameterizedTest
  @CsvSource({
    "pu, purge",
    "purge --so, --soft",
    "acl te, test",
    "acl test --cl, --client",
    "completion f, fish",
    "help cache_m, cache_mem",
    "run -f my, my.conf",
    "check my, my.conf"
  })
  void fishCompletes(String line, String expected) throws Exception {
    Files.writeString(dir.resolve("my.conf"), "");
    Path script = Files.writeString(dir.resolve("loligo.fish"), script("fish"));
    String asked = "source " + script + "; complete -C 'loligo " + line + "'";
    assertThat(shell("fish", "--no-config", "-c", asked).lines())
        .map(offered -> offered.split("\t", -1)[0])
        .contains(expected);
  }

  private String shell(String... command) throws IOException, InterruptedException {
    Path output = dir.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(dir.toFile())
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(output.toFile());
    builder.environment().put("HOME", dir.toString());
    builder.environment().put("TERM", "dumb");
    Process shell;
    try {
      shell = builder.start();
    } catch (IOException e) {
      assumeTrue(false, command[0] + " is not installed");
      throw e;
    }
    boolean ended = shell.waitFor(1, TimeUnit.MINUTES);
    shell.destroyForcibly().waitFor();
    String answer = Files.readString(output);
    assertThat(ended).as(answer).isTrue();
    return answer;
  }

  @Test
  void zshGetsTheScriptOfBash() {
    assertThat(script("zsh")).isEqualTo(script("bash")).contains("bashcompinit");
  }

  /** As Debian's packages want it. */
  @Test
  void aScriptToBeReadDoesNotBeginAsAProgram() {
    assertThat(script("bash")).startsWith("#\n# loligo Bash Completion\n");
  }
}
