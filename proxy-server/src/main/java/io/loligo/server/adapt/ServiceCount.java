package io.loligo.server.adapt;

/** The counts of one service, each declared once. Immutable. */
public enum ServiceCount {
  MESSAGES("messages", false, "Messages sent to an ICAP service, repeated ones included."),
  ADAPTED("adapted", false, "Messages that the service replaced by another."),
  SATISFIED("satisfied", false, "Requests that the service answered itself."),
  UNCHANGED("unchanged", false, "Messages that the service left as they are (204)."),
  UNCHANGED_IN_PREVIEW(
      "unchanged_in_preview", false, "Those among them for which a preview was enough."),
  FAILURES("failures", false, "Messages with which the service failed: see the log."),
  TIMEOUTS(
      "timeouts",
      false,
      "Waits for a connection or an answer of the service that took too long:"
          + " icap_connect_timeout, icap_io_timeout."),
  BYPASSES("bypasses", false, "Messages that continued without the service (bypass, on-overload)."),
  DOWNS("downs", false, "Times that an event loop took the service for down."),
  OPTIONS("options", false, "Requests for the service's options."),
  SENT_BYTES("sent_bytes", false, "Bytes sent to the service."),
  RECEIVED_BYTES("received_bytes", false, "Bytes received from the service."),
  ANSWER_NANOS(
      "answer_seconds",
      false,
      "Time from the choice of the service to its answer, added up: divide by the answers (adapted,"
          + " satisfied, unchanged)."),
  CONNECTIONS("connections", true, "Connections to the service that are open or being opened."),
  WAITING("waiting", true, "Messages that wait for a connection: max-conn or Max-Connections."),
  DOWN("down", true, "Event loops that take the service for down; 0: it is up.");

  private final String key;
  private final boolean gauge;
  private final String text;

  ServiceCount(String key, boolean gauge, String text) {
    this.key = key;
    this.gauge = gauge;
    this.text = text;
  }

  /** Its name for operators, in lower case, with the unit. */
  public String key() {
    return key;
  }

  /** Whether it also falls. */
  public boolean isGauge() {
    return gauge;
  }

  /** For the operator. */
  public String text() {
    return text;
  }

  /** What one of it is in the unit of {@link #key}. */
  public double unit() {
    return this == ANSWER_NANOS ? 1e-9 : 1;
  }
}
