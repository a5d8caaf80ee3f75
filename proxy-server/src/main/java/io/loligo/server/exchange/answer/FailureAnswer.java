package io.loligo.server.exchange.answer;

import io.loligo.core.message.FieldLines;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.upstream.FetchFailure;
import org.jspecify.annotations.Nullable;

/**
 * The text and field lines with which the proxy reports a failed fetch to the client. Stateless.
 */
public final class FailureAnswer {
  private FailureAnswer() {}

  /** Whether {@code failure} is a shortage in the proxy that may end soon. */
  public static boolean isOverload(FetchFailure failure) {
    return failure.kind() == FetchFailure.Kind.NO_MEMORY
        || failure.kind() == FetchFailure.Kind.NO_FALL_BACK
        || failure.kind() == FetchFailure.Kind.OVERLOADED;
  }

  /**
   * The Retry-After line for {@code failure}; null if no time can be given. The caller owns the
   * lines.
   */
  public static @Nullable FieldLines retryAfter(FetchFailure failure) {
    return isOverload(failure)
        ? new FieldLines(32).add("Retry-After", Refusal.RETRY_SECONDS)
        : null;
  }

  /** The explanation of {@code failure} for the client. */
  public static String text(FetchFailure failure) {
    return switch (failure.kind()) {
      case NO_ROUTE -> "There is no route to the origin.";
      case DNS_FAILED -> "The name of the origin could not be resolved.";
      case ADDRESS_DENIED -> "Access denied by the proxy's rules.";
      case LENGTH_REQUIRED ->
          "The origin supports HTTP/1.0 only: send the content with Content-Length.";
      case REQUEST_HEAD_TOO_LARGE -> "The head of the request is too large for the origin.";
      case LOGIN_FAILED -> "This proxy could not log in at the parent proxy.";
      case CONNECT_FAILED -> "The origin refused the connection.";
      case CONNECT_TIMEOUT -> "The origin did not accept the connection in time.";
      case SECURE_CONNECT_FAILED -> "No secure connection: " + failure.detail() + ".";
      case SECURE_CONNECT_TIMEOUT -> "The origin did not complete the TLS handshake in time.";
      case NO_ANSWER -> "The origin closed the connection without a response.";
      case NOT_PROCESSED -> "The origin refused the request without looking at it.";
      case HTTP_1_REQUIRED -> "The origin wants another version of HTTP.";
      case READ_TIMEOUT -> "The origin did not respond in time.";
      case WRITE_FAILED -> "The request could not be sent to the origin.";
      case INVALID_RESPONSE -> "The origin's response is not valid HTTP.";
      case TUNNEL_REFUSED -> "The parent proxy refused the tunnel.";
      case HEAD_TOO_LARGE -> "The head of the origin's response is too large.";
      case ADAPTATION_FAILED -> "The service that inspects responses does not work.";
      case HOOK_FAILED -> "The proxy has failed.";
      case TRUNCATED -> "The origin's response ended early.";
      case NOT_ACKNOWLEDGED, NO_FALL_BACK -> "Other nodes of the proxy's cluster do not respond.";
      case NO_MEMORY, OVERLOADED -> "The proxy is overloaded.";
    };
  }
}
