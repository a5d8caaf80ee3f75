package io.loligo.server.exchange.settings;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives that limit the load under which requests are accepted. Immutable. */
public final class LoadDirectives {
  /** The group of these directives in the reference page. */
  public static final Feature FEATURE = new Feature("Load");

  /**
   * {@code loligo_max_requests_in_progress}: a number of requests; 0: one for each 16 KB of heap.
   */
  public static final Setting<Integer> MAX_REQUESTS_IN_PROGRESS =
      FEATURE
          .number("loligo_max_requests_in_progress", "0")
          .range(0, Integer.MAX_VALUE)
          .text(
              "Most requests in progress. Above this number only requests that memory can"
                  + " answer are served; the others get 503. Each event loop has its share."
                  + " Tunnels do not count. 0: one for each 16 KB of the Java heap.");

  /** {@code loligo_max_loop_lag}, in milliseconds; 0: no limit. */
  public static final Setting<Long> MAX_LOOP_LAG =
      FEATURE
          .millis("loligo_max_loop_lag", "1 second")
          .range(0, Integer.MAX_VALUE)
          .text(
              "How late an event loop may be, three times in a row, before requests that"
                  + " memory cannot answer get 503. 0: no limit.");

  private LoadDirectives() {}
}
