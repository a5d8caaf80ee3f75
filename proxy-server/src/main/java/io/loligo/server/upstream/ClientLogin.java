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

  /** Whether Authorization was for this proxy: a user has logged in on an accelerator port. */
  default boolean isInAuthorization() {
    return false;
  }
}
