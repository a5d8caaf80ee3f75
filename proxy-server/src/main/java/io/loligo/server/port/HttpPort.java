package io.loligo.server.port;

import org.jspecify.annotations.Nullable;

/**
 * One http_port or https_port line.
 *
 * @param address textual address, empty for all
 * @param port 0 to 65535; 0 lets the system choose (tests)
 * @param name {@code name=}, else {@code address:port}
 * @param accel null: clients know that they talk to a proxy
 * @param tls null: clear text
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
    @Nullable PortTls tls,
    boolean h2c,
    boolean proxyHeader,
    KeepAlive keepAlive,
    String source) {

  /** The purpose of the port. */
  public PortMode mode() {
    return accel == null ? PortMode.FORWARD : PortMode.ACCEL;
  }

  /** The scheme of URIs that do not give theirs. */
  public String scheme() {
    return accel == null ? "http" : accel.protocol();
  }
}
