package io.loligo.server.cli;

import io.loligo.server.json.JsonWriter;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loligo health}: whether the running proxy is ready; {@link ReadinessProbe} costs less. */
@Command(
    name = "health",
    description =
        "Tells whether the running proxy is ready for requests, for the health check of a"
            + " container. It asks /health/ready. The launcher bin/loligo runs it in a small JVM"
            + " of 20 MB, if the configuration has loligo_admin_port without TLS, and no include.",
    exitCodeList = {
      "0:ready",
      "1:not ready: it opens or stops",
      "2:the command line is wrong",
      "3:no proxy answers"
    },
    footer = "  loligo health -f /etc/loligo/loligo.conf")
final class Health implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private RunningProxy proxy;

  @Option(names = "--json", description = "as JSON: ready")
  private boolean json;

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    String answer = proxy.getText("/health/ready");
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        json
            ? JsonWriter.compact().beginObject().member("ready", true).endObject()
            : answer.strip());
    out.flush();
    return 0;
  }
}
