package io.loligo.server.origins;

import java.util.List;

/**
 * The findings of the last minutes. Immutable.
 *
 * @param sinceMillis begin, milliseconds since the epoch
 * @param untilMillis end
 * @param origins those with the greatest cost first
 * @param others findings of all other origins
 */
public record OriginReport(
    long sinceMillis, long untilMillis, List<Origin> origins, List<Cost> others) {
  /**
   * An origin with findings.
   *
   * @param name {@code host:port}
   * @param findings those with most requests first
   */
  public record Origin(String name, List<Cost> findings) {}

  /**
   * The cost of a finding.
   *
   * @param requests that it concerns: fetches, or requests that waited for a validation
   * @param bytes of content that these fetches brought; of waits, those that the clients got, heads
   *     included
   */
  public record Cost(OriginFault finding, long requests, long bytes) {}
}
