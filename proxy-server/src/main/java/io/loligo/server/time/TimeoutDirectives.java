package io.loligo.server.time;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives of timeouts that hold for clients and origins. */
public final class TimeoutDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Timeouts");

  /** {@code read_timeout}: milliseconds. */
  public static final Setting<Long> READ_TIMEOUT =
      FEATURE
          .millis("read_timeout", "15 minutes")
          .text("Longest wait for the next bytes from an origin.");

  /** {@code write_timeout}: milliseconds. */
  public static final Setting<Long> WRITE_TIMEOUT =
      FEATURE.millis("write_timeout", "15 minutes").text("Longest wait until a peer takes bytes.");

  /** {@code pconn_lifetime}: milliseconds; 0: no limit. */
  public static final Setting<Long> PCONN_LIFETIME =
      FEATURE
          .millis("pconn_lifetime", "0 seconds")
          .difference(
              "a connection that is older ends with the response in progress, and an idle one at"
                  + " once; Squid gives it another second, in which it may be used again")
          .text(
              "The age at which a connection with a client, an origin or a cache_peer takes no"
                  + " further request. Requests in progress and tunnels go on. 0: no limit.");

  /** {@code loligo_rate_window}: milliseconds. */
  public static final Setting<Long> RATE_WINDOW =
      FEATURE
          .millis("loligo_rate_window", "30 seconds")
          .range(1_000, Integer.MAX_VALUE)
          .text(
              "The time over which loligo_min_request_rate, loligo_min_answer_rate and"
                  + " loligo_min_origin_rate are measured. A peer that moves no byte at all is"
                  + " cut off after it.");

  private TimeoutDirectives() {}
}
