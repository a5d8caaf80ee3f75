package io.loligo.server.cli;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.accesslog.LogDirectives;
import io.loligo.server.accesslog.LogTarget;
import io.loligo.server.boot.Places;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The access logs of a configuration that a report can read. Stateless. */
final class ReportedLogs {
  /** Of more old files than this, the newest are read. */
  private static final int MAX_OLD = 1000;

  private static final Set<String> FORMATS = Set.of("squid", "loligo_stages", "loligo_json");

  private ReportedLogs() {}

  /**
   * The first access_log with a format that a report knows, and its old files, the newest first.
   * Further logs have the same requests again. Empty: there is none.
   */
  static List<String> of(ProxyConfig config) throws IOException {
    for (LogTarget log : Places.of(config).get(LogDirectives.ACCESS_LOG)) {
      if (Places.isFile(log, config) && FORMATS.contains(log.format())) {
        List<String> files = files(Path.of(log.place()));
        if (!files.isEmpty()) {
          return files;
        }
      }
    }
    return List.of();
  }

  private static List<String> files(Path log) {
    List<String> files = new ArrayList<>();
    if (Files.isReadable(log)) {
      files.add(log.toString());
    }
    for (int i = 0; i < MAX_OLD; i++) {
      String old = log + "." + i;
      String packed = old + ".gz";
      if (Files.isReadable(Path.of(old))) {
        files.add(old);
      } else if (Files.isReadable(Path.of(packed))) {
        files.add(packed);
      } else if (i > 0) {
        break;
      }
    }
    return files;
  }
}
