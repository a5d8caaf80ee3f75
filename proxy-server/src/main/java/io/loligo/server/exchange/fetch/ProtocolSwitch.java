package io.loligo.server.exchange.fetch;

import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.message.WebSocketHandshake;
import org.jspecify.annotations.Nullable;

/** Judges whether a response fits a request that asks for another protocol, or for none. */
final class ProtocolSwitch {
  private ProtocolSwitch() {}

  /**
   * Why {@code reply} does not fit the request with {@code head} (RFC 9110 section 7.8, RFC 6455
   * section 4.1); null: it does.
   *
   * @param upgrade the protocol that the request asks for; null: none
   */
  static @Nullable String fault(RequestHead head, @Nullable String upgrade, ResponseHead reply) {
    if (reply.status() >= 300) {
      return null;
    }
    boolean webSocket = WebSocketHandshake.isOurs(head);
    if (reply.status() != 101) {
      // a client of HTTP/2 would take it for the success of its CONNECT
      return webSocket ? "status " + reply.status() + " for a WebSocket" : null;
    }
    if (upgrade == null) {
      return "101 without a request for Upgrade";
    }
    return webSocket && !WebSocketHandshake.isAccepted(head, reply)
        ? "101 with a wrong " + WebSocketHandshake.ACCEPT
        : null;
  }
}
