package io.loligo.server.ldap;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The account that searches. Immutable.
 *
 * @param name its distinguished name ({@code -D})
 * @param password {@code -w}; null: the first line of {@code file}
 * @param file {@code -W}; null: {@code password} is given
 */
record LdapAccount(String name, @Nullable String password, @Nullable String file) {
  /**
   * The bytes of its password; the caller owns them. Reads the file again each time.
   *
   * @throws IOException if the file cannot be read, or is empty
   */
  byte[] passwordBytes() throws IOException {
    String text = password;
    if (text == null && file != null) {
      text = firstLine(Files.readString(Path.of(file), StandardCharsets.ISO_8859_1));
      if (text.isEmpty()) {
        throw new IOException(file + " is empty");
      }
    }
    return (text == null ? "" : text).getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The first line of a file with a password. */
  static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "LdapAccount[" + name + "]";
  }
}
