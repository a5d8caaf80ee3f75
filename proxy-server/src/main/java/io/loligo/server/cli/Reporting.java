package io.loligo.server.cli;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.report.LogReport;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loligo report ACCESS.LOG…} and {@code -f FILE}: a page of graphs of access logs. */
@Command(
    name = "report",
    description =
        "Reads access logs in Squid's native format, loligo_stages or loligo_json, also gzip, and"
            + " writes an HTML page with graphs of rates, times, sizes, hits, disk and servers. A"
            + " terminal shows the progress.",
    exitCodeList = {
      "0:the page is written",
      "1:it is written, but a log could not be read to its end",
      "2:no line can be read, or the page cannot be written; or the command line is wrong"
    },
    footer = {
      "  loligo report /var/log/squid/access.log -o report.html",
      "  loligo report -f /etc/loligo/loligo.conf -o report.html",
      "  loligo report --json -f /etc/loligo/loligo.conf -o - | jq .hitRatio"
    })
final class Reporting implements Callable<Integer> {
  /**
   * Flags of a JVM that takes less than 256 MB in all. The tables of a log of 10 million lines have
   * 132 MB.
   */
  static final List<String> JVM_FLAGS =
      List.of("-XX:+UseSerialGC", "-Xms32m", "-Xmx160m", "-XX:MaxDirectMemorySize=16m");

  private static final int PARTLY = 1;
  private static final int UNREADABLE = 2;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Spec
  private CommandSpec spec;

  @Parameters(
      paramLabel = "ACCESS.LOG",
      arity = "0..*",
      description = "logs in any order, also gzip; -: standard input")
  private List<String> logs = List.of();

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description =
          "reads the access log of this configuration, with its old files, and the history of its"
              + " proxy")
  private @Nullable Path file;

  @SuppressWarnings("NullAway.Init") // picocli sets it
  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "FILE",
      description = "the page; -: standard output")
  private String output;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description = "time zone of the graphs, such as UTC or Europe/Berlin; default: the system's")
  private String zone = "";

  @Option(names = "--json", description = "writes figures as JSON in place of the page")
  private boolean json;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (logs.isEmpty() == (file == null)) {
      return refuse("access logs or -f FILE are required, not both");
    }
    ProxyConfig config = null;
    if (file != null) {
      config = Features.reader(new FileConfigSource()).read(file.toString()).config();
      if (config == null) {
        return refuse(file + " has errors (see: loligo check -f " + file + ")");
      }
      logs = ReportedLogs.of(config);
      if (logs.isEmpty()) {
        return refuse(
            file
                + " has no access_log that can be read (expected: a file of the format squid,"
                + " loligo_stages or loligo_json)");
      }
    }
    for (String log : logs) {
      if (isOutput(log)) {
        return refuse("-o " + output + " is one of the logs (expected: another file)");
      }
    }
    LogReport report;
    try {
      ZoneId times = zone.isEmpty() ? ZoneId.systemDefault() : ZoneId.of(zone);
      report =
          LogReport.read(
              logs,
              System.in,
              System.currentTimeMillis(),
              times,
              TerminalOutput.hasProgress(TerminalOutput.ERRORS) ? System.err : null);
    } catch (DateTimeException e) {
      return refuse("--zone " + zone + " is no time zone (expected: such as Europe/Berlin)");
    }
    report.problems().forEach(this::say);
    if (config != null && report.accesses() > 0) {
      ReportedProxy.addTo(report, config, System.currentTimeMillis());
    }
    if (report.accesses() == 0) {
      report.examples().forEach(this::say);
      return refuse(
          "no line has a known format ("
              + report.unreadable()
              + " lines are unreadable; expected: squid, loligo_stages or loligo_json)");
    }
    try {
      write(report);
    } catch (IOException e) {
      return refuse(output + " cannot be written: " + e.getMessage());
    }
    return report.problems().isEmpty() ? 0 : PARTLY;
  }

  private void write(LogReport report) throws IOException {
    if (output.equals("-")) {
      write(report, System.out);
      System.out.flush();
      return;
    }
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(Path.of(output)))) {
      write(report, out);
    }
    say(report.accesses() + " accesses, " + report.unreadable() + " unreadable lines: " + output);
  }

  private void write(LogReport report, OutputStream out) throws IOException {
    if (json) {
      report.writeFigures(out);
    } else {
      report.write(out);
    }
  }

  private boolean isOutput(String log) throws IOException {
    Path page = Path.of(output);
    Path file = Path.of(log);
    return !output.equals("-")
        && Files.exists(page)
        && Files.exists(file)
        && Files.isSameFile(page, file);
  }

  private int refuse(String reason) {
    say(reason);
    return UNREADABLE;
  }

  private void say(String text) {
    spec.commandLine().getErr().println("loligo: " + text);
    spec.commandLine().getErr().flush();
  }
}
