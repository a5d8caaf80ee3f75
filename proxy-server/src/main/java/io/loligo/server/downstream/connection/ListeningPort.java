package io.loligo.server.downstream.connection;

import io.loligo.core.config.ProxyConfig.HttpPort;

/**
 * One address that is listened on, from its first configuration to its last: what its connections
 * know it by when the configuration changes. Immutable; equal to itself only.
 */
public final class ListeningPort {
  private final HttpPort configured;

  /** An address that is listened on as {@code configured} says. */
  public ListeningPort(HttpPort configured) {
    this.configured = configured;
  }

  /** The configuration it was first opened with. */
  public HttpPort configured() {
    return configured;
  }
}
