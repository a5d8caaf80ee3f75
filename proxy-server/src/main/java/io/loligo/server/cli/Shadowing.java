package io.loligo.server.cli;

import io.loligo.core.config.ExaminedConfig;
import io.loligo.core.config.LineReport;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.check.LogReplay;
import io.loligo.server.logfile.LogSource;
import io.loligo.server.report.ReadingProgress;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loligo shadow ACCESS.LOG}: replays the requests of a log through the rules of a file. */
@Command(
    name = "shadow",
    description =
        "Asks the rules of a configuration about each request of a log, and shows where the verdict"
            + " differs from the one in the log. Nothing is sent, looked up or started. A terminal"
            + " shows the progress.",
    exitCodeList = {
      "0:no verdict differs",
      "1:some do",
      "2:the log or the file cannot be read; or the command line is wrong"
    },
    footer = {
      "  loligo shadow /var/log/squid/access.log -f /etc/loligo/loligo.conf",
      "  zcat access.log.*.gz | loligo shadow - --examples 20 -f /etc/loligo/loligo.conf"
    })
final class Shadowing implements Callable<Integer> {
  private static final int UNREADABLE = 2;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Parameters(
      paramLabel = "ACCESS.LOG",
      description = "log of Squid or Loligo, also gzip; -: standard input")
  private String log;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Mixin
  private ConfigOption file;

  @Option(
      names = "--format",
      paramLabel = "NAME|FORMAT",
      description = "a logformat: built in, of the file, or its codes; default: ${DEFAULT-VALUE}")
  private String format = "squid";

  @Option(
      names = "--examples",
      paramLabel = "NUMBER",
      description = "requests shown of each line of the file; default: ${DEFAULT-VALUE}")
  private int examples = 5;

  @Option(names = "--json", description = "as JSON")
  private boolean json;

  @Override
  public Integer call() {
    ConfigOption.Read read = file.read();
    if (read == null) {
      return UNREADABLE;
    }
    String codes = codes(read.examined());
    if (codes == null) {
      System.err.println("loligo: no logformat has the name " + format);
      return UNREADABLE;
    }
    LogReplay replay =
        new LogReplay(read.examined(), read.config(), codes, examples, System.currentTimeMillis());
    try {
      read(source(), replay, TerminalOutput.hasProgress(TerminalOutput.ERRORS) ? System.err : null);
    } catch (IOException e) {
      System.err.println("loligo: " + log + " cannot be read: " + e.getMessage());
      return UNREADABLE;
    }
    System.out.print(json ? replay.json() : replay.text());
    return replay.exitStatus();
  }

  /**
   * Gives {@code replay} all of {@code log}.
   *
   * @param terminal gets a line that shows the progress, and that is gone at the end; null: none
   */
  static void read(LogSource log, LogReplay replay, @Nullable PrintStream terminal)
      throws IOException {
    LogSource.Opened opened = log.open();
    ReadingProgress progress = new ReadingProgress(terminal, log.size());
    try (InputStream in = opened.text()) {
      replay.read(in, lines -> progress.at(lines, opened.counted().count()));
    } finally {
      progress.end();
    }
  }

  private LogSource source() {
    return log.equals(LogSource.STANDARD_INPUT)
        ? LogSource.of("standard input", System.in)
        : LogSource.of(Path.of(log));
  }

  private @Nullable String codes(ExaminedConfig examined) {
    if (format.indexOf('%') >= 0) {
      return format;
    }
    Map<String, String> named = new HashMap<>();
    for (LineReport line : examined.result().lines()) {
      String[] words = line.text().split("[ \t]+", 3);
      if (words[0].equals("logformat") && words.length == 3) {
        named.put(words[1], words[2]);
      }
    }
    named.putAll(LogFormat.builtIn());
    return named.get(format);
  }
}
