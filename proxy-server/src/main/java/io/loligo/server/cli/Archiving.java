package io.loligo.server.cli;

import io.loligo.server.json.JsonWriter;
import io.loligo.server.launch.ClassArchive;
import io.loligo.server.time.TimeSource;
import io.loligo.server.training.Training;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loligo archive}: writes the {@link ClassArchive} of this JVM. */
@Command(
    name = "archive",
    description =
        "Writes an archive for this JVM beside the jar, with which the proxy starts faster. Runs"
            + " the proxy for some seconds, without the network.",
    exitCodeList = {
      "0:written",
      "1:not written; the proxy then runs without",
      "2:the command line is wrong"
    },
    footer = "  loligo archive")
final class Archiving implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @Option(names = "--json", description = "as JSON: file")
  private boolean json;

  /** Classes are known after few requests; profiles need many. */
  private static final int FOR_CLASSES = 300;

  private static final int FOR_PROFILES = 6_000;
  private static final Duration AT_MOST = Duration.ofSeconds(15);

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    ClassArchive archive = ClassArchive.ofThisJvm();
    if (archive == null) {
      throw failed("the classes of this JVM are not those of one jar; next: use java -jar");
    }
    Path made = archive.file().resolveSibling(archive.file().getFileName() + ".new");
    Path folder = null;
    try {
      folder = Files.createTempDirectory("loligo-archive");
      Files.deleteIfExists(made);
      WaitingLine line = WaitingLine.of("running the proxy for the archive");
      try {
        new Training(folder, TimeSource.SYSTEM)
            .run(
                arguments -> archive.making(made, arguments),
                archive.hasProfiles() ? FOR_PROFILES : FOR_CLASSES,
                AT_MOST);
      } finally {
        line.end();
      }
      if (!Files.exists(made)) {
        throw failed("this JVM wrote none; next: " + archive.remedy());
      }
      Files.move(
          made,
          archive.file(),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      PrintWriter out = spec.commandLine().getOut();
      JsonWriter object = JsonWriter.compact().beginObject();
      object.member("file", archive.file().toString()).endObject();
      out.println(json ? object.toString() : "wrote " + archive.file());
      out.flush();
      return 0;
    } catch (IOException | GeneralSecurityException e) {
      throw failed(e + "; next: nothing, the proxy runs without; else try again");
    } finally {
      remove(made);
      if (folder != null) {
        remove(folder);
      }
    }
  }

  private static CommandFailure failed(String why) {
    return new CommandFailure(
        CommandFailure.FAILED, "WARNING: no archive for a faster start: " + why);
  }

  /** With all that is in it, if it exists. */
  private void remove(Path path) {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException left) {
      spec.commandLine()
          .getErr()
          .println("loligo: WARNING: temporary files stay in " + path + ": " + left);
    }
  }
}
