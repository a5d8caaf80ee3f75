package io.loligo.server.metrics;

/**
 * The counters of an event loop, each declared once: its name, its unit and what an operator needs
 * to know. Immutable.
 */
public enum Counter {
  CLIENT_BYTES_IN(
      "loligo.client.received", "bytes", "Octets read from clients, request heads included."),
  CLIENT_BYTES_OUT(
      "loligo.client.sent", "bytes", "Octets written to clients, response heads included."),
  HIT_BYTES_OUT(
      "loligo.client.hit.sent",
      "bytes",
      "Octets written to clients in answers that count as hits; over loligo_client_sent this is the"
          + " byte hit ratio."),
  SERVER_BYTES_IN(
      "loligo.server.received", "bytes", "Octets read from origins and parents, heads included."),
  SERVER_BYTES_OUT(
      "loligo.server.sent", "bytes", "Octets written to origins and parents, heads included."),
  HITS("loligo.hits", null, "Exchanges that count as hits; over loligo_exchanges the hit ratio."),
  COLLAPSED(
      "loligo.collapsed", null, "Exchanges that read along with another's fetch; usually good."),
  ABORTED(
      "loligo.aborted",
      null,
      "Exchanges cut before their answer was complete, by the client or for want of the origin's"
          + " rest; some are normal."),
  DISK_LATE(
      "loligo.disk.late",
      null,
      "Exchanges that did not wait any longer for a cache_dir and went on as a miss; the disk is too"
          + " slow for its load."),
  INVALIDATION_LATE(
      "loligo.invalidation.late",
      null,
      "Answers to unsafe requests that went on before a cache_dir had confirmed that it has"
          + " forgotten what they make invalid: it may be back after a crash; the disk is too slow"
          + " for its load, or fails."),
  TIMED_OUT("loligo.timed.out", null, "Exchanges that ended by one of the timeouts."),
  CLIENT_TOO_SLOW(
      "loligo.client.slow.readers",
      null,
      "Exchanges cut because the client took less than loligo_min_answer_rate of its answer."),
  CLIENT_CONNECTIONS("loligo.client.accepted", null, "Connections accepted from clients."),
  SERVER_CONNECTIONS("loligo.server.connected", null, "Connections opened to origins and parents."),
  SERVER_REUSED("loligo.server.reused", null, "Fetches that went over a connection already open."),
  SERVER_CONNECT_FAILURES(
      "loligo.server.connect.failed",
      null,
      "Attempts to connect to an origin or parent that failed.");

  private final String meter;
  private final String unit;
  private final String text;

  Counter(String meter, String unit, String text) {
    this.meter = meter;
    this.unit = unit;
    this.text = text;
  }

  /** Name in Micrometer's spelling. */
  public String meter() {
    return meter;
  }

  /** Base unit, or null for a plain count. */
  public String unit() {
    return unit;
  }

  /** For the operator. */
  public String text() {
    return text;
  }
}
