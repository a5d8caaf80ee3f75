package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.server.helper.Escaping;
import io.loligo.server.helper.Helper;
import io.loligo.server.helper.HelperReply;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Checks passwords by a helper program of Squid: it reads name and password, and answers OK or ERR.
 * Thread-safe: any thread.
 */
final class HelperCheck implements PasswordCheck {
  private final Helper helper;
  private volatile boolean closed;

  /** A check by {@code helper}, which ends with its configuration. */
  HelperCheck(Helper helper) {
    this.helper = helper;
  }

  @Override
  public void check(Credentials credentials, Consumer<Answer> then) {
    if (closed) {
      then.accept(new Unavailable("another program checks passwords now"));
      return;
    }
    String extras = credentials.extras();
    String question =
        Escaping.word(credentials.user())
            + " "
            + Escaping.word(credentials.password())
            + (extras == null ? "" : " " + extras);
    helper.ask(question.getBytes(ISO_8859_1), Runnable::run, reply -> then.accept(answer(reply)));
  }

  private Answer answer(HelperReply reply) {
    return switch (reply.result()) {
      case OK -> new Accepted(() -> true, reply.notes());
      case ERR -> {
        String message = reply.first("message");
        yield new Rejected(message == null ? "" : message);
      }
      default ->
          new Unavailable(
              helper.program().name() + ": " + reply.result().name().toLowerCase(Locale.ROOT));
    };
  }

  @Override
  public void close() {
    closed = true;
  }
}
