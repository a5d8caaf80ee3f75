package io.loligo.server.cli;

import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options of commands that change a running proxy, and its answers on the standard output. */
final class ChangeOptions {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec(Spec.Target.MIXEE)
  private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private RunningProxy proxy;

  @Option(names = "--json", description = "as JSON, one line for each answer")
  private boolean json;

  /** The proxy that is asked. */
  RunningProxy proxy() {
    return proxy;
  }

  /**
   * Prints {@code answer}.
   *
   * @param text its lines for people, without JSON
   */
  void print(String answer, Supplier<String> text) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.print(answer.strip() + "\n");
    } else {
      text.get().lines().forEach(out::println);
    }
    out.flush();
  }
}
