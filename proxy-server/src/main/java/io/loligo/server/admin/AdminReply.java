package io.loligo.server.admin;

/**
 * An answer of the admin port. Immutable.
 *
 * @param allow methods for Allow with status 405, else null
 */
record AdminReply(int status, String contentType, String body, String allow) {
  static AdminReply text(int status, String body) {
    return new AdminReply(status, "text/plain; charset=utf-8", body + "\n", null);
  }

  static AdminReply json(int status, String body) {
    return new AdminReply(status, "application/json", body + "\n", null);
  }

  static AdminReply html(String body) {
    return new AdminReply(200, "text/html; charset=utf-8", body, null);
  }

  /** Prometheus' text exposition format. */
  static AdminReply metrics(String body) {
    return new AdminReply(200, "text/plain; version=0.0.4; charset=utf-8", body, null);
  }

  static AdminReply methodNotAllowed(String allow) {
    return new AdminReply(405, "text/plain; charset=utf-8", "method not allowed\n", allow);
  }
}
