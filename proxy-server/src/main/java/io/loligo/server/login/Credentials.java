package io.loligo.server.login;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A user name and a password as a client sent them. Each character stands for one byte. Immutable.
 *
 * @param user not empty, without control characters
 * @param password not empty, without NUL, CR and LF
 * @param extras what a helper reads behind them; null: nothing
 */
public record Credentials(String user, String password, @Nullable String extras) {
  /** Without extras. */
  public Credentials(String user, String password) {
    this(user, password, null);
  }

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
