package io.loligo.server.cli;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.boot.HistoryPlace;
import io.loligo.server.boot.Places;
import io.loligo.server.report.LogReport;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Adds to a report what the logs of a proxy cannot have: its history, and the responses that the
 * running process wrote to disk. Stateless.
 */
final class ReportedProxy {
  private static final Pattern SIZE = Pattern.compile("\\[(\\d+),(\\d+)]");
  private static final Pattern BY_SIZE = Pattern.compile("\\[(\\d+),(\\d+),(\\d+)]");
  private static final int OK = 200;

  private ReportedProxy() {}

  /** Adds the figures of the process; the page names those that are missing. */
  static void addTo(LogReport report, ProxyConfig config, long nowMillis)
      throws InterruptedException {
    AdminCall call = AdminCall.of(config);
    if (call == null) {
      report.note(
          "The configuration has no loligo_admin_port: writes to disk by size are missing, and the"
              + " numbers of the history may end some minutes ago.");
    } else {
      ask(report, call);
    }
    try {
      Path history = HistoryPlace.of(Places.of(config));
      if (history == null || !Files.exists(history)) {
        report.note(
            history == null
                ? "The proxy keeps no history in a file (loligo_history): numbers of writes to disk"
                    + " are missing."
                : "There is no " + history + " yet: numbers of writes to disk are missing.");
        return;
      }
      report.addHistory(history, nowMillis);
      report.note("Writes to disk, and samples of the disks, are those of " + history + ".");
    } catch (IOException e) {
      report.note("Numbers of writes to disk are missing: the history cannot be read: " + why(e));
    }
  }

  private static void ask(LogReport report, AdminCall call) throws InterruptedException {
    try {
      HttpResponse<String> answer = call.get("/report");
      if (answer.statusCode() == OK) {
        add(report, answer.body());
        return;
      }
      missing(report, call.authority() + " answers with status " + answer.statusCode());
    } catch (IOException e) {
      missing(report, why(e));
    }
  }

  private static @Nullable String why(IOException e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  private static void missing(LogReport report, @Nullable String why) {
    report.note(
        "The running proxy was not asked ("
            + why
            + "): writes to disk by size are missing, and the numbers of the history may end some"
            + " minutes ago.");
  }

  private static void add(LogReport report, String json) {
    if (json.contains("\"historySaved\":false")) {
      report.note(
          "The proxy has not written its history: its numbers may end some minutes ago, or are"
              + " missing.");
    }
    Matcher size = SIZE.matcher(json);
    while (size.find()) {
      report.addStored(number(size, 1), number(size, 2));
    }
    Matcher bySize = BY_SIZE.matcher(json);
    while (bySize.find()) {
      report.addStored(number(bySize, 1), number(bySize, 2), number(bySize, 3));
    }
  }

  private static long number(Matcher row, int group) {
    return Long.parseLong(row.group(group));
  }
}
