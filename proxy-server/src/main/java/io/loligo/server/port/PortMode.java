package io.loligo.server.port;

/** What a port is for. */
public enum PortMode {
  /** Clients know that they talk to a proxy. */
  FORWARD,
  /** The port stands for an origin. */
  ACCEL,
  /** Connections to others are diverted to it. */
  INTERCEPT
}
