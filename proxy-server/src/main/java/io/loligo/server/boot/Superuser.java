package io.loligo.server.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Whether the process runs as root. A virtual machine cannot change its user while it runs, as
 * Squid does for {@code cache_effective_user}: it has to be started as another user. Stateless.
 */
final class Superuser {
  private static final Path STATUS = Path.of("/proc/self/status");

  private Superuser() {}

  /** The warning for the operator of this process, or null. */
  static @Nullable String warning() {
    try {
      return warning(Files.readString(STATUS), System.getProperty("user.name"));
    } catch (IOException noLinux) {
      return warning("", System.getProperty("user.name"));
    }
  }

  /** The same from the status that Linux gives of a process, or null, and the name of its user. */
  static @Nullable String warning(String status, String userName) {
    return isRoot(status, userName)
        ? "running as root: Loligo does not need root, and cache_effective_user has no effect;"
            + " next: start it as a user of its own (systemd: User=loligo, and for ports below 1024"
            + " AmbientCapabilities=CAP_NET_BIND_SERVICE; see docs/running.md, Users and ports)"
        : null;
  }

  /** By the effective user, the second number of the line {@code Uid:}. */
  private static boolean isRoot(String status, String userName) {
    for (String line : status.split("\n", -1)) {
      String[] words = line.split("\\s+", -1);
      if (words[0].equals("Uid:") && words.length > 2) {
        return words[2].equals("0");
      }
    }
    return userName.equals("root");
  }
}
