package io.loligo.server.metrics;

import static io.loligo.server.counts.CountText.counter;

import io.loligo.server.counts.Count;
import io.loligo.server.counts.CountText;

/** The counts of messages by ICP, each declared once. Immutable. */
public enum IcpCount implements Count {
  QUERIES_SENT(counter("queries_sent", "Queries by ICP that were sent to peers.")),
  QUERIES_RECEIVED(counter("queries_received", "Queries by ICP that came.")),
  REPLIES_SENT(counter("replies_sent", "Replies to queries by ICP that were sent.")),
  REPLIES_RECEIVED(counter("replies_received", "Replies to queries by ICP that came.")),
  QUERY_BYTES_SENT(counter("query_bytes_sent", "Bytes of queries by ICP that were sent.")),
  QUERY_BYTES_RECEIVED(counter("query_bytes_received", "Bytes of queries by ICP that came.")),
  REPLY_BYTES_SENT(counter("reply_bytes_sent", "Bytes of replies by ICP that were sent.")),
  REPLY_BYTES_RECEIVED(counter("reply_bytes_received", "Bytes of replies by ICP that came.")),
  ROUND_TIMEOUTS(
      counter("round_timeouts", "Requests that waited for replies of peers until the time-out."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of names and flags
  private final CountText told;

  IcpCount(CountText told) {
    this.told = told;
  }

  @Override
  public CountText told() {
    return told;
  }
}
