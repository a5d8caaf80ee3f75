package io.loligo.server.upstream;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives of connections to origins and parents. */
public final class OriginDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Origins");

  /** {@code connect_timeout}: milliseconds. */
  public static final Setting<Long> CONNECT_TIMEOUT =
      FEATURE.millis("connect_timeout", "1 minute").text("Longest time to connect to an origin.");

  /** {@code peer_connect_timeout}: milliseconds. */
  public static final Setting<Long> PEER_CONNECT_TIMEOUT =
      FEATURE
          .millis("peer_connect_timeout", "30 seconds")
          .text("Longest time to connect to a cache_peer.");

  /** {@code server_idle_pconn_timeout}: milliseconds. */
  public static final Setting<Long> SERVER_IDLE_PCONN_TIMEOUT =
      FEATURE
          .millis("server_idle_pconn_timeout", "1 minute")
          .alias("pconn_timeout")
          .text("How long an idle connection to an origin is kept.");

  /** {@code forward_timeout}: milliseconds. */
  public static final Setting<Long> FORWARD_TIMEOUT =
      FEATURE
          .millis("forward_timeout", "4 minutes")
          .text("Longest time for all attempts to reach an origin.");

  /** {@code forward_max_tries}: attempts for one request. */
  public static final Setting<Integer> FORWARD_MAX_TRIES =
      FEATURE
          .number("forward_max_tries", "25")
          .range(0, Integer.MAX_VALUE)
          .text("How many paths are tried for one request.");

  /** {@code connect_retries}: how often one address is dialled; 0 is once. */
  public static final Setting<Integer> CONNECT_RETRIES =
      FEATURE
          .number("connect_retries", "0")
          .range(0, 10)
          .raised()
          .lowered()
          .text(
              "How often a connection to one address is tried, a twentieth of a second apart,"
                  + " until the next address or peer follows. 0: once. All of it must happen in"
                  + " connect_timeout. forward_max_tries does not count the repetitions.");

  /** {@code server_persistent_connections}: whether connections are reused. */
  public static final Setting<Boolean> SERVER_PERSISTENT_CONNECTIONS =
      FEATURE
          .flag("server_persistent_connections", "on")
          .text("Whether connections to origins are reused for further requests.");

  /** {@code loligo_max_idle_per_origin}: connections, in each event loop. */
  public static final Setting<Integer> MAX_IDLE_PER_ORIGIN =
      FEATURE
          .number("loligo_max_idle_per_origin", "256")
          .range(0, Integer.MAX_VALUE)
          .text(
              "Most idle connections to one origin that one event loop keeps. Each takes some 3 KB"
                  + " of memory, and ends after server_idle_pconn_timeout.");

  /** {@code loligo_min_origin_rate}: bytes a second; 0: no limit. */
  public static final Setting<Integer> MIN_ORIGIN_RATE =
      FEATURE
          .bytes("loligo_min_origin_rate", "240 bytes")
          .range(0, 1L << 30)
          .as(Math::toIntExact)
          .text(
              "Bytes a second that an origin must send, on average over twice"
                  + " loligo_rate_window, from the beginning of a head, of content of known"
                  + " length or of a chunk until it is complete. For a slower one the client"
                  + " gets 504, or its response is cut. Between chunks the origin may be silent"
                  + " until read_timeout. 0: no limit.");

  /** {@code loligo_origin_http2}: whether origins are offered HTTP/2. */
  public static final Setting<Boolean> ORIGIN_HTTP2 =
      FEATURE
          .flag("loligo_origin_http2", "on")
          .text(
              "Whether origins are offered HTTP/2 in the handshake of TLS. off: HTTP/1.1 only. For"
                  + " a cache_peer, its option no-http2 says so.");

  private OriginDirectives() {}
}
