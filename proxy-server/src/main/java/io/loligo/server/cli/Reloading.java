package io.loligo.server.cli;

import io.loligo.server.json.JsonValue;
import java.io.PrintWriter;
import java.net.http.HttpResponse;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loligo reload}: the running proxy reads its configuration again. */
@Command(
    name = "reload",
    description =
        "Makes the running proxy read its configuration again, and waits for the result. The whole"
            + " file is applied, or nothing: each problem is a line of the output.",
    exitCodeList = {
      "0:reloaded; lines show the changes in force, and those that need a restart",
      "1:not reloaded: the old configuration stays in force, and the lines say why",
      "2:the command line is wrong",
      "3:no proxy answers"
    },
    footer =
        "  loligo check -f /etc/loligo/loligo.conf && loligo reload -f /etc/loligo/loligo.conf")
final class Reloading implements Callable<Integer> {
  private static final int NOT_RELOADED = 422;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private RunningProxy proxy;

  @Option(names = "--json", description = "as JSON")
  private boolean json;

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    HttpResponse<String> answer = proxy.post("/reload", NOT_RELOADED);
    boolean done = answer.statusCode() != NOT_RELOADED;
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.print(answer.body());
    } else {
      JsonValue.parse(answer.body())
          .get("lines")
          .values()
          .forEach(line -> out.println(line.text()));
      out.println(done ? "reloaded" : "not reloaded, the old configuration stays in force");
    }
    out.flush();
    return done ? 0 : CommandFailure.FAILED;
  }
}
