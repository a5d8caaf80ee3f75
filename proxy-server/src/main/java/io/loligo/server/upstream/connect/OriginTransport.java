package io.loligo.server.upstream.connect;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Opens connections; the real one is {@link SocketTransport}. Called on the event loop. */
public interface OriginTransport {
  /**
   * Starts to connect, with {@code handler} as the channel's only handler; TLS comes before it
   * later. Closing the future's channel cancels it.
   *
   * @param from the address of this end, which need not be one of this machine; null: the system
   *     chooses
   */
  ChannelFuture connect(
      EventLoop loop,
      @Nullable InetAddress from,
      InetSocketAddress address,
      ChannelHandler handler);
}
