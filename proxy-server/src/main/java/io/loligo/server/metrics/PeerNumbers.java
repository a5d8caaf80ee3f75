package io.loligo.server.metrics;

import io.loligo.server.counts.Counts;
import java.util.Map;

/**
 * The state of a parent at one moment. Immutable.
 *
 * @param name {@code name=}, else its host
 * @param up whether requests are sent to it
 * @param connections open ones
 * @param goodChecks checks with a good response so far
 * @param badChecks other ones
 * @param failures to connect in a row
 * @param lastCheck {@code good}, or the fault of the last check; empty: there was none
 * @param turnPercent the share of its turns that it takes; less than 100 during a slow start
 * @param roundTripMillis the average time of replies to queries; 0: there was none
 * @param counts so far; one that is missing is 0
 */
public record PeerNumbers(
    String name,
    boolean up,
    int connections,
    long goodChecks,
    long badChecks,
    int failures,
    String lastCheck,
    int turnPercent,
    int roundTripMillis,
    Map<PeerCount, Long> counts)
    implements Counts<PeerCount> {
  @Override
  public long value(PeerCount count) {
    return counts.getOrDefault(count, 0L);
  }
}
