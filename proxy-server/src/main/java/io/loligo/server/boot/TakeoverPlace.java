package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where a process waits for its successor. Stateless. */
public final class TakeoverPlace {
  private static final String NONE = "none";
  private static final String SUFFIX = ".takeover";

  private TakeoverPlace() {}

  /** The Unix socket of {@code config}; null: there is none. */
  public static @Nullable Path of(ProxyConfig config) {
    String named = config.get(ProcessDirectives.TAKEOVER_SOCKET);
    if (named.equals(NONE)) {
      return null;
    }
    if (!named.isEmpty()) {
      return Path.of(named);
    }
    String pidFile = config.get(ProcessDirectives.PID_FILENAME);
    return pidFile == null ? null : Path.of(pidFile + SUFFIX);
  }
}
