package io.loligo.server.adapt;

import static io.loligo.server.counts.CountText.counter;
import static io.loligo.server.counts.CountText.gauge;
import static io.loligo.server.counts.CountText.time;

import io.loligo.server.counts.Count;
import io.loligo.server.counts.CountText;

/** The counts of one service, each declared once. Immutable. */
public enum ServiceCount implements Count {
  MESSAGES(counter("messages", "Messages sent to an ICAP service, repeated ones included.")),
  ADAPTED(counter("adapted", "Messages that the service replaced by another.")),
  SATISFIED(counter("satisfied", "Requests that the service answered itself.")),
  UNCHANGED(counter("unchanged", "Messages that the service left as they are (204).")),
  UNCHANGED_IN_PREVIEW(
      counter("unchanged_in_preview", "Those among them for which a preview was enough.")),
  FAILURES(counter("failures", "Messages with which the service failed: see the log.")),
  TIMEOUTS(
      counter(
          "timeouts",
          "Waits for a connection or an answer of the service that took too long:"
              + " icap_connect_timeout, icap_io_timeout.")),
  BYPASSES(
      counter("bypasses", "Messages that continued without the service (bypass, on-overload).")),
  DOWNS(counter("downs", "Times that an event loop took the service for down.")),
  OPTIONS(counter("options", "Requests for the service's options.")),
  SENT_BYTES(counter("sent_bytes", "Bytes sent to the service.")),
  RECEIVED_BYTES(counter("received_bytes", "Bytes received from the service.")),
  ANSWER_NANOS(
      time(
          "answer",
          "Time from the choice of the service to its answer, added up: divide by the answers"
              + " (adapted, satisfied, unchanged).")),
  CONNECTIONS(gauge("connections", "Connections to the service that are open or being opened.")),
  WAITING(gauge("waiting", "Messages that wait for a connection: max-conn or Max-Connections.")),
  DOWN(gauge("down", "Event loops that take the service for down; 0: it is up."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of names and flags
  private final CountText told;

  ServiceCount(CountText told) {
    this.told = told;
  }

  @Override
  public CountText told() {
    return told;
  }
}
