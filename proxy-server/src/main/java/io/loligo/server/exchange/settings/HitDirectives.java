package io.loligo.server.exchange.settings;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives that decide how stored responses are selected and sent. Immutable. */
public final class HitDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Hits");

  /** {@code loligo_stored_set_cookie}: how Set-Cookie of stored responses is treated. */
  public static final Setting<StoredSetCookie> STORED_SET_COOKIE =
      FEATURE
          .choice("loligo_stored_set_cookie", StoredSetCookie.AUTO, StoredSetCookie.class)
          .text(
              "What becomes of Set-Cookie in stored responses: replay sends it to every"
                  + " client, strip removes it, bypass does not store such responses. auto:"
                  + " replay on accel ports, else strip. With replay such a response is stored"
                  + " only if the origin gives its lifetime (max-age, s-maxage or Expires).");

  /** {@code loligo_query_content_max}, in bytes: 0 to 1 MB. */
  public static final Setting<Integer> QUERY_CONTENT_MAX =
      FEATURE
          .bytes("loligo_query_content_max", "16 KB")
          .range(0, 1 << 20)
          .as(Math::toIntExact)
          .text(
              "Largest content of a QUERY whose response is stored and served. 0: never."
                  + " Each event loop holds the content of at most 64 of them.");

  /** {@code loligo_no_vary_search}: whether No-Vary-Search is obeyed. Default: on. */
  public static final Setting<Boolean> NO_VARY_SEARCH =
      FEATURE
          .flag("loligo_no_vary_search", "on")
          .text(
              "Whether No-Vary-Search of a response decides which parts of a query are"
                  + " part of the key.");

  private HitDirectives() {}
}
