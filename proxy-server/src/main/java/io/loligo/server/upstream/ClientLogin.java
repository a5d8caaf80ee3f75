package io.loligo.server.upstream;

import org.jspecify.annotations.Nullable;

/** The login of a request as hops may learn it. Confined to the request's event loop. */
public interface ClientLogin {
  /** The name of the user; null: nobody has logged in. */
  @Nullable String user();

  /**
   * The value of Proxy-Authorization, which was for this proxy; null: there is none, or several, or
   * the client means another server by its connection.
   */
  default @Nullable String proxyCredentials() {
    return null;
  }

  /** The name of the user, as a helper of an ACL told it; null: none did. */
  default @Nullable String helperUser() {
    return null;
  }

  /**
   * The credentials, of the scheme Basic, that a helper of an ACL told; null: it told none, or the
   * client has sent some itself.
   *
   * @param toOrigin whether they would be in Authorization; else in Proxy-Authorization
   */
  default @Nullable String helperCredentials(boolean toOrigin) {
    return null;
  }

  /** Whether Authorization was for this proxy: a user has logged in on an accelerator port. */
  default boolean isInAuthorization() {
    return false;
  }
}
