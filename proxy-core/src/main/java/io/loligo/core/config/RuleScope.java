package io.loligo.core.config;

/** The time at which a list of rules is evaluated, which determines what its ACLs can test. */
public enum RuleScope {
  /**
   * Before the client is known: {@code follow_x_forwarded_for}. An ACL about the response, about
   * the destination's address or about the user stops the start.
   */
  CLIENT,
  /** Before anything else: {@code http_access}. An ACL about the response stops the start. */
  ADMISSION,
  /**
   * After {@code http_access} and its waits for facts, which include those that this list needs. An
   * ACL about the response stops the start.
   */
  ADMITTED,
  /** Before there is a response. An ACL about the response never matches, with a warning. */
  REQUEST,
  /** During a handshake with a server: {@code sslproxy_cert_error}. */
  HANDSHAKE,
  /**
   * While a tunnel is inspected: {@code ssl_bump}. An ACL about a handshake with the server matches
   * only after that handshake.
   */
  TUNNEL,
  /** When a connection to the origin or to a parent is chosen: {@code tcp_outgoing_address}. */
  HOP,
  /** After the head of a response has arrived. */
  RESPONSE,
  /** When the exchange is over: {@code access_log}. */
  LOG;

  boolean hasHandshake() {
    return this == HANDSHAKE || this == TUNNEL;
  }

  boolean hasHop() {
    return this == HOP || hasResponse();
  }

  boolean hasResponse() {
    return this == RESPONSE || this == LOG;
  }
}
