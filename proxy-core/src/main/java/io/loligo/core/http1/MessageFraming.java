package io.loligo.core.http1;

import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;

/** Decides how content is delimited (RFC 9112 section 6.3), strictly. Stateless. */
public final class MessageFraming {
  private MessageFraming() {}

  /** Framing of a request, or the failure that closes the connection. Host is checked too. */
  public static Framing of(RequestHead request) {
    throw new AssertionError("http1 work package");
  }

  /** Framing of a final response to a request of this {@code Method} id. */
  public static Framing of(ResponseHead response, int requestMethodId) {
    throw new AssertionError("http1 work package");
  }
}
