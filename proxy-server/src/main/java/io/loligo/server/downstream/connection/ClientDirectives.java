package io.loligo.server.downstream.connection;

import io.loligo.core.config.Feature;
import io.loligo.core.config.Setting;

/** Directives of connections from clients. */
public final class ClientDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("Clients");

  /** {@code request_start_timeout}: milliseconds. */
  public static final Setting<Long> REQUEST_START_TIMEOUT =
      FEATURE
          .millis("request_start_timeout", "5 minutes")
          .text("Longest wait for the first byte of a request.");

  /** {@code request_timeout}: milliseconds. */
  public static final Setting<Long> REQUEST_TIMEOUT =
      FEATURE
          .millis("request_timeout", "5 minutes")
          .text("Longest wait for the rest of a request's head.");

  /** {@code client_idle_pconn_timeout}: milliseconds. */
  public static final Setting<Long> CLIENT_IDLE_PCONN_TIMEOUT =
      FEATURE
          .millis("client_idle_pconn_timeout", "2 minutes")
          .alias("persistent_request_timeout")
          .text("How long a client connection may be idle between two requests.");

  /** {@code client_lifetime}: milliseconds. */
  public static final Setting<Long> CLIENT_LIFETIME =
      FEATURE.millis("client_lifetime", "1 day").text("Longest time of a client's request.");

  /** {@code client_persistent_connections}: whether connections are reused. */
  public static final Setting<Boolean> CLIENT_PERSISTENT_CONNECTIONS =
      FEATURE
          .flag("client_persistent_connections", "on")
          .text("Whether client connections are reused for further requests.");

  /**
   * {@code half_closed_clients}: whether a client that closed its sending side gets its response.
   */
  public static final Setting<Boolean> HALF_CLOSED_CLIENTS =
      FEATURE
          .flag("half_closed_clients", "off")
          .difference(
              "off: such a client has one second to get the first byte of its response,"
                  + " not none")
          .text("Whether a client that has closed its sending side still gets its response.");

  /** {@code loligo_max_requests_per_connection}: 0: no limit. */
  public static final Setting<Integer> MAX_REQUESTS_PER_CONNECTION =
      FEATURE
          .number("loligo_max_requests_per_connection", "0")
          .range(0, Integer.MAX_VALUE)
          .text("Requests after which a client connection is closed. 0: no limit.");

  /** {@code client_ip_max_connections}: -1: no limit. */
  public static final Setting<Integer> CLIENT_IP_MAX_CONNECTIONS =
      FEATURE
          .number("client_ip_max_connections", "-1")
          .range(-1, Integer.MAX_VALUE)
          .text(
              "Most connections of one client address. Further ones are closed at once."
                  + " -1: no limit.");

  /** {@code loligo_client_ip_max_requests}: 0: no limit. */
  public static final Setting<Integer> CLIENT_IP_MAX_REQUESTS =
      FEATURE
          .number("loligo_client_ip_max_requests", "0")
          .range(0, Integer.MAX_VALUE)
          .text(
              "Most requests of one client address in progress, tunnels included. Further"
                  + " ones get 429. 0: no limit.");

  /** {@code loligo_min_request_rate}: bytes a second; 0: no limit. */
  public static final Setting<Integer> MIN_REQUEST_RATE =
      FEATURE
          .bytes("loligo_min_request_rate", "240 bytes")
          .range(0, 1L << 30)
          .as(Math::toIntExact)
          .text(
              "Bytes a second that a client must send, on average over"
                  + " loligo_rate_window, while the head or the content of its request is"
                  + " incomplete and the proxy waits for it. A slower client gets 408 or is"
                  + " closed. 0: no limit.");

  /** {@code loligo_min_answer_rate}: bytes a second; 0: no limit. */
  public static final Setting<Integer> MIN_ANSWER_RATE =
      FEATURE
          .bytes("loligo_min_answer_rate", "240 bytes")
          .range(0, 1L << 30)
          .as(Math::toIntExact)
          .text(
              "Bytes a second that a client must take, on average over"
                  + " loligo_rate_window, while a part of its response waits for it. A slower"
                  + " client is closed. Bytes in the buffers of the system count as taken. A"
                  + " client that has taken all available bytes, and a tunnel, may be idle. 0:"
                  + " no limit.");

  /** {@code max_filedescriptors}: 0: the limit of the system. */
  public static final Setting<Integer> MAX_FILEDESCRIPTORS =
      FEATURE
          .number("max_filedescriptors", "0")
          .raised()
          .alias("max_filedesc")
          .range(0, Integer.MAX_VALUE)
          .difference(
              "lowers the limit of the system (LimitNOFILE, ulimit -n) and never raises" + " it")
          .text(
              "Most open files and sockets. An eighth of them, at least 32 and at most"
                  + " 1024, is reserved for origins, disks and the admin port; no client"
                  + " connection is accepted while only the reserve is left. 0: the limit of the"
                  + " system.");

  private ClientDirectives() {}
}
