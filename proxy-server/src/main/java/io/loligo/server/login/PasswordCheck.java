package io.loligo.server.login;

import io.loligo.core.acl.Notes;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Checks passwords: by a file, or by a helper program. Thread-safe: any thread, event loops
 * included.
 *
 * <p>{@link Logins} stands before it. It keeps the answers, asks once about credentials that
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

  /**
   * Takes no more checks: further ones are {@link Unavailable}. Those that have begun are answered,
   * then threads and processes end. Does not block.
   */
  @Override
  void close();

  /** The answer to one check: {@link Accepted}, {@link Rejected} or {@link Unavailable}. */
  sealed interface Answer {}

  /**
   * The password is right.
   *
   * @param still whether that is still so. It is asked on an event loop, and does not block
   * @param notes of requests of the user
   */
  record Accepted(BooleanSupplier still, List<Notes.Note> notes) implements Answer {
    /** The password counts as right for its time. */
    public Accepted() {
      this(() -> true, List.of());
    }

    /** Without notes. */
    public Accepted(BooleanSupplier still) {
      this(still, List.of());
    }
  }

  /**
   * The password is wrong, or there is no such user. The client is challenged again.
   *
   * @param message for the operator, without the password; may be empty
   * @param still as for {@link Accepted}
   */
  record Rejected(String message, BooleanSupplier still) implements Answer {
    /** The password counts as wrong for its time. */
    public Rejected(String message) {
      this(message, () -> true);
    }
  }

  /**
   * Nobody can tell now: too many checks are pending, or the program or the file is broken. The
   * client gets 503 and keeps its password.
   *
   * @param why for the operator, without the password
   * @param failures whether the client has tried too many wrong passwords; it gets 429
   */
  record Unavailable(String why, boolean failures) implements Answer {
    /** The client has tried too many wrong passwords for this name. */
    static Unavailable tooManyFailures() {
      return new Unavailable("too many wrong passwords for this name", true);
    }

    /** Not for wrong passwords. */
    public Unavailable(String why) {
      this(why, false);
    }
  }
}
