package io.loligo.server.login;

import io.loligo.server.login.PasswordCheck.Unavailable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Checks the tokens of a scheme that belongs to a connection. Thread-safe: any thread. */
interface TokenCheck {
  /** The tokens of one client. */
  Handshake begin();

  /** Takes no more tokens; those that wait are answered. Does not block. */
  void close();

  /** The tokens of one client. One token at a time; any thread. */
  interface Handshake {
    /**
     * Checks the next token. Does not block.
     *
     * @param token Base64
     * @param extras what a helper reads behind it; null: nothing
     * @param then receives the outcome, once: on any thread, perhaps before this returns
     */
    void next(String token, @Nullable String extras, Consumer<Outcome> then);

    /** It is over, whatever the outcome was. Does not block. */
    void end();
  }

  /** The outcome of one token. */
  sealed interface Outcome {}

  /** {@code user} has logged in; each character one byte. */
  record Done(String user) implements Outcome {}

  /** The client must answer {@code token}, Base64. */
  record More(String token) implements Outcome {}

  /**
   * The token is not valid.
   *
   * @param why for the operator, without the token
   */
  record Wrong(String why) implements Outcome {}

  /** Nobody can tell now, because of {@code why}. */
  record Broken(Unavailable why) implements Outcome {}
}
