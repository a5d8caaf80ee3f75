package io.loligo.server.port;

/** The purpose of a port. */
public enum PortMode {
  /** Clients know that they talk to a proxy. */
  FORWARD,
  /** The port stands for an origin. */
  ACCEL,
  /** Clients mean the server that they connected to, and the system sends them here. */
  INTERCEPT
}
