package io.loligo.server.boot;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The system's numbers of the process's files and sockets. Stateless; thread-safe. */
final class Descriptors {
  private static final Path OPEN = Path.of("/proc/self/fd");
  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final String OPEN_FILES = "Max open files ";

  /** The value if the system does not tell. */
  private static final long UNKNOWN = Long.MAX_VALUE;

  private static final Logger LOG = LoggerFactory.getLogger(Descriptors.class);

  private Descriptors() {}

  /**
   * Limit of open files and sockets.
   *
   * @param wanted {@code max_filedescriptors}; 0: the system's limit
   */
  static long limit(int wanted) {
    long told = inLimits(LIMITS);
    return limit(wanted, told == 0 ? knownToTheJvm() : told);
  }

  /**
   * The limit in a file such as {@code /proc/self/limits}; 0 if it does not tell. The JVM asks the
   * system too, but loads 45 classes for that, before the port is open.
   */
  static long inLimits(Path file) {
    try {
      for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
        if (line.startsWith(OPEN_FILES)) {
          String soft = line.substring(OPEN_FILES.length()).strip().split(" +", 2)[0];
          return soft.equals("unlimited") ? UNKNOWN : Long.parseLong(soft);
        }
      }
    } catch (IOException | NumberFormatException noLinux) {
      return 0;
    }
    return 0;
  }

  private static long knownToTheJvm() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : UNKNOWN;
  }

  /** The same under the limit {@code system}; a negative one is none (RLIM_INFINITY). */
  static long limit(int wanted, long system) {
    long allowed = system < 0 ? UNKNOWN : system;
    if (wanted > allowed) {
      LOG.warn(
          "max_filedescriptors {}: the system allows {} (LimitNOFILE, ulimit -n); next: raise the"
              + " limit of the system, or lower the directive",
          wanted,
          allowed);
    }
    return wanted > 0 ? Math.min(wanted, allowed) : allowed;
  }

  /** The largest number of an open file or socket; asks the system for all of them. 0: unknown. */
  static long largest() {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(OPEN)) {
      long largest = 0;
      for (Path one : all) {
        largest = Math.max(largest, Long.parseLong(one.getFileName().toString()));
      }
      return largest;
    } catch (IOException | DirectoryIteratorException | NumberFormatException noLinux) {
      return 0;
    }
  }

  /** Number of open files in {@code folders}, or below; asks the system for each. 0: unknown. */
  static long openIn(List<Path> folders) {
    List<Path> real = folders.stream().map(Descriptors::real).toList();
    long count = 0;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(OPEN)) {
      for (Path one : all) {
        Path file = target(one);
        count += file != null && real.stream().anyMatch(file::startsWith) ? 1 : 0;
      }
      return count;
    } catch (IOException | DirectoryIteratorException noLinux) {
      return 0;
    }
  }

  private static Path real(Path folder) {
    try {
      return folder.toRealPath();
    } catch (IOException absent) {
      return folder.toAbsolutePath();
    }
  }

  /** Null: it has been closed, or is no file. */
  private static @Nullable Path target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor);
    } catch (IOException closed) {
      return null;
    }
  }

  /** Number of open files and sockets; asks the system for all of them. */
  static long open() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getOpenFileDescriptorCount()
        : 0;
  }
}
