package io.loligo.server.takeover;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The user of a process, as the kernel numbers it. Immutable.
 *
 * @param id the effective one
 */
record ProcessUser(long id) {
  private static final Path STATUS = Path.of("/proc/self/status");

  /**
   * That of this process.
   *
   * @throws IOException the kernel does not tell it
   */
  static ProcessUser current() throws IOException {
    return of(Files.readString(STATUS));
  }

  /** The second number of the line {@code Uid:}; a folder in /proc may be root's. */
  static ProcessUser of(String status) throws IOException {
    for (String line : status.split("\n", -1)) {
      String[] words = line.split("\\s+", -1);
      if (words[0].equals("Uid:") && words.length > 2) {
        return new ProcessUser(Long.parseLong(words[2]));
      }
    }
    throw new IOException(STATUS + " names no user");
  }

  /** Whether a process of {@code user} may take over from one of this user. */
  boolean yieldsTo(long user) {
    return user == id || user == 0;
  }

  /** Whether a process of this user may take over from one of {@code user}. */
  boolean succeeds(long user) {
    return user == id || user == 0 || id == 0;
  }
}
