package io.loligo.server.port;

/**
 * When the system probes a silent connection of a client. 0, here and below: the system's own
 * value.
 *
 * @param on whether it probes at all
 * @param idleSeconds silence before the first probe
 * @param intervalSeconds between two probes
 * @param timeoutSeconds time without any answer after which the connection ends; counts only with
 *     an interval
 */
public record KeepAlive(boolean on, int idleSeconds, int intervalSeconds, int timeoutSeconds) {
  /** The value without a line. */
  public static final KeepAlive SYSTEM = new KeepAlive(true, 0, 0, 0);

  /** {@code tcpkeepalive=off}. */
  public static final KeepAlive OFF = new KeepAlive(false, 0, 0, 0);

  /** Probes without answer that end a connection: those of the timeout, as Squid counts them. */
  public int probes() {
    return intervalSeconds == 0 ? 0 : (timeoutSeconds + intervalSeconds - 1) / intervalSeconds;
  }
}
