package io.loligo.server.upstream.connect;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;

/** Opens connections; the real one is {@link SocketTransport}. Called on the event loop. */
public interface OriginTransport {
  /**
   * Starts to connect, with {@code handler} as the channel's only handler; TLS comes before it
   * later. Closing the future's channel cancels it.
   */
  ChannelFuture connect(EventLoop loop, InetSocketAddress address, ChannelHandler handler);
}
