package io.loligo.server.upstream;

/**
 * The checks of a parent: {@code monitorurl=} and its options. Immutable.
 *
 * @param authority host and port of the URL to ask for
 * @param path path and query of that URL, not empty
 * @param intervalMillis from the end of a check to the next one, on average
 * @param timeoutMillis of one check, from its start to the end of the response
 * @param minBytes least content of a good response
 * @param maxBytes most content of a good response; -1: any, of which {@value #READ_BYTES} bytes or
 *     {@code minBytes} are read
 * @param statuses of good responses
 * @param failures bad checks in a row after which the parent is down
 * @param passes good checks in a row after which it is up again
 */
public record HealthCheck(
    String authority,
    String path,
    long intervalMillis,
    long timeoutMillis,
    int minBytes,
    int maxBytes,
    StatusSet statuses,
    int failures,
    int passes) {
  /** The content that is read where any size is good. */
  public static final int READ_BYTES = 64 << 10;

  /** The most content that is read: more is too much, or enough. */
  public int readBytes() {
    return maxBytes >= 0 ? maxBytes : Math.max(minBytes, READ_BYTES);
  }
}
