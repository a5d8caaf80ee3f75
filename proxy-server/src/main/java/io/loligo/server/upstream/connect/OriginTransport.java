package io.loligo.server.upstream.connect;

import io.loligo.server.record.HopTls;
import io.loligo.server.upstream.LocalEnd;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Opens connections; the real one is {@link SocketTransport}. Called on the event loop. */
public interface OriginTransport {
  /**
   * Starts to connect, with {@code handler} as the channel's only handler; TLS comes before it
   * later. Closing the future's channel cancels it.
   *
   * @param local this end of the connection
   */
  ChannelFuture connect(
      EventLoop loop, LocalEnd local, InetSocketAddress address, ChannelHandler handler);

  /**
   * The TLS that the transport itself has on {@code channel}, which is open and has none of this
   * proxy's; null: none, as with TCP.
   */
  default @Nullable HopTls secured(Channel channel) {
    return null;
  }
}
