package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import io.loligo.server.accesslog.LogDirectives;
import io.loligo.server.accesslog.LogTarget;
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
final class Places {
  private static final Logger LOG = LoggerFactory.getLogger(Places.class);

  private Places() {}

  /**
   * The same configuration with writable places.
   *
   * @throws IOException if there is none for a file
   */
  static ProxyConfig of(ProxyConfig config) throws IOException {
    List<LogTarget> logs = new ArrayList<>();
    for (LogTarget log : config.get(LogDirectives.ACCESS_LOG)) {
      logs.add(place(log));
    }
    ProxyConfig placed = config.with(LogDirectives.ACCESS_LOG, logs);
    placed = place(placed, ProcessDirectives.CACHE_LOG);
    return place(placed, ProcessDirectives.PID_FILENAME);
  }

  private static ProxyConfig place(ProxyConfig config, Setting<@Nullable String> file)
      throws IOException {
    String named = config.get(file);
    return named == null
        ? config
        : config.with(file, place(named, file.name(), config.source(file)));
  }

  private static LogTarget place(LogTarget log) throws IOException {
    boolean isFile = log.module().equals("stdio") || log.module().equals("daemon");
    return isFile
        ? new LogTarget(
            log.module(),
            place(log.place(), "access_log", log.source()),
            log.format(),
            log.access(),
            log.source())
        : log;
  }

  private static String place(String named, String directive, String source) throws IOException {
    if (named.isEmpty() || named.equals("none")) {
      return named;
    }
    WritablePath found = WritablePath.of(named);
    if (found.moved() != null) {
      LOG.warn(
          "{}: {} {}: {}: writing {} instead",
          source.isEmpty() ? "default" : source,
          directive,
          named,
          found.moved(),
          found.path());
    }
    return found.path().toString();
  }
}
