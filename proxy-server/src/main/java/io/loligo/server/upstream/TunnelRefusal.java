package io.loligo.server.upstream;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of a parent's response to CONNECT that the client gets: the status and the fields that
 * belong to it. Other fields may be meant for this proxy, and the client would take the content for
 * that of the site. Immutable.
 *
 * @param answered the parent's status
 * @param retryAfter as the parent gave it, or null
 * @param allow of a 405, or null
 * @param challenges of a 407, if the parent gets the credentials of the client; else empty
 */
public record TunnelRefusal(
    int answered, @Nullable String retryAfter, @Nullable String allow, List<String> challenges) {
  /** Most challenges that are passed on: {@value}. */
  private static final int MAX_CHALLENGES = 8;

  /** Longest challenge, in bytes, that is passed on: {@value}. */
  private static final int MAX_CHALLENGE_LENGTH = 8_192;

  /** Longest field value, in bytes, that is passed on: {@value}. */
  private static final int MAX_VALUE_LENGTH = 256;

  private static final int BAD_GATEWAY = 502;

  /**
   * The refusal in {@code head}, borrowed.
   *
   * @param passesLogin whether the parent gets the credentials of the client
   */
  public static TunnelRefusal of(ResponseHead head, boolean passesLogin) {
    if (!isKept(head.status())) {
      boolean passed = passesLogin && head.status() == 407;
      List<String> challenges = passed ? challenges(head.fields()) : List.of();
      return new TunnelRefusal(head.status(), null, null, challenges);
    }
    String retryAfter = bounded(head.fields().get(FieldName.RETRY_AFTER));
    String allow = head.status() == 405 ? bounded(head.fields().joined("Allow")) : null;
    return new TunnelRefusal(head.status(), retryAfter, allow, List.of());
  }

  private static List<String> challenges(Fields fields) {
    List<String> values = new ArrayList<>();
    int name = FieldName.PROXY_AUTHENTICATE;
    for (int i = fields.first(name); i >= 0; i = fields.next(name, i + 1)) {
      String value = fields.value(i);
      if (value.length() <= MAX_CHALLENGE_LENGTH && values.size() < MAX_CHALLENGES) {
        values.add(value);
      }
    }
    return List.copyOf(values);
  }

  /** The client's status: the parent's if it is meaningful to the client, else 502. */
  public int status() {
    return isKept(answered) || !challenges.isEmpty() ? answered : BAD_GATEWAY;
  }

  /** Adds the fields that belong to the status. */
  public void addFields(FieldLines lines) {
    if (retryAfter != null) {
      lines.add("Retry-After", retryAfter);
    }
    if (allow != null) {
      lines.add("Allow", allow);
    }
    for (String challenge : challenges) {
      lines.add("Proxy-Authenticate", challenge);
    }
  }

  /**
   * Errors are kept, except for those that have no meaning without a field for this connection
   * alone: the challenges of 401 and 407, which are for this proxy, unless it passes logins on, and
   * the Upgrade of 426.
   */
  private static boolean isKept(int status) {
    return status >= 400 && status <= 599 && status != 401 && status != 407 && status != 426;
  }

  private static @Nullable String bounded(@Nullable String value) {
    return value == null || value.length() > MAX_VALUE_LENGTH ? null : value;
  }
}
