package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.login.RequestLogin.OwnChallenge;
import io.loligo.server.login.TokenCheck.Broken;
import io.loligo.server.login.TokenCheck.Done;
import io.loligo.server.login.TokenCheck.More;
import io.loligo.server.login.TokenCheck.Outcome;
import io.loligo.server.login.TokenCheck.Wrong;
import io.loligo.server.login.kerberos.KerberosAcceptor;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A scheme of tokens (RFC 4559): a client sends one token, or several in turn with the proxy. The
 * login belongs to the connection. Thread-safe: any thread.
 *
 * <p>A token proves a secret of 128 bits or more, and no password is tried with it. So wrong tokens
 * are not limited in number, but one client has at most {@value LoginLimits#MOST_PENDING} checks at
 * a time.
 */
final class TokenLogins implements Scheme {
  /** Most characters of a token: {@value}. */
  static final int MAX_TOKEN = 65_536;

  private static final Logger LOG = LoggerFactory.getLogger(TokenLogins.class);

  private final TokenSettings settings;
  private final LoginLimits limits;
  private final TokenCheck check;
  private final String name;

  TokenLogins(TokenSettings settings, LoginLimits limits, TokenCheck check) {
    this.settings = settings;
    this.limits = limits;
    this.check = check;
    name = "Negotiate";
  }

  /** The scheme under {@code settings}. */
  static TokenLogins of(TokenSettings settings, LoginLimits limits) {
    KerberosAcceptor acceptor =
        new KerberosAcceptor(
            settings.kerberos().keytab(), settings.principal(), settings.kerberos().stripsRealm());
    int queue = settings.queue() < 0 ? FileCheck.QUEUE : Math.max(1, settings.queue());
    return new TokenLogins(
        settings, limits, new KerberosCheck(acceptor, settings.children(), queue));
  }

  /** The scheme under the same settings and other limits. */
  TokenLogins under(LoginLimits limits) {
    return new TokenLogins(settings, limits, check);
  }

  @Override
  public boolean continuesIn(Scheme next) {
    return next instanceof TokenLogins other && other.check == check;
  }

  @Override
  public void close() {
    check.close();
  }

  @Override
  public SchemeSettings settings() {
    return settings;
  }

  @Override
  public boolean bindsConnection() {
    return true;
  }

  @Override
  public boolean closesAfterChallenge() {
    return !settings.keepAlive();
  }

  @Override
  public List<String> challenges() {
    return List.of(name);
  }

  @Override
  public RequestLogin read(LoginRequest request) {
    ConnectionLogin connection = request.connection();
    if (connection == null) {
      return RequestLogin.challenge(null);
    }
    CredentialKey key = request.hash().of(request.bytes(), request.start(), request.end(), null);
    String known = connection.user(settings.scheme());
    if (known != null && connection.hasUsed(settings.scheme(), key)) {
      return RequestLogin.known(known);
    }
    int start = request.start() + name.length();
    int length = request.end() - start;
    String token =
        length > MAX_TOKEN ? "" : new String(request.bytes(), start, length, ISO_8859_1).strip();
    if (token.isEmpty() || !token.chars().allMatch(TokenLogins::isBase64)) {
      connection.forget();
      return RequestLogin.challenge(null);
    }
    byte[] address = request.clientAddress();
    return RequestLogin.unchecked(
        (loop, then) -> {
          if (!limits.begin(address)) {
            then.accept(
                RequestLogin.unavailable(new Unavailable("too many tokens of this client wait")));
            return;
          }
          TokenCheck.Handshake handshake = connection.handshake(settings.scheme(), check);
          handshake.next(
              token,
              null,
              outcome -> {
                limits.end(address);
                try {
                  loop.execute(() -> then.accept(told(connection, key, outcome)));
                } catch (RejectedExecutionException closed) {
                  handshake.end();
                  LOG.debug("an answer comes too late: the loop is closed");
                }
              });
        });
  }

  private static boolean isBase64(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '+'
        || c == '/'
        || c == '=';
  }

  /** The login of the request, on the loop of its connection. */
  private RequestLogin told(ConnectionLogin connection, CredentialKey key, Outcome outcome) {
    if (outcome instanceof Done done) {
      connection.user(done.user(), key);
      return RequestLogin.known(done.user());
    }
    if (outcome instanceof More more) {
      connection.goesOn();
      return RequestLogin.challenge(
          null,
          new OwnChallenge(
              settings.scheme(), true, false, () -> List.of(name + " " + more.token())));
    }
    connection.forget();
    if (outcome instanceof Broken broken) {
      return RequestLogin.unavailable(broken.why());
    }
    LOG.debug("{}: {}", settings.scheme(), ((Wrong) outcome).why());
    return RequestLogin.challenge(
        null, new OwnChallenge(settings.scheme(), false, true, this::challenges));
  }
}
