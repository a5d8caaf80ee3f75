package io.loligo.server.port;

/** How connections reach a port whose clients do not know that they talk to a proxy. */
public enum Interception {
  /** The port does not intercept. */
  NONE,
  /** {@code intercept}: the system rewrites the destination, and tells the original one. */
  NAT,
  /** {@code tproxy}: the accepted socket has the original destination as its own address. */
  TPROXY
}
