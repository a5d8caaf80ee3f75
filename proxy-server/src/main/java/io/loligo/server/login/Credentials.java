package io.loligo.server.login;

import java.nio.charset.StandardCharsets;

/**
 * A user name and a password as a client sent them. Each character stands for one byte. Immutable.
 *
 * @param user not empty, without control characters
 * @param password not empty, without NUL, CR and LF
 */
public record Credentials(String user, String password) {
  /** The bytes of the password; the caller owns them. */
  byte[] passwordBytes() {
    return password.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The user only. */
  @Override
  public String toString() {
    return "Credentials[" + user + "]";
  }
}
