package io.loligo.server.metrics;

import org.jspecify.annotations.Nullable;

/**
 * The counters of an event loop, each declared once: its name, its unit and its text for the
 * operator. Immutable.
 */
public enum Counter {
  CLIENT_BYTES_IN(
      "loligo.client.received", "bytes", "Bytes read from clients, request heads included."),
  CLIENT_BYTES_OUT(
      "loligo.client.sent", "bytes", "Bytes written to clients, response heads included."),
  HIT_BYTES_OUT(
      "loligo.client.hit.sent",
      "bytes",
      "Bytes written to clients in responses that count as hits; divide by loligo_client_sent for"
          + " the byte hit ratio."),
  SERVER_BYTES_IN(
      "loligo.server.received", "bytes", "Bytes read from origins and parents, heads included."),
  SERVER_BYTES_OUT(
      "loligo.server.sent", "bytes", "Bytes written to origins and parents, heads included."),
  HITS(
      "loligo.hits",
      null,
      "Exchanges that count as hits; divide by loligo_exchanges for the hit ratio."),
  NODE_REQUESTS(
      "loligo.node.requests",
      null,
      "Exchanges with other nodes of the cluster, which ask for their clients. They are not among"
          + " loligo_exchanges, whose node counts them."),
  COLLAPSED(
      "loligo.collapsed",
      null,
      "Exchanges that shared the fetch of another exchange; usually good."),
  ABORTED(
      "loligo.aborted",
      null,
      "Exchanges cut before the response was complete, by the client or because the origin's"
          + " response was incomplete; some are normal."),
  DISK_LATE(
      "loligo.disk.late",
      null,
      "Exchanges that stopped waiting for a cache_dir and continued as a miss; the disk is too slow"
          + " for its load."),
  INVALIDATION_LATE(
      "loligo.invalidation.late",
      null,
      "Responses to unsafe requests sent before a cache_dir had confirmed the invalidation; the"
          + " invalidated responses may return after a crash; the disk is too slow for its load, or"
          + " fails."),
  TIMED_OUT("loligo.timed.out", null, "Exchanges ended by a timeout."),
  CLIENT_TOO_SLOW(
      "loligo.client.slow.readers",
      null,
      "Exchanges cut because the client read its response below loligo_min_answer_rate."),
  CLIENT_CONNECTIONS("loligo.client.accepted", null, "Connections accepted from clients."),
  PROXY_HEADERS_REFUSED(
      "loligo.proxy.headers.refused",
      null,
      "Connections closed on a port with require-proxy-header: from an address that"
          + " proxy_protocol_access does not allow, or without a valid header."),
  DESTINATIONS_UNKNOWN(
      "loligo.intercept.refused",
      null,
      "Connections closed on a port with intercept or tproxy: the client connected to the port"
          + " itself, or the system does not know to which address it connected."),
  TLS_HANDSHAKES("loligo.tls.handshakes", null, "Finished TLS handshakes with clients."),
  HOST_CERTIFICATES_REFUSED(
      "loligo.tls.refused",
      null,
      "Clients that refused a certificate made for a decrypted tunnel, or left within its"
          + " handshake."),
  SERVER_CONNECTIONS("loligo.server.connected", null, "Connections opened to origins and parents."),
  SERVER_REUSED("loligo.server.reused", null, "Fetches on a reused connection."),
  SERVER_HTTP2(
      "loligo.server.http2",
      null,
      "Requests sent to origins and parents over HTTP/2, repeated ones included; the rest of the"
          + " fetches uses HTTP/1.1."),
  SERVER_RESUMED(
      "loligo.server.resumed",
      null,
      "Requests for the rest of a response whose connection had broken off"
          + " (loligo_resume_fetches)."),
  SERVER_CONNECT_FAILURES(
      "loligo.server.connect.failed", null, "Failed attempts to connect to an origin or parent.");

  private final String meter;
  private final @Nullable String unit;
  private final String text;

  Counter(String meter, @Nullable String unit, String text) {
    this.meter = meter;
    this.unit = unit;
    this.text = text;
  }

  /** Name in Micrometer's spelling. */
  public String meter() {
    return meter;
  }

  /** Base unit, or null for a plain count. */
  public @Nullable String unit() {
    return unit;
  }

  /** For the operator. */
  public String text() {
    return text;
  }
}
