package io.loligo.server.hook;

import io.loligo.core.message.FieldLines;

/** Changes the fields of messages, after the rules about fields. */
@FunctionalInterface
public interface FieldHook {
  /**
   * Changes {@code lines} in place: all fields of the message, but for framing and the fields of
   * the connection.
   *
   * @param request the request itself, or the one that is answered
   * @param status of the response; 0: the message is a request
   */
  void edit(HookedRequest request, int status, FieldLines lines);
}
