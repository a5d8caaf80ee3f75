package io.loligo.server.login;

import io.loligo.core.acl.LoginState;
import org.jspecify.annotations.Nullable;

/** What is known about the user of one request. Confined to the event loop of the request. */
public final class RequestLogin {
  private final LoginState state;
  private final @Nullable String user;
  private final @Nullable Credentials credentials;
  private final @Nullable CredentialKey key;
  private final PasswordCheck.@Nullable Unavailable unavailable;
  private boolean asked;
  private boolean counted;
  private boolean compared;
  private boolean more;

  private RequestLogin(
      LoginState state,
      @Nullable String user,
      @Nullable Credentials credentials,
      @Nullable CredentialKey key,
      PasswordCheck.@Nullable Unavailable unavailable) {
    this.state = state;
    this.user = user;
    this.credentials = credentials;
    this.key = key;
    this.unavailable = unavailable;
  }

  /** {@code user} has logged in. */
  public static RequestLogin known(String user) {
    return new RequestLogin(LoginState.KNOWN, user, null, null, null);
  }

  /**
   * There are no valid credentials.
   *
   * @param user the name that the client tried; null: none
   */
  public static RequestLogin challenge(@Nullable String user) {
    return new RequestLogin(LoginState.CHALLENGE, user, null, null, null);
  }

  /** {@code credentials} must be checked. */
  public static RequestLogin unchecked(Credentials credentials, CredentialKey key) {
    return new RequestLogin(LoginState.UNCHECKED, null, credentials, key, null);
  }

  /** This one, whose check has failed because of {@code why}. */
  public RequestLogin unavailable(PasswordCheck.Unavailable why) {
    return new RequestLogin(state, user, credentials, key, why);
  }

  /** Whether the user is known. */
  public LoginState state() {
    return state;
  }

  /** The name, each character one byte: of the user, or what the client tried; null: none. */
  public @Nullable String user() {
    return user;
  }

  /** A rule asks who the user is. */
  public void ask() {
    asked = true;
  }

  /** Whether a rule has asked who the user is. */
  public boolean asked() {
    return asked;
  }

  /** The credentials to be checked; null: none. */
  public @Nullable Credentials credentials() {
    return credentials;
  }

  /** The key of {@link #credentials}; null: none. */
  public @Nullable CredentialKey key() {
    return key;
  }

  /** Why the credentials could not be checked; null: that has not happened. */
  public PasswordCheck.@Nullable Unavailable whyUnavailable() {
    return unavailable;
  }

  /** Counts {@code address} as one of the user's in {@code logins}, once. */
  public void count(Logins logins, byte[] address, long nowMillis) {
    String name = user;
    if (!counted && name != null && state == LoginState.KNOWN) {
      counted = true;
      logins.countAddress(name, address, nowMillis);
    }
  }

  /** Whether the user has more than {@code most} addresses. The first answer holds. */
  public boolean hasMoreAddresses(Logins logins, int most, boolean strict, byte[] address) {
    String name = user;
    if (!compared && name != null) {
      compared = true;
      more = logins.hasMoreAddresses(most, strict, name, address);
    }
    return more;
  }
}
