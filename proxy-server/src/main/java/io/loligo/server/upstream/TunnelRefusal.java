package io.loligo.server.upstream;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * The part of a parent's response to CONNECT that the client gets: the status and two fields that
 * belong to it. Other fields may be meant for this proxy, and the client would take the content for
 * that of the site. Immutable.
 *
 * @param answered the parent's status
 * @param retryAfter as the parent gave it, or null
 * @param allow of a 405, or null
 */
public record TunnelRefusal(int answered, @Nullable String retryAfter, @Nullable String allow) {
  /** Longest field value, in bytes, that is passed on: {@value}. */
  private static final int MAX_VALUE_LENGTH = 256;

  private static final int BAD_GATEWAY = 502;

  /** The refusal in {@code head}, borrowed. */
  public static TunnelRefusal of(ResponseHead head) {
    if (!isKept(head.status())) {
      return new TunnelRefusal(head.status(), null, null);
    }
    String retryAfter = bounded(head.fields().get(FieldName.RETRY_AFTER));
    String allow = head.status() == 405 ? bounded(head.fields().joined("Allow")) : null;
    return new TunnelRefusal(head.status(), retryAfter, allow);
  }

  /** The client's status: the parent's if it is meaningful to the client, else 502. */
  public int status() {
    return isKept(answered) ? answered : BAD_GATEWAY;
  }

  /** Adds the fields that belong to the status. */
  public void addFields(FieldLines lines) {
    if (retryAfter != null) {
      lines.add("Retry-After", retryAfter);
    }
    if (allow != null) {
      lines.add("Allow", allow);
    }
  }

  /**
   * Errors are kept, except for those that have no meaning without a field for this connection
   * alone: the challenges of 401 and 407, which are for this proxy, and the Upgrade of 426.
   */
  private static boolean isKept(int status) {
    return status >= 400 && status <= 599 && status != 401 && status != 407 && status != 426;
  }

  private static @Nullable String bounded(@Nullable String value) {
    return value == null || value.length() > MAX_VALUE_LENGTH ? null : value;
  }
}
