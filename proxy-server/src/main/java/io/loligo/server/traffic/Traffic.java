package io.loligo.server.traffic;

import io.loligo.core.caching.CacheReason;
import java.util.List;
import java.util.Map;

/**
 * The traffic of the last minutes. Immutable.
 *
 * @param sinceMillis begin, milliseconds since the epoch
 * @param untilMillis end
 * @param origins {@code host:port}, those with the greatest cost first
 * @param clients by address, those with the greatest cost first
 * @param users those with the greatest cost first
 * @param slowest the slowest first
 * @param misses by first cause, the most frequent first
 * @param clientTls requests by version of TLS with the client; none without TLS
 * @param serverTls fetches and tunnels by version of TLS with the origin or parent
 */
public record Traffic(
    long sinceMillis,
    long untilMillis,
    Ranking origins,
    Ranking clients,
    Ranking users,
    List<SlowRequest> slowest,
    List<Misses> misses,
    Map<String, Long> clientTls,
    Map<String, Long> serverTls) {
  /**
   * Sums of exchanges.
   *
   * @param name of the origin, client or user
   * @param requests finished exchanges
   * @param hits those that count as hits
   * @param misses those that were looked up and were no hits
   * @param errors those with a status from 500 on
   * @param bytes written to clients
   * @param nanos from the parsed head to the last byte written
   */
  public record Sums(
      String name, long requests, long hits, long misses, long errors, long bytes, long nanos) {}

  /**
   * The rows of a table.
   *
   * @param rows those with the greatest cost first
   * @param others the sums of all others
   */
  public record Ranking(List<Sums> rows, Sums others) {}

  /**
   * Misses with one cause.
   *
   * @param bytes written to clients
   */
  public record Misses(CacheReason cause, long requests, long bytes) {}
}
