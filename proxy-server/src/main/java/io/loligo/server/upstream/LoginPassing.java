package io.loligo.server.upstream;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * What a cache_peer learns of the login of clients: {@code login=}. Immutable.
 *
 * @param kind what it learns
 * @param password with {@link Kind#NAME}, a colon and the password beside the name; else empty
 */
public record LoginPassing(Kind kind, String password) {
  /** The kinds of {@code login=}. */
  public enum Kind {
    /** Nothing. */
    NOTHING,
    /** {@code PASSTHRU}: the credentials as the client has sent them. */
    ALL,
    /** {@code PASS}: the same, or those that a helper of an ACL told if the client sent none. */
    ALL_OR_TOLD,
    /** {@code *:password}: the name of the user, with the same password for all. */
    NAME
  }

  /** It learns nothing. */
  public static final LoginPassing NOTHING = new LoginPassing(Kind.NOTHING, "");

  /** Whether it learns the credentials that the client has sent. */
  boolean passesAll() {
    return kind == Kind.ALL || kind == Kind.ALL_OR_TOLD;
  }

  /** That of {@code login}, the value of the option; null: there is none. */
  public static LoginPassing of(@Nullable String login) {
    if (login == null) {
      return NOTHING;
    }
    if (login.equals("PASS") || login.equals("PASSTHRU")) {
      return new LoginPassing(login.equals("PASS") ? Kind.ALL_OR_TOLD : Kind.ALL, "");
    }
    return login.startsWith("*") ? new LoginPassing(Kind.NAME, login.substring(1)) : NOTHING;
  }

  /**
   * The credentials for a user.
   *
   * @param user null: nobody has logged in; a dash stands for the name, as in Squid
   */
  String named(@Nullable String user) {
    byte[] clear = ((user == null ? "-" : user) + password).getBytes(StandardCharsets.ISO_8859_1);
    return "Basic " + Base64.getEncoder().encodeToString(clear);
  }

  /** The kind only. */
  @Override
  public String toString() {
    return kind.name();
  }
}
