package io.loligo.server.downstream.connection;

import io.loligo.server.port.HttpPort;

/**
 * One listening address, from its first configuration to its last. A connection finds the current
 * configuration of its port by this object. Immutable; equal to itself only.
 */
public final class ListeningPort {
  private final HttpPort configured;

  /** A listening address, opened as {@code configured} says. */
  public ListeningPort(HttpPort configured) {
    this.configured = configured;
  }

  /** The configuration it was first opened with. */
  public HttpPort configured() {
    return configured;
  }
}
