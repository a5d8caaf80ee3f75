package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.server.helper.Helper;
import io.loligo.server.helper.HelperReply;
import io.loligo.server.helper.HelperSession;
import io.loligo.server.login.PasswordCheck.Unavailable;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks tokens by a helper program of Squid: it reads YR and the first token, then KK and the next
 * ones, and answers TT, AF, NA or BH. Between two tokens of a client one child is reserved for it.
 * Thread-safe: any thread.
 */
final class HelperTokens implements TokenCheck {
  private final Helper helper;
  private volatile boolean closed;

  /** A check by {@code helper}, which ends with its configuration. */
  HelperTokens(Helper helper) {
    this.helper = helper;
  }

  @Override
  public Handshake begin(Object client) {
    return new Tokens(helper.session(client));
  }

  @Override
  public boolean reserves() {
    return true;
  }

  @Override
  public void close() {
    closed = true;
  }

  /** The tokens of one client. One at a time. */
  private final class Tokens implements Handshake {
    private final HelperSession session;
    private volatile boolean begun;

    Tokens(HelperSession session) {
      this.session = session;
    }

    @Override
    public void next(String token, @Nullable String extras, Consumer<Outcome> then) {
      if (closed && !begun) {
        then.accept(new Broken(new Unavailable("another program checks tokens now")));
        return;
      }
      String question = (begun ? "KK " : "YR ") + token + (extras == null ? "" : " " + extras);
      begun = true;
      session.ask(question.getBytes(ISO_8859_1), Runnable::run, reply -> then.accept(of(reply)));
    }

    @Override
    public void end() {
      session.end();
    }
  }

  private Outcome of(HelperReply reply) {
    return switch (reply.result()) {
      case OK -> {
        String user = reply.text("user");
        yield user == null ? new Wrong("an answer without a user") : new Done(user, reply.notes());
      }
      case CHALLENGE -> {
        String token = reply.first("token");
        yield token == null || token.isEmpty() || !TokenLogins.isBase64(token)
            ? new Wrong("a challenge that is not Base64")
            : new More(token);
      }
      case ERR, BROKEN -> {
        String message = reply.first("message");
        yield new Wrong(message == null ? "" : message);
      }
      case UNKNOWN -> new Wrong("an answer without TT, AF, NA or BH");
      case TIMED_OUT, DIED, REFUSED ->
          new Broken(
              new Unavailable(
                  helper.program().name() + ": " + reply.result().name().toLowerCase(Locale.ROOT)));
    };
  }
}
