package io.loligo.server.helper;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives about all helper programs. Immutable. */
public final class HelperDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Helper programs");

  /** {@code loligo_helper_timeout}, in milliseconds. */
  public static final Setting<Long> HELPER_TIMEOUT =
      FEATURE
          .millis("loligo_helper_timeout", "1 minute")
          .range(100, 86_400_000)
          .text(
              "How long a request waits for a helper program, the time before a child is free"
                  + " included. After it, the request continues as if the helper were broken, and"
                  + " a child that has answered nothing within the time is ended.");

  private HelperDirectives() {}
}
