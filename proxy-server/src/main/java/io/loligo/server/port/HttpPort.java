package io.loligo.server.port;

import org.jspecify.annotations.Nullable;

/**
 * One http_port line.
 *
 * @param address textual address, empty for all
 * @param port 0 to 65535; 0 lets the system choose (tests)
 * @param defaultSite {@code defaultsite=}, host or host:port, or null
 * @param vhost whether Host chooses the site (accel)
 * @param vport port of the effective URI; 0: the listening port's own, -1: not given
 * @param protocol {@code protocol=} of the effective URI for accel, http by default
 * @param name {@code name=}, else {@code address:port}
 * @param allowDirect {@code allow-direct}
 * @param ignoreCc {@code ignore-cc}: request Cache-Control is ignored (accel)
 * @param keepAlive {@code tcpkeepalive=}
 */
public record HttpPort(
    String address,
    int port,
    PortMode mode,
    @Nullable String defaultSite,
    boolean vhost,
    int vport,
    String protocol,
    String name,
    boolean allowDirect,
    boolean ignoreCc,
    KeepAlive keepAlive,
    String source) {}
