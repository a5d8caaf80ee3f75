package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.accesslog.LogDirectives;
import io.loligo.server.accesslog.LogTarget;
import io.loligo.server.accesslog.StandardStream;
import io.loligo.server.history.HistoryDirectives;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where the history is kept. Stateless. */
public final class HistoryPlace {
  private static final String NAME = "loligo.history";

  private HistoryPlace() {}

  /** Whether there is a history at all. */
  static boolean isWanted(ProxyConfig config) {
    return !config.get(HistoryDirectives.HISTORY).equals(HistoryDirectives.OFF);
  }

  /** The file of a configuration whose logs have their places; null: none, nothing is kept. */
  public static @Nullable Path of(ProxyConfig placed) {
    String named = placed.get(HistoryDirectives.HISTORY);
    if (!named.isEmpty()) {
      return isWanted(placed) ? Path.of(named) : null;
    }
    Stream<@Nullable String> logs =
        Stream.concat(
            Stream.ofNullable(placed.get(ProcessDirectives.CACHE_LOG)),
            placed.get(LogDirectives.ACCESS_LOG).stream()
                .filter(log -> Places.isFile(log, placed))
                .map(LogTarget::place));
    return logs.filter(log -> log != null && !log.isEmpty() && !log.equals("none"))
        .map(Path::of)
        .filter(log -> StandardStream.of(log) == null)
        .findFirst()
        .map(log -> log.resolveSibling(NAME))
        .orElse(null);
  }
}
