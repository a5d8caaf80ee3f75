package io.loligo.server.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The file with the number of the process. Thread-safe. */
final class PidFile {
  private static final Logger LOG = LoggerFactory.getLogger(PidFile.class);

  private final Path path;
  private final String own = ProcessHandle.current().pid() + "\n";

  PidFile(Path path) {
    this.path = path.toAbsolutePath();
  }

  /** Whether it is the file of this name. */
  boolean isAt(Path other) {
    return path.equals(other.toAbsolutePath());
  }

  /** Writes it. It is deleted when the process ends, unless another one has written it by then. */
  void write() throws IOException {
    Files.writeString(path, own);
    Runtime.getRuntime().addShutdownHook(new Thread(this::delete, "loligo-pid-file"));
  }

  /** Deletes it if it is still this process's. */
  void delete() {
    try {
      if (Files.exists(path) && Files.readString(path).equals(own)) {
        Files.delete(path);
      }
    } catch (IOException e) {
      LOG.debug("{} stays", path, e);
    }
  }
}
