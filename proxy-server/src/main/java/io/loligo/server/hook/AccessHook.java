package io.loligo.server.hook;

import org.jspecify.annotations.Nullable;

/** Decides about requests before the lines of {@code http_access}. */
@FunctionalInterface
public interface AccessHook {
  /**
   * Whether {@code request} is allowed; null: the lines decide. Called again after the request has
   * waited for a fact, such as a login.
   */
  @Nullable Boolean allows(HookedRequest request);
}
