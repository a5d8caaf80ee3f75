package io.loligo.server.admin;

import io.loligo.server.metrics.MetricsExport;
import io.netty.channel.ChannelHandlerContext;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A response of the admin port. Immutable.
 *
 * @param allow methods for Allow with status 405, else null
 * @param retrySeconds for Retry-After; 0: none
 * @param isLasting whether a browser may keep it: its path changes with its content
 * @param stream null: {@code body} is the whole content; else it gets the connection when the head
 *     is sent, and sends the content in chunks until the connection closes
 */
public record AdminReply(
    int status,
    String contentType,
    String body,
    @Nullable String allow,
    int retrySeconds,
    boolean isLasting,
    @Nullable Consumer<ChannelHandlerContext> stream) {
  private static final String TEXT = "text/plain; charset=utf-8";

  private static AdminReply of(int status, String contentType, String body) {
    return new AdminReply(status, contentType, body, null, 0, false, null);
  }

  public static AdminReply text(int status, String body) {
    return of(status, TEXT, body + "\n");
  }

  public static AdminReply json(int status, String body) {
    return of(status, "application/json", body + "\n");
  }

  public static AdminReply html(String body) {
    return of(200, "text/html; charset=utf-8", body);
  }

  /** Prometheus' text exposition format. */
  public static AdminReply metrics(String body) {
    return of(200, "text/plain; version=0.0.4; charset=utf-8", body);
  }

  /** The OpenMetrics exposition format. */
  public static AdminReply openMetrics(String body) {
    return of(200, MetricsExport.OPEN_METRICS, body);
  }

  public static AdminReply methodNotAllowed(String allow) {
    return new AdminReply(405, TEXT, "method not allowed\n", allow, 0, false, null);
  }

  /** Asks for the secret; a browser then asks its user. */
  public static AdminReply unauthorized() {
    return text(
        401,
        "loligo_admin_secret is required: as Authorization: Bearer, or as the password of Basic");
  }

  public static AdminReply tooMany(int retrySeconds) {
    return retry(429, "too many wrong secrets: try again later", retrySeconds);
  }

  /** A refusal that ends by itself. */
  static AdminReply retry(int status, String body, int retrySeconds) {
    return new AdminReply(status, TEXT, body + "\n", null, retrySeconds, false, null);
  }

  /** A file whose content never changes under its path. */
  static AdminReply lasting(String contentType, String body) {
    return new AdminReply(200, contentType, body, null, 0, true, null);
  }

  /** Server-sent events. */
  static AdminReply events(Consumer<ChannelHandlerContext> stream) {
    return new AdminReply(200, "text/event-stream", "", null, 0, false, stream);
  }
}
