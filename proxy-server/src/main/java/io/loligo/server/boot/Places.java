package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import io.loligo.server.accesslog.LogDirectives;
import io.loligo.server.accesslog.LogTarget;
import io.loligo.server.history.HistoryDirectives;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds a place for every file that is written: the configured one or, with a warning that names
 * the line, one below {@code ./var/log}. Stateless.
 */
public final class Places {
  private static final Logger LOG = LoggerFactory.getLogger(Places.class);

  private static final List<Setting<List<LogTarget>>> LOGS =
      List.of(LogDirectives.ACCESS_LOG, LogDirectives.ICAP_LOG, LogDirectives.SLOW_LOG);

  private Places() {}

  /**
   * The same configuration with writable places.
   *
   * @throws IOException if there is none for a file
   */
  public static ProxyConfig of(ProxyConfig config) throws IOException {
    ProxyConfig placed = config;
    for (Setting<List<LogTarget>> lines : LOGS) {
      placed = logs(placed, lines);
    }
    placed = place(placed, ProcessDirectives.CACHE_LOG);
    if (HistoryPlace.isWanted(placed)) {
      placed = place(placed, HistoryDirectives.HISTORY);
    }
    return place(placed, ProcessDirectives.PID_FILENAME);
  }

  /** The message that {@link #of} would give for each file without a place. */
  static List<String> problems(ProxyConfig config) {
    List<String> problems = new ArrayList<>();
    for (Setting<List<LogTarget>> lines : LOGS) {
      for (LogTarget log : config.get(lines)) {
        if (isFile(log, config)) {
          check(log.place(), problems);
        }
      }
    }
    check(config.get(ProcessDirectives.CACHE_LOG), problems);
    check(config.get(ProcessDirectives.PID_FILENAME), problems);
    return problems;
  }

  private static void check(@Nullable String named, List<String> problems) {
    if (named == null || named.isEmpty() || named.equals("none")) {
      return;
    }
    try {
      WritablePath.of(named);
    } catch (IOException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
  }

  private static ProxyConfig logs(ProxyConfig config, Setting<List<LogTarget>> lines)
      throws IOException {
    List<LogTarget> logs = new ArrayList<>();
    for (LogTarget log : config.get(lines)) {
      logs.add(isFile(log, config) ? log.at(place(log.place(), lines.name(), log.source())) : log);
    }
    return config.with(lines, logs);
  }

  private static ProxyConfig place(ProxyConfig config, Setting<@Nullable String> file)
      throws IOException {
    String named = config.get(file);
    return named == null
        ? config
        : config.with(file, place(named, file.name(), config.source(file)));
  }

  /** Whether this process writes {@code log} to a file. */
  public static boolean isFile(LogTarget log, ProxyConfig config) {
    return log.module().equals("stdio")
        || (log.module().equals("daemon") && config.get(LogDirectives.LOGFILE_DAEMON).isEmpty());
  }

  private static String place(String named, String directive, String source) throws IOException {
    if (named.isEmpty() || named.equals("none")) {
      return named;
    }
    WritablePath found = WritablePath.of(named);
    if (found.moved() != null) {
      LOG.warn(
          "{}: {} {}: {}: writing {} instead; next: make the first path writable for the user of"
              + " the process",
          source.isEmpty() ? "default" : source,
          directive,
          named,
          found.moved(),
          found.path());
    }
    return found.path().toString();
  }
}
