package io.loligo.server.cli;

import io.loligo.server.json.JsonWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loligo manual FOLDER}: writes the man pages. */
@Command(
    name = "manual",
    description =
        "Writes the man pages of all commands (man1), and of the configuration with all its"
            + " directives (man5), into a folder.",
    exitCodeList = {"0:written", "1:the folder cannot be written", "2:the command line is wrong"},
    footer = {
      "  loligo manual /usr/local/share/man",
      "  loligo manual ~/.local/share/man && man loligo.conf"
    })
final class Manual implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Parameters(paramLabel = "FOLDER", description = "gets the folders man1 and man5")
  private Path folder;

  @Option(names = "--json", description = "as JSON: folder, pages (their paths in it)")
  private boolean json;

  @Override
  public Integer call() throws CommandFailure {
    Map<String, String> pages = ManualPages.all(spec.root());
    try {
      for (Map.Entry<String, String> page : pages.entrySet()) {
        Path file = folder.resolve(page.getKey());
        Files.createDirectories(file.getParent());
        Files.writeString(file, page.getValue());
      }
    } catch (IOException e) {
      throw new CommandFailure(
          CommandFailure.FAILED, "man pages cannot be written into " + folder + ": " + e);
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? json(pages.keySet()) : pages.size() + " pages in " + folder);
    out.flush();
    return 0;
  }

  private JsonWriter json(Set<String> pages) {
    JsonWriter object = JsonWriter.compact().beginObject();
    object.member("folder", folder.toString()).name("pages").beginArray();
    pages.forEach(object::value);
    return object.endArray().endObject();
  }
}
