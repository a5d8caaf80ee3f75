package io.loligo.server.port;

import org.jspecify.annotations.Nullable;

/**
 * One http_port or https_port line.
 *
 * @param address textual address, empty for all
 * @param port 0 to 65535; 0 lets the system choose (tests)
 * @param name {@code name=}, else {@code address:port}
 * @param accel null: the port stands for no origin
 * @param interception how clients that do not know the proxy get here; {@code NONE} beside accel
 * @param tls null: clear text
 * @param bump {@code ssl-bump}; null: tunnels are not inspected
 * @param h2c {@code h2c}: clients speak HTTP/2 in clear text from the first byte
 * @param proxyHeader {@code require-proxy-header}
 * @param keepAlive {@code tcpkeepalive=}
 * @param source file and line
 */
public record HttpPort(
    String address,
    int port,
    String name,
    @Nullable Accel accel,
    Interception interception,
    @Nullable PortTls tls,
    @Nullable PortBump bump,
    boolean h2c,
    boolean proxyHeader,
    KeepAlive keepAlive,
    String source) {

  /** The purpose of the port. */
  public PortMode mode() {
    if (accel != null) {
      return PortMode.ACCEL;
    }
    return interception == Interception.NONE ? PortMode.FORWARD : PortMode.INTERCEPT;
  }

  /** The scheme of URIs that do not give theirs. */
  public String scheme() {
    if (accel != null) {
      return accel.protocol();
    }
    return bump != null && bump.intercepts() ? "https" : "http";
  }
}
