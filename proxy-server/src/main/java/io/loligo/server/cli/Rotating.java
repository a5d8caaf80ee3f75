package io.loligo.server.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loligo rotate}: the running proxy begins new log files. */
@Command(
    name = "rotate",
    description =
        "Makes the running proxy number its log files, as logfile_rotate says, and begin new ones."
            + " It does not wait for the log writer.",
    exitCodeList = {
      "0:the proxy rotates its logs",
      "1:the proxy refuses",
      "2:the command line is wrong",
      "3:no proxy answers"
    },
    footer = "  loligo rotate -f /etc/loligo/loligo.conf")
final class Rotating implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private RunningProxy proxy;

  @Option(names = "--json", description = "as JSON: rotating")
  private boolean json;

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    String answer = proxy.post("/rotate");
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? answer.strip() : "logs are rotated");
    out.flush();
    return 0;
  }
}
