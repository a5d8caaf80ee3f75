package io.loligo.server.tls;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import java.util.Map;

/**
 * The ends of the two directions of a TLS connection, as a protocol above sees them: a handler
 * between Netty's {@code SslHandler} and the protocol. Confined to the channel's event loop.
 *
 * <ul>
 *   <li>A close_notify of the peer becomes a {@link ChannelInputShutdownEvent}, as a FIN is.
 *   <li>A close sends close_notify first, unless the socket is to be reset: the peer must not take
 *       a response that was cut for a complete one.
 *   <li>Failures of TLS arrive as {@code SSLException}, without Netty's wrapping.
 * </ul>
 */
public final class TlsEnd extends ChannelDuplexHandler {
  private final SslHandler tls;
  private boolean inputEnded;
  private boolean truncated;

  /** The end of {@code tls}, the handler before this one. */
  public TlsEnd(SslHandler tls) {
    this.tls = tls;
  }

  /**
   * Ends the output of {@code channel}, with or without TLS: the peer sees an end, and may continue
   * to send. On the loop.
   */
  public static void shutdownOutput(Channel channel) {
    SslHandler secure = null;
    for (Map.Entry<String, ChannelHandler> each : channel.pipeline()) {
      if (each.getValue() instanceof SslHandler handler) {
        secure = handler; // the last one: a decrypted tunnel may be within TLS
      }
    }
    if (secure == null) {
      shutdownSocket(channel);
    } else {
      secure.closeOutbound().addListener(sent -> shutdownSocket(channel));
    }
  }

  /** After the queued writes: with io_uring, a flushed write may still be in progress. */
  private static void shutdownSocket(Channel channel) {
    if (!(channel instanceof DuplexChannel duplex) || !channel.isActive()) {
      return;
    }
    ChannelOutboundBuffer queued = channel.unsafe().outboundBuffer();
    if (queued == null || queued.isEmpty()) {
      duplex.shutdownOutput();
    } else {
      ChannelPromise written = channel.newPromise();
      written.addListener(
          end -> {
            if (channel.isActive()) {
              duplex.shutdownOutput();
            }
          });
      channel.unsafe().write(Unpooled.EMPTY_BUFFER, written);
      channel.unsafe().flush();
    }
  }

  /** Whether the peer ended its direction without a close_notify: bytes may be missing. */
  public boolean truncated() {
    return truncated;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
    if (event instanceof SslCloseCompletionEvent end) {
      if (end.isSuccess()) {
        inputEnds(context, false);
      }
    } else if (event == ChannelInputShutdownEvent.INSTANCE) {
      inputEnds(context, true);
    } else {
      super.userEventTriggered(context, event);
    }
  }

  private void inputEnds(ChannelHandlerContext context, boolean cut) {
    if (!inputEnded) {
      inputEnded = true;
      truncated = cut;
      context.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    truncated |= !inputEnded;
    super.channelInactive(context);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    Throwable inner = cause instanceof DecoderException ? cause.getCause() : null;
    context.fireExceptionCaught(inner == null ? cause : inner);
  }

  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) throws Exception {
    ChannelHandlerContext below = context.pipeline().context(tls);
    if (below != null && isReset(context.channel())) {
      below.close(promise);
    } else {
      super.close(context, promise);
    }
  }

  private static boolean isReset(Channel channel) {
    try {
      Integer linger = channel.config().getOption(ChannelOption.SO_LINGER);
      return linger != null && linger == 0;
    } catch (ChannelException gone) {
      return true; // nothing can be sent any more
    }
  }
}
