package io.loligo.server.upstream.pool;

/**
 * Connections to one endpoint. Immutable.
 *
 * @param endpoint address and port, with the server name of TLS
 * @param host the host for which its first connection was opened, or is being opened
 * @param open established connections
 * @param idle those of them that are kept for further requests; shared ones count too
 * @param waiting requests that wait for a connection
 */
public record EndpointNumbers(String endpoint, String host, int open, int idle, int waiting) {
  /** The sum of both, of the same endpoint. */
  public EndpointNumbers and(EndpointNumbers other) {
    return new EndpointNumbers(
        endpoint, host, open + other.open, idle + other.idle, waiting + other.waiting);
  }
}
