package io.loligo.server.boot;

import io.loligo.server.accesslog.StandardStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The path of a file named in the configuration: the configured one, or one below {@code ./var/log}
 * if that cannot be written. Immutable.
 *
 * @param path where it is written
 * @param moved why it is not at the configured path, or null
 */
record WritablePath(Path path, @Nullable String moved) {
  private static final Path FALLBACK = Path.of("var", "log");

  /**
   * The place for {@code named}; creates its folder.
   *
   * @throws IOException if not even the fallback can be written
   */
  static WritablePath of(String named) throws IOException {
    Path path = Path.of(named);
    if (StandardStream.of(path) != null) {
      return new WritablePath(path, null);
    }
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

  private static @Nullable String refusal(Path path) {
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
