package io.loligo.server.adapt;

import io.loligo.core.http1.ParseLimits;

/**
 * Values of ICAP that all services share. Immutable.
 *
 * @param limits of heads, fields, chunk extensions and trailers of responses
 * @param connectMillis the longest time to connect to an essential service
 * @param bypassConnectMillis the same to one that may be bypassed
 * @param ioMillis the longest silence of a service that is to act
 * @param persistent whether connections are reused
 * @param previews whether previews are sent
 * @param previewBytes of a preview if a service names no number; -1: none
 * @param partial whether services may give back the beginning of a message only
 * @param failureLimit failures above which a service is down; negative: no limit
 * @param failureMemoryMillis how long a failure counts; 0: until the options are fetched again
 * @param revivalMillis how long a service stays down
 * @param optionsMillis how long options hold if a service does not say it
 */
public record IcapSettings(
    ParseLimits limits,
    long connectMillis,
    long bypassConnectMillis,
    long ioMillis,
    boolean persistent,
    boolean previews,
    int previewBytes,
    boolean partial,
    int failureLimit,
    long failureMemoryMillis,
    long revivalMillis,
    long optionsMillis) {
  /** The most bytes of a message that are kept to send them once more: {@value}. */
  public static final int KEPT_BYTES = 65_536;

  long connectMillis(IcapService service) {
    return service.bypass() ? bypassConnectMillis : connectMillis;
  }
}
