package io.loligo.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.boot.Features;
import io.loligo.server.json.JsonValue;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The man pages, and what groff says about them. */
class ManualTest {
  @TempDir Path dir;

  private List<Path> pages() throws IOException {
    StringWriter out = new StringWriter();
    assertThat(
            Main.commandLine()
                .setOut(new PrintWriter(out))
                .execute("manual", dir.resolve("man").toString()))
        .isZero();
    try (Stream<Path> files = Files.walk(dir.resolve("man"))) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @Test
  void eachCommandAndTheConfigurationHaveAPage() throws IOException {
    assertThat(pages())
        .extracting(page -> dir.resolve("man").relativize(page).toString())
        .hasSize(CommandPages.commands().size() + 1)
        .contains(
            "man1/loligo.1", "man1/loligo-purge.1", "man1/loligo-acl-test.1", "man5/loligo.conf.5");
  }

  @Test
  void programsLearnThePages() {
    StringWriter out = new StringWriter();
    Path folder = dir.resolve("man");
    Main.commandLine().setOut(new PrintWriter(out)).execute("manual", "--json", folder.toString());
    JsonValue json = JsonValue.parse(out.toString());
    assertThat(json.get("folder").text()).isEqualTo(folder.toString());
    assertThat(json.get("pages").values())
        .hasSize(CommandPages.commands().size() + 1)
        .allMatch(page -> Files.isRegularFile(folder.resolve(page.text())));
  }

  @Test
  void theConfigurationHasEachDirective() throws IOException {
    pages();
    String page = Files.readString(dir.resolve("man/man5/loligo.conf.5"));
    Features.directives().all().stream()
        .filter(directive -> directive.isUsed())
        .forEach(one -> assertThat(page).contains("\\fB" + one.name() + " "));
  }

  @Test
  void groffHasNoWarnings() throws Exception {
    Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/groff")), "groff is not installed");
    for (Path page : pages()) {
      Process groff =
          new ProcessBuilder("groff", "-man", "-ww", "-Tascii", page.toString())
              .redirectError(dir.resolve("warnings").toFile())
              .start();
      String shown = new String(groff.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(groff.waitFor()).isZero();
      assertThat(dir.resolve("warnings")).as(page.toString()).isEmptyFile();
      assertThat(shown.replaceAll(".\b|\u001b\\[[0-9;]*m", "")).contains("NAME", "SEE ALSO");
    }
  }

  @Test
  void aFolderThatCannotBeMadeIsAFailure() throws IOException {
    Path file = Files.writeString(dir.resolve("file"), "");
    StringWriter err = new StringWriter();
    assertThat(
            Main.commandLine()
                .setErr(new PrintWriter(err))
                .execute("manual", file.resolve("man").toString()))
        .isEqualTo(1);
    assertThat(err.toString()).startsWith("loligo: man pages cannot be written into ");
  }
}
