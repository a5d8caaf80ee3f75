package io.loligo.server.login;

import io.loligo.core.acl.Notes;
import io.loligo.server.login.PasswordCheck.Unavailable;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Checks the tokens of a scheme that belongs to a connection. Thread-safe: any thread. */
interface TokenCheck {
  /**
   * The tokens of one client.
   *
   * @param client equal for all handshakes of the client
   */
  Handshake begin(Object client);

  /** Whether a handshake holds something that others wait for, until it ends. */
  default boolean reserves() {
    return false;
  }

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

    /**
     * It is over, whatever the outcome was. A token that is being checked has its outcome all the
     * same. Does not block.
     */
    void end();
  }

  /** The outcome of one token. */
  sealed interface Outcome {}

  /**
   * {@code user} has logged in; each character one byte.
   *
   * @param notes of requests of the user
   */
  record Done(String user, List<Notes.Note> notes) implements Outcome {
    /** Without notes. */
    public Done(String user) {
      this(user, List.of());
    }
  }

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
