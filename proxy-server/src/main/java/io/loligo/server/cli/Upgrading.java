package io.loligo.server.cli;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.boot.TakeoverPlace;
import io.loligo.server.json.JsonWriter;
import io.loligo.server.takeover.Takeover;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loligo upgrade -f FILE}: the running proxy is replaced by a new process. */
@Command(
    name = "upgrade",
    description =
        "Replaces the running proxy by a new process without a refused connection: the running one"
            + " starts its own command line again, with the program files that are there now. The"
            + " new process takes the ports over, and the old one ends when its exchanges have"
            + " ended. If the new one does not start, the old one goes on.",
    exitCodeList = {
      "0:the new process serves",
      "1:the old process goes on: the reason is printed",
      "2:it is not known whether the new process serves: the log says it; or the command line is"
          + " wrong",
      "3:no proxy answers at the socket"
    },
    footer = "  loligo upgrade -f /etc/loligo/loligo.conf")
final class Upgrading implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "configuration of the running proxy")
  private Path file;

  @Option(names = "--json", description = "as JSON: pid")
  private boolean json;

  @Override
  public Integer call() throws CommandFailure {
    ProxyConfig config = Features.reader(new FileConfigSource()).read(file.toString()).config();
    if (config == null) {
      throw new CommandFailure(
          CommandFailure.FAILED, file + " has errors (see: loligo check -f " + file + ")");
    }
    Path socket = TakeoverPlace.of(config);
    if (socket == null) {
      throw new CommandFailure(
          CommandFailure.FAILED, file + " has neither loligo_takeover_socket nor pid_filename");
    }
    try (Takeover running = Takeover.at(socket)) {
      long pid = startSuccessor(running);
      JsonWriter object = JsonWriter.compact().beginObject().member("pid", pid).endObject();
      PrintWriter out = spec.commandLine().getOut();
      out.println(json ? object.toString() : "process " + pid + " has taken over");
      out.flush();
      return 0;
    } catch (Takeover.UnknownOutcomeException e) {
      throw new CommandFailure(CommandFailure.UNKNOWN, String.valueOf(e.getMessage()));
    } catch (Takeover.NotRunningException e) {
      throw new CommandFailure(
          CommandFailure.NOT_RUNNING,
          e.getMessage()
              + "; next: is the proxy running, and was it started or reloaded with this"
              + " socket?");
    } catch (IOException e) {
      throw new CommandFailure(CommandFailure.FAILED, String.valueOf(e.getMessage()));
    }
  }

  private static long startSuccessor(Takeover running) throws IOException {
    WaitingLine line = WaitingLine.of("waiting for the new process");
    try {
      return running.startSuccessor();
    } finally {
      line.end();
    }
  }
}
