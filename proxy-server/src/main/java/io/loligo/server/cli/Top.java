package io.loligo.server.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.ZoneId;
import java.util.concurrent.Callable;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code loligo top}: the running proxy live, in a terminal. */
@Command(
    name = "top",
    description = {
      "Shows the running proxy live in a terminal of 80 columns and 24 lines or more: requests and"
          + " bytes a second, hit ratios, times by class of response, memory, disks, and the"
          + " origins, clients and slowest requests of the last minutes. Without a terminal it"
          + " shows one view and ends.",
      "Keys: q ends, s sorts by another number, p pauses, ? explains."
    },
    exitCodeList = {
      "0:ended by q, or shown once",
      "1:the proxy refuses or fails",
      "2:the command line is wrong",
      "3:no proxy answers, or it has ended"
    },
    footer = {
      "  loligo top -f /etc/loligo/loligo.conf",
      "  loligo top --once --admin 127.0.0.1:3129",
      "  loligo top --json | jq .perSecond"
    })
final class Top implements Callable<Integer> {
  private static final int COLUMNS = 80;

  /** Lines of a view that no screen limits. */
  private static final int LINES = 50;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private RunningProxy proxy;

  @Option(names = "--once", description = "shows one view, with the rates of one second, and ends")
  private boolean once;

  @Option(
      names = "--json",
      description =
          "the same as JSON: members of stats, perSecond, and the arrays origins, clients and"
              + " slowest")
  private boolean json;

  @Override
  public Integer call() throws CommandFailure, InterruptedException, IOException {
    TopSource source = new TopSource(proxy::get);
    if (once || json || !TerminalOutput.isTerminal(TerminalOutput.OUTPUT)) {
      source.look();
      Thread.sleep(TopScreen.PERIOD_MILLIS);
      source.look();
      PrintWriter out = spec.commandLine().getOut();
      if (json) {
        out.println(TopJson.of(source));
      } else {
        TopView view = new TopView(COLUMNS, LINES, TopView.Order.REQUESTS, ZoneId.systemDefault());
        view.lines(source).forEach(out::println);
      }
      out.flush();
      return 0;
    }
    // programs of the system find out and set what the terminal does: no native library
    try (Terminal terminal =
        TerminalBuilder.builder().system(true).exec(true).jni(false).ffm(false).build()) {
      new TopScreen(terminal, source, ZoneId.systemDefault()).run();
    }
    return 0;
  }
}
