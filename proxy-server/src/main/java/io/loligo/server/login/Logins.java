package io.loligo.server.login;

import io.loligo.core.acl.AclInput;
import io.loligo.server.helper.Helpers;
import io.loligo.server.login.RequestLogin.OwnChallenge;
import io.loligo.server.time.TimeSource;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The schemes by which users log in, and what all of them share, under one configuration.
 * Thread-safe: any thread.
 */
public final class Logins {
  private final LoginSettings settings;
  private final SecretKey key;
  private final List<Scheme> schemes;
  private final UserAddresses addresses;
  private final LoginLimits limits;
  private final boolean binds;
  private final List<LoginCounts> counts;

  private Logins(
      LoginSettings settings, TimeSource time, Helpers helpers, @Nullable Logins before) {
    this.settings = settings;
    boolean sameLimit = before != null && before.settings.mostFailures() == settings.mostFailures();
    limits =
        before != null && sameLimit
            ? before.limits
            : new LoginLimits(settings.mostFailures(), time);
    key = before == null ? newKey() : before.key;
    addresses = before == null ? new UserAddresses() : before.addresses;
    List<Scheme> made = new ArrayList<>();
    for (SchemeSettings one : settings.schemes().all()) {
      made.add(scheme(one, time, helpers, before));
    }
    schemes = List.copyOf(made);
    counts = made.stream().map(one -> counts(one.settings().scheme(), time, before)).toList();
    binds = made.stream().anyMatch(Scheme::bindsConnection);
  }

  private Scheme scheme(
      SchemeSettings of, TimeSource time, Helpers helpers, @Nullable Logins before) {
    Scheme earlier = before == null ? null : before.scheme(of.scheme());
    if (of instanceof BasicSettings basic) {
      BasicLogins same =
          earlier instanceof BasicLogins known ? known.under(settings, basic, limits) : null;
      return same == null ? BasicLogins.of(settings, basic, time, limits, helpers) : same;
    }
    if (of instanceof TokenSettings token) {
      return earlier instanceof TokenLogins known && known.settings().equals(token)
          ? known.under(limits)
          : TokenLogins.of(token, limits, helpers);
    }
    DigestSettings digest = (DigestSettings) of;
    DigestLogins same =
        earlier instanceof DigestLogins known ? known.under(settings, digest, limits) : null;
    return same == null ? DigestLogins.of(settings, digest, time, limits, helpers) : same;
  }

  private static LoginCounts counts(String scheme, TimeSource time, @Nullable Logins before) {
    LoginCounts earlier = before == null ? null : before.counts(scheme);
    return earlier == null ? new LoginCounts(scheme, time) : earlier;
  }

  private @Nullable LoginCounts counts(String scheme) {
    for (LoginCounts one : counts) {
      if (one.name().equals(scheme)) {
        return one;
      }
    }
    return null;
  }

  /** The counts of the schemes, in their order. A reload continues those of a scheme that stays. */
  public List<LoginCounts> counts() {
    return counts;
  }

  private @Nullable Scheme scheme(String name) {
    for (Scheme one : schemes) {
      if (one.settings().scheme().equals(name)) {
        return one;
      }
    }
    return null;
  }

  private static SecretKey newKey() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return new SecretKeySpec(bytes, CredentialHash.ALGORITHM);
  }

  /** The logins under {@code settings}; null: nobody can log in. */
  public static @Nullable Logins of(LoginSettings settings, TimeSource time, Helpers helpers) {
    return under(null, settings, time, helpers);
  }

  /**
   * The logins under other settings. They know what {@code before} knows, unless a scheme checks
   * users in another way now. The caller ends {@code before} with {@link #replacedBy}.
   *
   * @param before null: nobody could log in
   * @return null: nobody can log in
   */
  public static @Nullable Logins under(
      @Nullable Logins before, LoginSettings settings, TimeSource time, Helpers helpers) {
    return settings.schemes().all().isEmpty() ? null : new Logins(settings, time, helpers, before);
  }

  /**
   * Ends all schemes, except for those with which {@code next} goes on. Requests that wait are
   * answered.
   */
  public void replacedBy(@Nullable Logins next) {
    for (Scheme one : schemes) {
      if (next == null || next.schemes.stream().noneMatch(one::continuesIn)) {
        one.close();
      }
    }
  }

  /** The hash of field values, for one event loop. */
  public CredentialHash newHash() {
    return new CredentialHash(key);
  }

  /** What the credentials of {@code request} tell. Does not block. */
  public RequestLogin read(LoginRequest request) {
    Scheme named = named(request.bytes(), request.start(), request.end());
    ConnectionLogin connection = request.connection();
    if (connection != null && (named == null || !named.bindsConnection())) {
      connection.forget();
    }
    return named == null ? RequestLogin.challenge(null) : counted(named, named.read(request));
  }

  private RequestLogin counted(Scheme of, RequestLogin login) {
    LoginCheck check = login.check();
    return check == null
        ? login
        : RequestLogin.unchecked(counts.get(schemes.indexOf(of)).counted(check));
  }

  /**
   * What is known about a request without credentials.
   *
   * @param connection the login of its connection; null: it has none
   */
  public RequestLogin withoutCredentials(@Nullable ConnectionLogin connection) {
    String name = connection == null ? null : connection.scheme();
    String user =
        connection == null || name == null || scheme(name) == null ? null : connection.user(name);
    if (connection != null && user != null) {
      return RequestLogin.known(user, connection.notes());
    }
    if (connection != null) {
      connection.forget();
    }
    return RequestLogin.challenge(null);
  }

  /** Whether logins of a scheme belong to connections. */
  public boolean bindsConnections() {
    return binds;
  }

  /** {@code loligo_shared_connection_login}: whether this holds behind other proxies, too. */
  public boolean bindsSharedConnections() {
    return settings.bindsShared();
  }

  /** The scheme whose name, in any case, is the first word of a field value. */
  private @Nullable Scheme named(byte[] bytes, int start, int end) {
    for (Scheme one : schemes) {
      if (isNamed(one.settings().scheme(), bytes, start, end)) {
        return one;
      }
    }
    return null;
  }

  private static boolean isNamed(String name, byte[] bytes, int start, int end) {
    int length = name.length();
    if (end - start <= length || bytes[start + length] != ' ') {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if ((bytes[start + i] | 0x20) != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the values of a challenge are the same for all requests. */
  public boolean offersAlwaysTheSame() {
    return settings.offers().rules().isEmpty()
        && schemes.stream().allMatch(BasicLogins.class::isInstance);
  }

  /**
   * What a client is asked.
   *
   * @param values of WWW-Authenticate or Proxy-Authenticate, one for each field line
   * @param closes whether the connection closes after it
   */
  public record Challenge(List<String> values, boolean closes) {}

  /**
   * The challenge to a client.
   *
   * @param request null: {@code auth_schemes} does not decide
   * @param login what is known about its user; null: nothing
   * @param connection whether its connection can have a login
   */
  public Challenge challenge(
      @Nullable AclInput request, @Nullable RequestLogin login, boolean connection) {
    OwnChallenge own = login == null ? null : login.ownChallenge();
    if (own != null && own.alone()) {
      return new Challenge(own.values().get(), own.closes());
    }
    List<String> names = request == null ? null : settings.offers().of(request);
    List<String> values = new ArrayList<>();
    boolean closes = own != null && own.closes();
    for (Scheme one : names == null ? schemes : named(names)) {
      if (connection || !one.bindsConnection()) {
        boolean isOwn = own != null && own.scheme().equals(one.settings().scheme());
        values.addAll(isOwn && own != null ? own.values().get() : one.challenges());
        closes |= own == null && one.closesAfterChallenge();
      }
    }
    return new Challenge(values, closes);
  }

  private List<Scheme> named(List<String> names) {
    List<Scheme> named = new ArrayList<>();
    for (String name : names) {
      Scheme one = scheme(name);
      if (one != null) {
        named.add(one);
      }
    }
    return named;
  }

  /** Whether an ACL asks for the number of a user's addresses. */
  public boolean countsAddresses() {
    return settings.countsAddresses();
  }

  void countAddress(String user, byte[] address, long nowMillis) {
    long untilMillis = nowMillis + TimeUnit.SECONDS.toMillis(settings.addressSeconds());
    addresses.add(user, address, nowMillis, untilMillis);
  }

  boolean hasMoreAddresses(int most, boolean strict, String user, byte[] address) {
    return addresses.moreThan(most, strict, user, address);
  }
}
