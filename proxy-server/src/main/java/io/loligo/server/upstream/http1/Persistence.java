package io.loligo.server.upstream.http1;

import io.loligo.core.http1.Framing;
import io.loligo.core.http1.MessageFraming;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.upstream.OutgoingRequest;

/**
 * Whether a connection may be kept after a message (RFC 9112 section 9.3). Pure functions; the
 * connection itself knows whether request and response became complete.
 */
final class Persistence {
  private Persistence() {}

  /** Whether {@code outgoing} lets the connection continue as one of requests. */
  static boolean allows(OutgoingRequest outgoing) {
    return outgoing.upgrade() == null && !hasUnexpectedContent(outgoing);
  }

  /** Whether the peer keeps the connection, and the end of its response is certain. */
  static boolean allows(ResponseHead head, Framing framing) {
    Fields fields = head.fields();
    if (framing.kind() == Framing.Kind.UNTIL_CLOSE
        || fields.hasToken(FieldName.CONNECTION, "close")
        || MessageFraming.announcesForbiddenContent(head)) {
      return false;
    }
    return head.version() >= 11 || fields.hasToken(FieldName.CONNECTION, "keep-alive");
  }

  /**
   * Whether some servers do not expect the content of this request, so that they would take it for
   * the next request (RFC 9110 sections 9.3.1, 9.3.2, 9.3.5, 9.3.7 and 9.3.8).
   */
  private static boolean hasUnexpectedContent(OutgoingRequest outgoing) {
    if (!outgoing.hasContent() || outgoing.contentLength() == 0) {
      return false;
    }
    return switch (outgoing.methodId()) {
      case Method.GET, Method.HEAD, Method.DELETE, Method.OPTIONS, Method.TRACE -> true;
      default -> false;
    };
  }
}
