package io.loligo.server.upstream.connect;

import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.tls.HandshakeFailure;
import io.loligo.server.upstream.tls.OriginContext;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The handshake of TLS on a new connection. Stateless; confined to the event loop. */
final class Handshake {
  private Handshake() {}

  /**
   * Begins the handshake with {@code endpoint} on {@code channel}, which is open. Closing the
   * channel ends it.
   *
   * @param then told the result once, on the event loop: null if the connection is secure
   */
  static void begin(Channel channel, Endpoint endpoint, Consumer<@Nullable HandshakeFailure> then) {
    OriginContext context = endpoint.security().context();
    assert context != null : "clear text";
    var ready = context.ready();
    if (ready.isDone() && !ready.isCompletedExceptionally()) {
      begin(channel, endpoint, context, ready.join(), then);
      return;
    }
    ready.whenCompleteAsync(
        (loaded, failure) -> {
          if (loaded == null) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            then.accept(new HandshakeFailure(null, String.valueOf(cause.getMessage())));
          } else {
            begin(channel, endpoint, context, loaded, then);
          }
        },
        channel.eventLoop());
  }

  private static void begin(
      Channel channel,
      Endpoint endpoint,
      OriginContext context,
      SslContext loaded,
      Consumer<@Nullable HandshakeFailure> then) {
    if (!channel.isActive()) {
      then.accept(new HandshakeFailure(null, "closed before the handshake"));
      return;
    }
    String serverName = endpoint.security().serverName();
    assert serverName != null : "clear text";
    SslHandler handler = context.handler(loaded, channel.alloc(), serverName, endpoint.port());
    handler
        .handshakeFuture()
        .addListener(
            shaken -> then.accept(shaken.isSuccess() ? null : HandshakeFailure.of(shaken.cause())));
    channel.pipeline().addFirst(handler);
    ChannelHandlerContext added = channel.pipeline().context(handler);
    if (added != null) {
      added.read(); // the handler itself reads only after that
    }
  }
}
