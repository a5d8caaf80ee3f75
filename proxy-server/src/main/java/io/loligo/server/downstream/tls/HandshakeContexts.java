package io.loligo.server.downstream.tls;

import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.record.TlsFailure;
import io.loligo.server.tls.ClientHello;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslHandler;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The terms of one handshake. Confined to the event loop of its connection. */
interface HandshakeContexts {
  /**
   * Makes the handler of the handshake that {@code hello} begins.
   *
   * @param then gets it on the loop, perhaps before this returns; null: no handshake is possible,
   *     and the connection is closed
   */
  void handler(ClientHello hello, ByteBufAllocator allocator, Consumer<@Nullable SslHandler> then);

  /**
   * The connection that follows.
   *
   * @param protocol as ALPN chose it; null: the client has no ALPN
   */
  ClientConnection next(@Nullable String protocol);

  /** Whether the proxy stands for another server. */
  boolean decrypts();

  /** The handshake failed. */
  void failed(TlsFailure why);
}
