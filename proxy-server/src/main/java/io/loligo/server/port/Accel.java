package io.loligo.server.port;

import org.jspecify.annotations.Nullable;

/**
 * {@code accel} and its options: the port stands for origins.
 *
 * @param defaultSite {@code defaultsite=}, host or host:port, or null
 * @param vhost whether Host chooses the site
 * @param vport port of the effective URI; 0: the listening port's own, -1: not given
 * @param protocol {@code protocol=}: the scheme of the effective URI
 * @param allowDirect {@code allow-direct}
 * @param ignoreCc {@code ignore-cc}: request Cache-Control is ignored
 */
public record Accel(
    @Nullable String defaultSite,
    boolean vhost,
    int vport,
    String protocol,
    boolean allowDirect,
    boolean ignoreCc) {}
