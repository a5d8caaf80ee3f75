package io.loligo.server.cli;

import io.loligo.server.json.JsonWriter;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loligo drain}: the running proxy ends when its exchanges have ended. */
@Command(
    name = "drain",
    description =
        "Makes the running proxy accept no new connections and end when its exchanges have ended,"
            + " as SIGTERM does, and waits for that. shutdown_lifetime limits the time of"
            + " exchanges.",
    exitCodeList = {
      "0:the proxy has ended",
      "1:the proxy refuses, or still runs after --timeout; it goes on draining",
      "2:the command line is wrong",
      "3:no proxy answers"
    },
    footer = "  loligo drain --timeout 120 -f /etc/loligo/loligo.conf")
final class Draining implements Callable<Integer> {
  private static final long LOOK_MILLIS = 200;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private RunningProxy proxy;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      description = "waits at most so long; 0: does not wait; default: ${DEFAULT-VALUE}")
  private long timeoutSeconds = 60;

  @Option(
      names = "--json",
      description = "as JSON, one object at the end: draining, and ended, also after --timeout")
  private boolean json;

  @Override
  public Integer call() throws CommandFailure, InterruptedException {
    proxy.post("/drain");
    if (!json) {
      print("draining");
    }
    boolean ended = timeoutSeconds > 0 && awaitEnd();
    if (json) {
      JsonWriter object = JsonWriter.compact().beginObject();
      print(object.member("draining", true).member("ended", ended).endObject().toString());
    } else if (ended) {
      print("ended");
    }
    if (!ended && timeoutSeconds > 0) {
      throw new CommandFailure(
          CommandFailure.FAILED, "still draining after " + timeoutSeconds + " s");
    }
    return 0;
  }

  private boolean awaitEnd() throws CommandFailure, InterruptedException {
    long startNanos = System.nanoTime();
    long mostNanos = TimeUnit.SECONDS.toNanos(timeoutSeconds);
    WaitingLine line = WaitingLine.of("waiting for the end of the proxy");
    try {
      while (proxy.isRunning()) {
        if (System.nanoTime() - startNanos > mostNanos) {
          return false;
        }
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      }
      return true;
    } finally {
      line.end();
    }
  }

  private void print(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
