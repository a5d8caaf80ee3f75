package io.loligo.server.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.server.helper.HelperProgram;
import io.loligo.server.helper.Helpers;
import io.loligo.server.login.PasswordCheck.Unavailable;
import io.loligo.server.login.RequestLogin.OwnChallenge;
import io.loligo.server.login.TokenCheck.Broken;
import io.loligo.server.login.TokenCheck.Done;
import io.loligo.server.login.TokenCheck.More;
import io.loligo.server.login.TokenCheck.Outcome;
import io.loligo.server.login.TokenCheck.Wrong;
import io.loligo.server.login.kerberos.KerberosAcceptor;
import io.loligo.server.login.kerberos.KerberosOptions;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A scheme of tokens (RFC 4559): a client sends one token, or several in turn with the proxy. The
 * login belongs to the connection. Thread-safe: any thread.
 *
 * <p>A Kerberos token proves a secret of 128 bits or more, and no password is tried with it. So
 * wrong tokens are not limited in number, but one client has at most {@value
 * LoginLimits#MOST_PENDING} checks at a time. Where a helper checks tokens, one client has at most
 * {@value LoginLimits#MOST_HANDSHAKES} handshakes at a time, and at most two for each child; three
 * quarters of the children are held by it, and its other handshakes wait.
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
    name = settings.scheme().equals("ntlm") ? "NTLM" : "Negotiate";
  }

  /** The scheme under {@code settings}. */
  static TokenLogins of(TokenSettings settings, LoginLimits limits, Helpers helpers) {
    return new TokenLogins(settings, limits, check(settings, helpers));
  }

  private static TokenCheck check(TokenSettings settings, Helpers helpers) {
    TokenSettings.Kerberos kerberos = settings.kerberos();
    HelperProgram helper = settings.helper();
    if (kerberos == null) {
      assert helper != null : "one of them checks tokens";
      return new HelperTokens(helpers.of(helper));
    }
    KerberosOptions options = kerberos.options();
    KerberosAcceptor acceptor =
        new KerberosAcceptor(options.keytab(), kerberos.principal(), options.stripsRealm());
    int queue = kerberos.queue() < 0 ? FileCheck.QUEUE : Math.max(1, kerberos.queue());
    return new KerberosCheck(acceptor, kerberos.children(), queue);
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
      return RequestLogin.known(known, connection.notes());
    }
    int start = request.start() + name.length();
    int length = request.end() - start;
    String token =
        length > MAX_TOKEN ? "" : new String(request.bytes(), start, length, ISO_8859_1).strip();
    if (!isBase64(token)) {
      connection.forget();
      return RequestLogin.challenge(null);
    }
    String extras = request.extras(settings.extras());
    byte[] address = request.clientAddress();
    return RequestLogin.unchecked(
        (loop, then) -> {
          TokenCheck.Handshake handshake =
              connection.handshake(settings.scheme(), () -> begin(address));
          if (handshake == null || (!check.reserves() && !limits.checks().begin(address))) {
            String what = handshake == null ? "logins" : "tokens";
            then.accept(
                RequestLogin.unavailable(
                    new Unavailable("too many " + what + " of this client wait")));
            return;
          }
          handshake.next(
              token,
              extras,
              outcome -> {
                if (!check.reserves()) {
                  limits.checks().end(address);
                }
                try {
                  loop.execute(() -> then.accept(told(connection, key, outcome)));
                } catch (RejectedExecutionException closed) {
                  handshake.end();
                  LOG.debug("an answer comes too late: the loop is closed");
                }
              });
        });
  }

  private TokenCheck.@Nullable Handshake begin(byte[] address) {
    Object client = LoginLimits.client(address);
    if (!check.reserves()) {
      return check.begin(client);
    }
    return limits.handshakes().begin(address, mostHandshakes())
        ? new Counted(check.begin(client), address)
        : null;
  }

  /** As many as hold the share of a client, and as many as there are children wait. */
  private int mostHandshakes() {
    HelperProgram helper = settings.helper();
    int children = helper == null ? LoginLimits.MOST_HANDSHAKES : helper.children().max();
    return Math.min(LoginLimits.MOST_HANDSHAKES, 2 * children);
  }

  /** A handshake that counts as one of its client until its end. */
  private final class Counted implements TokenCheck.Handshake {
    private final TokenCheck.Handshake handshake;
    private final byte[] address;
    private final AtomicBoolean ended = new AtomicBoolean();

    Counted(TokenCheck.Handshake handshake, byte[] address) {
      this.handshake = handshake;
      this.address = address;
    }

    @Override
    public void next(String token, @Nullable String extras, Consumer<Outcome> then) {
      handshake.next(token, extras, then);
    }

    @Override
    public void end() {
      if (ended.compareAndSet(false, true)) {
        limits.handshakes().end(address);
      }
      handshake.end();
    }
  }

  /** Whether {@code text} is a word of the digits of Base64. */
  static boolean isBase64(String text) {
    return !text.isEmpty() && text.chars().allMatch(TokenLogins::isDigit);
  }

  private static boolean isDigit(int c) {
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
      connection.user(done.user(), done.notes(), key);
      return RequestLogin.known(done.user(), done.notes());
    }
    if (outcome instanceof More more) {
      connection.goesOn();
      return RequestLogin.goesOn(
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
