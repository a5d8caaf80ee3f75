package io.loligo.server.record;

/** Why work was not taken on. Immutable. */
public enum Shed {
  /** The client's address has {@code client_ip_max_connections}: closed. */
  CLIENT_CONNECTIONS,
  /** Requests in progress from the client's address: 429. */
  CLIENT_REQUESTS,
  /** Requests in progress from everybody: 503. */
  REQUESTS,
  /** Memory for what is on its way: 503. */
  MEMORY,
  /** The event loop is behind: 503. */
  LOOP_LAG,
  /** Descriptors: closed. */
  DESCRIPTORS
}
