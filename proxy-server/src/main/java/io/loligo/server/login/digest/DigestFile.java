package io.loligo.server.login.digest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A file of users, read again when it has changed. Thread-safe. */
public final class DigestFile {
  private static final Logger LOG = LoggerFactory.getLogger(DigestFile.class);

  private final Path path;
  private final String realm;
  private final boolean hashed;

  /** Guarded by {@code this}. */
  private @Nullable String state;

  private volatile @Nullable DigestUsers users;

  /**
   * Reads the file. Blocks.
   *
   * @param hashed {@code -c}: whether all lines have hashes
   */
  public DigestFile(String path, String realm, boolean hashed) {
    this.path = Path.of(path);
    this.realm = realm;
    this.hashed = hashed;
    refresh();
  }

  /** Reads a changed file. One that cannot be read leaves the users as they were. Blocks. */
  public synchronized void refresh() {
    String now = null;
    try {
      BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
      now = found.lastModifiedTime() + " " + found.size() + " " + found.fileKey();
      if (now.equals(state)) {
        return;
      }
      DigestUsers read = DigestUsers.of(Files.readString(path, ISO_8859_1), realm, hashed);
      if (users != null) {
        LOG.info("{} has changed and was read again", path);
        if (!read.remark().isEmpty()) {
          LOG.warn("{}: {}; next: correct that line, the file is read again", path, read.remark());
        }
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
  public @Nullable DigestUsers users() {
    return users;
  }
}
