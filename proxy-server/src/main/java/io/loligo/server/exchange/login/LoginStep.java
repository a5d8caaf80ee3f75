package io.loligo.server.exchange.login;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.server.exchange.request.AddressBytes;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.login.ConnectionLogin;
import io.loligo.server.login.CredentialHash;
import io.loligo.server.login.LoginCheck;
import io.loligo.server.login.LoginRequest;
import io.loligo.server.login.Logins;
import io.loligo.server.login.RequestLogin;
import io.loligo.server.login.SchemeSettings.KeyExtras;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.netty.util.concurrent.EventExecutor;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
  private final Found found = new Found();

  /** The challenges if they are always the same; null: each is made for its request. */
  private final @Nullable Refusal proxyChallenge;

  private final @Nullable Refusal originChallenge;

  /** The step of {@code loop}. */
  public LoginStep(Logins logins, EventExecutor loop) {
    this.logins = logins;
    this.loop = loop;
    hash = logins.newHash();
    boolean same = logins.offersAlwaysTheSame();
    proxyChallenge = same ? challenge(407, logins.challenge(null, null, false)) : null;
    originChallenge = same ? challenge(401, logins.challenge(null, null, false)) : null;
  }

  private static Refusal challenge(int status, Logins.Challenge challenge) {
    String name = status == 407 ? "Proxy-Authenticate" : "WWW-Authenticate";
    FieldLines lines = new FieldLines(128);
    for (String value : challenge.values()) {
      lines.add(name, value);
    }
    Refusal refusal = Refusal.challenge(status, lines);
    return challenge.closes() ? refusal.closing() : refusal;
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
    if (at < 0) {
      return logins.withoutCredentials(connection(request));
    }
    if (fields.next(name, at + 1) >= 0) {
      return RequestLogin.challenge(null);
    }
    try {
      return logins.read(found.in(request, fields, at));
    } finally {
      found.forget();
    }
  }

  /** The login of the connection of {@code request}; null: it can have none. */
  private @Nullable ConnectionLogin connection(Request request) {
    if (!logins.bindsConnections() || !request.isOfClient()) {
      return null;
    }
    boolean shared =
        request.requestFields().has(FieldName.VIA)
            || !Arrays.equals(
                request.clientAddress(), AddressBytes.of(request.client().getAddress()));
    return shared && !logins.bindsSharedConnections() ? null : request.stream().login();
  }

  private static int field(HttpPort port) {
    return port.accel() == null ? FieldName.PROXY_AUTHORIZATION : FieldName.AUTHORIZATION;
  }

  /** Credentials in a request. One object serves all requests of the loop. */
  private final class Found implements LoginRequest {
    private @Nullable Request request;
    private @Nullable Fields fields;
    private int line;

    Found in(Request request, Fields fields, int line) {
      this.request = request;
      this.fields = fields;
      this.line = line;
      return this;
    }

    void forget() {
      request = null;
      fields = null;
    }

    private Request request() {
      assert request != null : "a scheme reads it";
      return request;
    }

    private Fields fields() {
      assert fields != null : "a scheme reads it";
      return fields;
    }

    @Override
    public byte[] bytes() {
      return fields().bytes();
    }

    @Override
    public int start() {
      return fields().valueStart(line);
    }

    @Override
    public int end() {
      return fields().valueEnd(line);
    }

    @Override
    public CredentialHash hash() {
      return hash;
    }

    @Override
    public @Nullable ConnectionLogin connection() {
      return LoginStep.this.connection(request());
    }

    @Override
    public byte[] clientAddress() {
      return request().clientAddress();
    }

    @Override
    public String method() {
      return request().method();
    }

    @Override
    public boolean isFor(String uri) {
      RequestHead head = request().head();
      int start = head.targetStart();
      String target = new String(head.bytes(), start, head.targetEnd() - start, ISO_8859_1);
      return uri.equals(target) || uri.equals(withoutOrigin(target));
    }

    /** The target of a request to an origin (RFC 9112 section 3.2.1). */
    private static String withoutOrigin(String target) {
      int authority = target.indexOf("://");
      if (authority < 0 || target.startsWith("/")) {
        return target;
      }
      int end = authority + 3;
      while (end < target.length() && "/?#".indexOf(target.charAt(end)) < 0) {
        end++;
      }
      String rest = target.substring(end);
      return rest.startsWith("/") ? rest : "/" + rest;
    }

    @Override
    public @Nullable String extras(@Nullable KeyExtras extras) {
      return extras == null
          ? null
          : new String(extras.format().bytes(request().record()), ISO_8859_1);
    }
  }

  /**
   * Checks the credentials of {@code request}, a snapshot.
   *
   * @param then takes a task that tells the request the result; called on the loop
   */
  public void ask(Request request, Consumer<Runnable> then) {
    RequestLogin asked = request.foundLogin();
    LoginCheck check = asked == null ? null : asked.check();
    assert check != null : "there is something to check";
    check.begin(loop, told -> then.accept(() -> request.login(told, logins)));
  }

  /** The response that asks the client of {@code request} for a login. */
  public Refusal challenge(Request request) {
    boolean forward = request.httpPort().accel() == null;
    Refusal same = forward ? proxyChallenge : originChallenge;
    return same == null
        ? challenge(
            forward ? 407 : 401,
            logins.challenge(request, request.foundLogin(), connection(request) != null))
        : same;
  }
}
