package io.loligo.server.login;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file of users, read again when it has changed. Thread-safe. */
final class PasswordFile {
  private static final Logger LOG = LoggerFactory.getLogger(PasswordFile.class);

  private final Path path;
  private final boolean caseSensitive;

  /** Guarded by {@code this}. */
  private @Nullable String state;

  private volatile @Nullable UserList users;

  /** A file that {@link #refresh} reads first. */
  PasswordFile(String path, boolean caseSensitive) {
    this.path = Path.of(path);
    this.caseSensitive = caseSensitive;
  }

  /** Reads the file if it has changed. A file that cannot be read leaves the users as they were. */
  synchronized void refresh() {
    String now = null;
    try {
      now = stateOf(path);
      if (now.equals(state)) {
        return;
      }
      UserList read = UserList.of(Files.readString(path, StandardCharsets.ISO_8859_1));
      if (users != null) {
        LOG.info("{} has changed and was read again", path);
        read.remarks(caseSensitive)
            .forEach(
                remark ->
                    LOG.warn(
                        "{}: {}; next: correct that line, the file is read again", path, remark));
      }
      users = read;
    } catch (IOException e) {
      if (state != null || users == null) {
        LOG.error(
            "users cannot be read: {}; the users read before stay in force; next: correct the file"
                + " or its permissions, it is read again",
            e.toString());
      }
    }
    state = now;
  }

  /** The users as last read; null: the file has never been readable. Does not block. */
  @Nullable UserList users() {
    return users;
  }

  private static String stateOf(Path path) throws IOException {
    BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
    return now.lastModifiedTime() + " " + now.size() + " " + now.fileKey();
  }
}
