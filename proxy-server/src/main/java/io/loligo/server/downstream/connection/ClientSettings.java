package io.loligo.server.downstream.connection;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.ParseLimits;

/** The settings of client connections. Immutable. */
public record ClientSettings(
    ProxyConfig.Timeouts timeouts,
    ProxyConfig.Connections connections,
    ParseLimits limits,
    int streamBufferBytes) {
  /** The settings in {@code config}. */
  public static ClientSettings of(ProxyConfig config) {
    return new ClientSettings(
        config.timeouts(),
        config.connections(),
        config.limits().request(),
        config.memory().streamBufferBytes());
  }
}
