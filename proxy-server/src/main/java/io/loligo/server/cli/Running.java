package io.loligo.server.cli;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.AutomaticSizes;
import io.loligo.server.boot.Daemon;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.boot.MemoryFit;
import io.loligo.server.boot.ProcessDirectives;
import io.loligo.server.boot.StartProblems;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loligo run -f FILE}: the proxy, in the foreground, until SIGTERM. */
@Command(
    name = "run",
    description = "Runs the proxy in the foreground until SIGTERM.",
    exitCodeList = {
      "0:stopped as asked",
      "1:not started",
      "2:the command line is wrong",
      "75:stopped because a log failed, or a process that had taken over"
    },
    footer = "  loligo run -f /etc/loligo/loligo.conf")
final class Running implements Callable<Integer> {
  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Option(
      names = {"-f", "--file"},
      required = true,
      paramLabel = "FILE",
      description = "configuration in Squid's dialect")
  private Path file;

  @Option(
      names = "--take-over",
      description =
          "takes the listening ports and the store over from the running proxy of the same"
              + " configuration, which then ends when its exchanges have ended; see upgrade")
  private boolean takesOver;

  @Override
  public Integer call() {
    return run(file, -1, takesOver);
  }

  /**
   * Runs until a signal ends it. Returns the exit status.
   *
   * @param debugLevel of messages until the first reload; -1: as {@code debug_options} says
   * @param takesOver whether it takes over from a running process
   */
  static int run(Path file, int debugLevel, boolean takesOver) {
    ConfigResult read = read(file);
    ConfigResult result = MemoryFit.check(read, file.toString());
    for (ConfigProblem problem : result.problems()) {
      System.err.println(problem.text());
    }
    ProxyConfig config = result.config();
    if (config == null) {
      if (read.config() != null) {
        StartProblems.of(read.config()).forEach(System.err::println);
      }
      System.err.println("loligo: not started: " + file + " has errors");
      return CommandFailure.FAILED;
    }
    ProxyConfig wanted =
        debugLevel < 0 ? config : config.with(ProcessDirectives.DEBUG_OPTIONS, "ALL," + debugLevel);
    return new Daemon(wanted, () -> read(file), file, takesOver).run();
  }

  private static ConfigResult read(Path file) {
    return AutomaticSizes.of(Features.reader(new FileConfigSource()).read(file.toString()));
  }
}
