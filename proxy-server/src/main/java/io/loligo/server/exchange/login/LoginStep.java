package io.loligo.server.exchange.login;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.login.BasicScheme;
import io.loligo.server.login.CredentialHash;
import io.loligo.server.login.CredentialKey;
import io.loligo.server.login.Credentials;
import io.loligo.server.login.Logins;
import io.loligo.server.login.PasswordCheck.Accepted;
import io.loligo.server.login.PasswordCheck.Answer;
import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.login.RequestLogin;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.netty.util.concurrent.EventExecutor;
import java.util.function.Consumer;

/**
 * Finds the user of each request (RFC 9110 section 11): on accelerator ports in Authorization, on
 * forward ports in Proxy-Authorization. Confined to the event loop.
 *
 * <p>An intercepted client does not know the proxy and cannot log in. In a decrypted tunnel, the
 * user of the CONNECT counts.
 */
public final class LoginStep {
  private final Logins logins;
  private final EventExecutor loop;
  private final CredentialHash hash;
  private final Refusal proxyChallenge;
  private final Refusal originChallenge;

  /** The step of {@code loop}. */
  public LoginStep(Logins logins, EventExecutor loop) {
    this.logins = logins;
    this.loop = loop;
    hash = logins.newHash();
    String challenge = logins.basic().challenge();
    proxyChallenge =
        Refusal.challenge(407, new FieldLines(128).add("Proxy-Authenticate", challenge));
    originChallenge =
        Refusal.challenge(401, new FieldLines(128).add("WWW-Authenticate", challenge));
  }

  /** Tells {@code request} what is known about its user. Does not wait. */
  public void find(Request request) {
    Destination meant = request.destination();
    if (meant != null) {
      if (meant.user() != null) {
        request.login(RequestLogin.known(meant.user()), logins);
      }
    } else if (!request.impliesConnect()) {
      request.login(read(request), logins);
    }
  }

  private RequestLogin read(Request request) {
    Fields fields = request.requestFields();
    int name = field(request.httpPort());
    int at = fields.has(name) ? fields.first(name) : -1;
    if (at < 0 || fields.next(name, at + 1) >= 0) {
      return RequestLogin.challenge(null);
    }
    byte[] bytes = fields.bytes();
    int start = fields.valueStart(at);
    int end = fields.valueEnd(at);
    CredentialKey key = hash.of(bytes, start, end);
    RequestLogin known = logins.known(key);
    if (known != null) {
      return known;
    }
    BasicScheme.Read read = logins.basic().read(bytes, start, end);
    Credentials credentials = read.credentials();
    return credentials == null
        ? RequestLogin.challenge(read.user())
        : RequestLogin.unchecked(credentials, key);
  }

  private static int field(HttpPort port) {
    return port.accel() == null ? FieldName.PROXY_AUTHORIZATION : FieldName.AUTHORIZATION;
  }

  /**
   * Checks the credentials of {@code request}, a snapshot.
   *
   * @param then takes a task that tells the request the result; called on the loop
   */
  public void ask(Request request, Consumer<Runnable> then) {
    RequestLogin asked = request.foundLogin();
    Credentials credentials = asked == null ? null : asked.credentials();
    CredentialKey key = asked == null ? null : asked.key();
    assert asked != null && credentials != null && key != null : "there is something to check";
    logins.check(
        key,
        credentials,
        request.clientAddress(),
        loop,
        answer ->
            then.accept(() -> request.login(told(asked, credentials.user(), answer), logins)));
  }

  private static RequestLogin told(RequestLogin asked, String user, Answer answer) {
    if (answer instanceof Unavailable failed) {
      return asked.unavailable(failed);
    }
    return answer instanceof Accepted ? RequestLogin.known(user) : RequestLogin.challenge(user);
  }

  /** The response that asks the client of {@code request} for a login. */
  public Refusal challenge(Request request) {
    return request.httpPort().accel() == null ? proxyChallenge : originChallenge;
  }
}
