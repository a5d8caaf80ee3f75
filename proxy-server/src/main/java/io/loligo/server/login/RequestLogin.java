package io.loligo.server.login;

import io.loligo.core.acl.LoginState;
import io.loligo.core.acl.Notes;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is known about the user of one request. Confined to the event loop of the request. */
public final class RequestLogin {
  private final LoginState state;
  private final @Nullable String user;
  private final @Nullable LoginCheck check;
  private final @Nullable OwnChallenge challenge;
  private final PasswordCheck.@Nullable Unavailable unavailable;
  private List<Notes.Note> notes = List.of();
  private boolean goesOn;
  private boolean asked;
  private boolean counted;
  private boolean compared;
  private boolean more;

  private RequestLogin(
      LoginState state,
      @Nullable String user,
      @Nullable LoginCheck check,
      @Nullable OwnChallenge challenge,
      PasswordCheck.@Nullable Unavailable unavailable) {
    this.state = state;
    this.user = user;
    this.check = check;
    this.challenge = challenge;
    this.unavailable = unavailable;
  }

  /** {@code user} has logged in. */
  public static RequestLogin known(String user) {
    return new RequestLogin(LoginState.KNOWN, user, null, null, null);
  }

  /** The same with notes that the request gets when a rule asks. */
  static RequestLogin known(String user, List<Notes.Note> notes) {
    RequestLogin login = known(user);
    login.notes = notes;
    return login;
  }

  /** The notes that the request gets now: empty, except at the first call. */
  public List<Notes.Note> takeNotes() {
    List<Notes.Note> taken = notes;
    notes = List.of();
    return taken;
  }

  /**
   * There are no valid credentials.
   *
   * @param user the name that the client tried; null: none
   */
  public static RequestLogin challenge(@Nullable String user) {
    return new RequestLogin(LoginState.CHALLENGE, user, null, null, null);
  }

  /**
   * The same, and the scheme of the credentials has a challenge of its own about them.
   *
   * @param own that challenge
   */
  static RequestLogin challenge(@Nullable String user, OwnChallenge own) {
    return new RequestLogin(LoginState.CHALLENGE, user, null, own, null);
  }

  /** The same, and the client has to answer {@code own}: its login goes on. */
  static RequestLogin goesOn(OwnChallenge own) {
    RequestLogin login = challenge(null, own);
    login.goesOn = true;
    return login;
  }

  /** Whether the client has to answer the challenge of a login that goes on. */
  boolean goesOn() {
    return goesOn;
  }

  /**
   * A challenge of one scheme about one request.
   *
   * @param scheme its name in {@code auth_param}
   * @param alone whether the client should go on with this scheme, and is offered no other
   * @param closes whether the connection closes after it
   * @param values makes the values of its field lines, when they are sent
   */
  record OwnChallenge(
      String scheme, boolean alone, boolean closes, Supplier<List<String>> values) {}

  /** The user is known after {@code check}. */
  static RequestLogin unchecked(LoginCheck check) {
    return new RequestLogin(LoginState.UNCHECKED, null, check, null, null);
  }

  /** The credentials could not be checked because of {@code why}. */
  static RequestLogin unavailable(PasswordCheck.Unavailable why) {
    return new RequestLogin(LoginState.UNCHECKED, null, null, null, why);
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

  /** The check that tells who the user is; null: there is none. */
  public @Nullable LoginCheck check() {
    return check;
  }

  /** The challenge of the scheme of the credentials about them; null: the usual one. */
  @Nullable OwnChallenge ownChallenge() {
    return challenge;
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
