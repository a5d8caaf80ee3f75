package io.loligo.server.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a file named in the configuration is really written: there, or below {@code ./var/log}
 * where that place cannot be written. Immutable.
 *
 * @param path where it goes
 * @param moved why not where it was named, or null
 */
record WritablePath(Path path, String moved) {
  private static final Path FALLBACK = Path.of("var", "log");

  /**
   * The place for {@code named}; its folder is made where missing.
   *
   * @throws IOException where not even the fallback can be written
   */
  static WritablePath of(String named) throws IOException {
    Path path = Path.of(named);
    String refusal = refusal(path);
    if (refusal == null) {
      return new WritablePath(path, null);
    }
    Path fallback = FALLBACK.resolve(path.getFileName());
    String second = refusal(fallback);
    if (second != null) {
      throw new IOException(named + ": " + refusal + "; " + fallback + ": " + second);
    }
    return new WritablePath(fallback, refusal);
  }

  private static String refusal(Path path) {
    Path folder = path.toAbsolutePath().getParent();
    try {
      Files.createDirectories(folder);
    } catch (IOException | SecurityException e) {
      return "folder cannot be made";
    }
    if (Files.isDirectory(path)) {
      return "is a folder";
    }
    if (Files.exists(path)) {
      return Files.isWritable(path) ? null : "cannot be written";
    }
    return Files.isWritable(folder) ? null : "folder cannot be written";
  }
}
