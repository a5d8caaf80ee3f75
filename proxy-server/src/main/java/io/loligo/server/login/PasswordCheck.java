package io.loligo.server.login;

import java.util.function.Consumer;

/**
 * Checks passwords: by a file, or by a helper program. Thread-safe: any thread, event loops
 * included.
 *
 * <p>{@code Logins} stands before it. It keeps the results, asks once about credentials that
 * several requests have, limits wrong passwords, and takes answers to the event loop of each
 * request.
 */
public interface PasswordCheck extends AutoCloseable {
  /**
   * Begins to check {@code credentials}. Does not block.
   *
   * @param then receives the answer, exactly once: on any thread, perhaps before this returns. It
   *     does not block and throws nothing
   */
  void check(Credentials credentials, Consumer<Answer> then);

  /** Ends threads and processes. Checks that are not done are answered {@link Unavailable}. */
  @Override
  void close();

  /** The answer to one check: {@link Accepted}, {@link Rejected} or {@link Unavailable}. */
  sealed interface Answer {}

  /** The password is right. */
  record Accepted() implements Answer {}

  /**
   * The password is wrong, or there is no such user. The client is challenged again.
   *
   * @param message for the operator, without the password; may be empty
   */
  record Rejected(String message) implements Answer {}

  /**
   * Nobody can tell now: too many checks are pending, or the program or the file is broken. The
   * client gets 503 and keeps its password.
   *
   * @param why for the operator, without the password
   */
  record Unavailable(String why) implements Answer {}
}
