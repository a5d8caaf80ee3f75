package io.loligo.server.metrics;

import static io.loligo.server.counts.CountText.counter;

import io.loligo.server.counts.Count;
import io.loligo.server.counts.CountText;

/** The counts of one parent, each declared once. Immutable. */
public enum PeerCount implements Count {
  REQUESTS(counter("requests", "Requests sent to the parent: checks and repeated ones too.")),
  RESPONSES(counter("responses", "Requests to which the parent has responded.")),
  FAILURES(counter("failures", "Requests whose response did not come, or was cut.")),
  CONNECT_FAILURES(counter("connect_failures", "Times that the parent could not be reached.")),
  SENT(counter("sent_bytes", "Bytes sent to the parent; those of a tunnel count at its end.")),
  RECEIVED(counter("received_bytes", "Bytes from the parent; those of a tunnel count at its end.")),
  QUERIES(counter("queries", "Queries by ICP or HTCP that were sent to the peer.")),
  QUERY_HITS(counter("query_hits", "Replies to them: it has the response.")),
  QUERY_MISSES(counter("query_misses", "Replies to them: it lacks the response.")),
  QUERY_REFUSALS(counter("query_refusals", "Replies to them: it does not answer this proxy.")),
  QUERY_TIMEOUTS(counter("query_timeouts", "Queries without a reply in time.")),
  DIGEST_HITS(counter("digest_hits", "Requests whose URL the digest of the peer has.")),
  DIGEST_MISSES(counter("digest_misses", "Requests whose URL the digest of the peer lacks.")),
  DIGEST_FALSE_HITS(
      counter("digest_false_hits", "Digest hits for which the sibling lacks the response.")),
  DIGEST_FAILURES(counter("digest_failures", "Fetches that gave no digest of the peer."));

  @SuppressWarnings("ImmutableEnumChecker") // a record of names and flags
  private final CountText told;

  PeerCount(CountText told) {
    this.told = told;
  }

  @Override
  public CountText told() {
    return told;
  }
}
