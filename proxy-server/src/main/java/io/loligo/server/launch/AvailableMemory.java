package io.loligo.server.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.StringTokenizer;

/**
 * The memory that Linux grants this process: that of the machine, or the least limit of its control
 * groups, of version 1 or 2. Stateless.
 *
 * <p>The JVM knows it too, but loads many classes for that, and up to JDK 23 version 2 counts only
 * for the innermost group: a limit of the pod or of the slice around it is missed.
 */
public final class AvailableMemory {
  /** Neither a machine nor a limit is known. */
  public static final long UNKNOWN = Long.MAX_VALUE;

  private static final List<String> LIMITS_V2 = List.of("memory.max", "memory.high");
  private static final List<String> LIMITS_V1 = List.of("memory.limit_in_bytes");
  private static final int KILOBYTE_BITS = 10;

  /** No JVM runs in less: such a limit, as 0, is none that was meant for this process. */
  private static final long LEAST_BYTES = 8L << 20;

  private AvailableMemory() {}

  /** In bytes, or {@link #UNKNOWN}. */
  public static long bytes() {
    return bytes(Path.of("/"));
  }

  /** The same with another {@code root} of the system's files. */
  static long bytes(Path root) {
    return Math.min(machine(root.resolve("proc/meminfo")), groups(root));
  }

  private static long machine(Path meminfo) {
    for (String line : lines(meminfo)) {
      StringTokenizer words = new StringTokenizer(line);
      if (words.countTokens() > 1 && words.nextToken().equals("MemTotal:")) {
        long kilobytes = number(words.nextToken());
        return kilobytes == UNKNOWN ? UNKNOWN : kilobytes << KILOBYTE_BITS;
      }
    }
    return UNKNOWN;
  }

  private static long groups(Path root) {
    Path mounted = root.resolve("sys/fs/cgroup");
    long least = UNKNOWN;
    for (String line : lines(root.resolve("proc/self/cgroup"))) {
      // number of the hierarchy, its controllers, path of the group
      String[] parts = line.split(":", 3);
      if (parts.length < 3) {
        continue;
      }
      if (parts[1].isEmpty()) {
        least = Math.min(least, least(mounted, parts[2], LIMITS_V2));
      } else if (List.of(parts[1].split(",", -1)).contains("memory")) {
        least = Math.min(least, least(mounted.resolve("memory"), parts[2], LIMITS_V1));
      }
    }
    return least;
  }

  /**
   * The least limit of {@code group} and of those around it. In a container the path may be that of
   * the host, or begin with {@code ..}, outside of the namespace: then only the outermost one
   * exists here, which is the container's.
   */
  private static long least(Path hierarchy, String group, List<String> files) {
    int begin = 0;
    while (group.startsWith("/", begin)) {
      begin++;
    }
    Path folder = hierarchy.resolve(group.substring(begin)).normalize();
    if (!folder.startsWith(hierarchy)) {
      folder = hierarchy;
    }
    long least = UNKNOWN;
    while (folder != null && folder.startsWith(hierarchy)) {
      for (String file : files) {
        List<String> lines = lines(folder.resolve(file));
        long limit = lines.isEmpty() ? UNKNOWN : number(lines.get(0));
        least = Math.min(least, limit < LEAST_BYTES ? UNKNOWN : limit);
      }
      folder = folder.getParent();
    }
    return least;
  }

  /** None if it cannot be read. */
  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
    } catch (IOException absent) {
      return List.of();
    }
  }

  /** {@link #UNKNOWN} for a word such as {@code max}. */
  private static long number(String text) {
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException noLimit) {
      return UNKNOWN;
    }
  }
}
