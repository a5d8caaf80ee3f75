package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.ProxyConfig.AccessLog;
import io.loligo.core.config.ProxyConfig.Logging;
import io.loligo.core.config.ProxyConfig.Workers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds a place for every file that is written: where the configuration says or, with a warning
 * that names the line, below {@code ./var/log}. Stateless.
 */
final class Places {
  private static final Logger LOG = LoggerFactory.getLogger(Places.class);

  private Places() {}

  /**
   * The same configuration with places that can be written.
   *
   * @throws IOException where there is none for a file
   */
  static ProxyConfig of(ProxyConfig config) throws IOException {
    Logging logging = config.logging();
    List<AccessLog> logs = new ArrayList<>();
    for (AccessLog log : logging.accessLogs()) {
      logs.add(place(log));
    }
    Logging placed =
        new Logging(
            logs,
            logging.formats(),
            logging.syslog(),
            place(logging.cacheLog(), "cache_log", logging.cacheLogSource()),
            logging.cacheLogSource(),
            logging.debugOptions(),
            logging.rotate(),
            logging.stripQueryTerms(),
            logging.logMimeHeaders(),
            logging.blockWhenFull());
    Workers workers = config.workers();
    Workers placedWorkers =
        new Workers(
            workers.eventLoops(),
            workers.transport(),
            workers.allocator(),
            place(workers.pidFile(), "pid_filename", workers.pidFileSource()),
            workers.pidFileSource(),
            workers.warnings());
    return new ProxyConfig(
        config.ports(),
        config.access(),
        config.caching(),
        config.memory(),
        config.disk(),
        config.timeouts(),
        config.connections(),
        config.limits(),
        config.forwarding(),
        config.dns(),
        placed,
        config.admin(),
        placedWorkers,
        config.settings());
  }

  private static AccessLog place(AccessLog log) throws IOException {
    boolean isFile = log.module().equals("stdio") || log.module().equals("daemon");
    return isFile
        ? new AccessLog(
            log.module(),
            place(log.place(), "access_log", log.source()),
            log.format(),
            log.access(),
            log.source())
        : log;
  }

  private static String place(String named, String directive, String source) throws IOException {
    if (named == null || named.isEmpty() || named.equals("none")) {
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
