package io.loligo.server.record;

/** Why work was refused. Immutable. */
public enum Shed {
  /** The client's address has {@code client_ip_max_connections}: closed. */
  CLIENT_CONNECTIONS,
  /** Requests in progress from the client's address: 429. */
  CLIENT_REQUESTS,
  /** Requests in progress from all clients: 503. */
  REQUESTS,
  /** Memory for bytes in transit: 503. */
  MEMORY,
  /** The event loop is behind: 503. */
  LOOP_LAG,
  /** Passwords that wait for their check: 503. */
  LOGINS,
  /** Wrong passwords for one user name from the client's address: 429. */
  LOGIN_FAILURES,
  /** Descriptors: closed. */
  DESCRIPTORS
}
