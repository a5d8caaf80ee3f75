package io.loligo.server.admin;

import org.jspecify.annotations.Nullable;

/**
 * A response of the admin port. Immutable.
 *
 * @param allow methods for Allow with status 405, else null
 * @param retrySeconds for Retry-After; 0: none
 */
public record AdminReply(
    int status, String contentType, String body, @Nullable String allow, int retrySeconds) {
  public static AdminReply text(int status, String body) {
    return new AdminReply(status, "text/plain; charset=utf-8", body + "\n", null, 0);
  }

  public static AdminReply json(int status, String body) {
    return new AdminReply(status, "application/json", body + "\n", null, 0);
  }

  public static AdminReply html(String body) {
    return new AdminReply(200, "text/html; charset=utf-8", body, null, 0);
  }

  /** Prometheus' text exposition format. */
  public static AdminReply metrics(String body) {
    return new AdminReply(200, "text/plain; version=0.0.4; charset=utf-8", body, null, 0);
  }

  public static AdminReply methodNotAllowed(String allow) {
    return new AdminReply(405, "text/plain; charset=utf-8", "method not allowed\n", allow, 0);
  }

  /** Asks for the secret; a browser then asks its user. */
  public static AdminReply unauthorized() {
    return new AdminReply(
        401,
        "text/plain; charset=utf-8",
        "loligo_admin_secret is required: as Authorization: Bearer, or as the password of Basic\n",
        null,
        0);
  }

  public static AdminReply tooMany(int retrySeconds) {
    return new AdminReply(
        429,
        "text/plain; charset=utf-8",
        "too many wrong secrets: try again later\n",
        null,
        retrySeconds);
  }
}
