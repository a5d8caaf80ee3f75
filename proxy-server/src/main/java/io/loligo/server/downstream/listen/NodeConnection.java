package io.loligo.server.downstream.listen;

import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.connection.UndecidedConnection;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A connection in clear text at the port for nodes, whose first bytes tell HTTP/2 (RFC 9113 section
 * 3.4) from HTTP/1. Confined to the channel's event loop.
 */
final class NodeConnection extends UndecidedConnection {
  private static final int READ_BYTES = 4_096;

  /** No method of HTTP/1 begins so. */
  private static final byte[] HTTP_2 = {'P', 'R', 'I', ' '};

  /** A connection accepted on {@code listening} from {@code client}. */
  NodeConnection(ClientConnections clients, ListeningPort listening, InetSocketAddress client) {
    super(clients, listening, client, READ_BYTES);
  }

  @Override
  protected void look(ByteBuf bytes) {
    int length = Math.min(HTTP_2.length, bytes.readableBytes());
    for (int i = 0; i < length; i++) {
      if (bytes.getByte(bytes.readerIndex() + i) != HTTP_2[i]) {
        speak(null);
        return;
      }
    }
    if (length == HTTP_2.length) {
      speak("h2");
    }
  }

  /** Continues in the protocol of this name in ALPN; null: HTTP/1. */
  private void speak(@Nullable String protocol) {
    follow(clients().protocols().named(protocol).open(clients(), listening(), client()), local());
  }
}
