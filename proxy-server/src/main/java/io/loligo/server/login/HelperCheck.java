package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

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
    String question = escaped(credentials.user()) + " " + escaped(credentials.password());
    helper.ask(question.getBytes(ISO_8859_1), Runnable::run, reply -> then.accept(answer(reply)));
  }

  private Answer answer(HelperReply reply) {
    return switch (reply.result()) {
      case OK -> new Accepted();
      case ERR -> {
        String message = reply.first("message");
        yield new Rejected(message == null ? "" : message);
      }
      default ->
          new Unavailable(
              helper.program().name() + ": " + reply.result().name().toLowerCase(Locale.ROOT));
    };
  }

  /** RFC 1738 section 2.2, percent signs included, as Squid writes names and passwords. */
  private static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c <= ' ' || c >= 0x7f || "<>\"#%{}|\\^~[]`'".indexOf(c) >= 0) {
        escaped.append(String.format("%%%02X", (int) c));
      } else {
        escaped.append(c);
      }
    }
    return escaped.toString();
  }

  @Override
  public void close() {
    closed = true;
  }
}
