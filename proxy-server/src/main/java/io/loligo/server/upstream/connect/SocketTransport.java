package io.loligo.server.upstream.connect;

import io.loligo.server.transport.ForeignAddress;
import io.loligo.server.transport.PacketMark;
import io.loligo.server.upstream.LocalEnd;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;

/** TCP. Immutable; thread-safe. */
public final class SocketTransport implements OriginTransport {
  private final Bootstrap template;

  /**
   * A transport.
   *
   * @param channels makes sockets of the kind that the event loops serve
   * @param allocator of all read and written buffers
   */
  public SocketTransport(ChannelFactory<? extends Channel> channels, ByteBufAllocator allocator) {
    template =
        new Bootstrap()
            .channelFactory(channels)
            .disableResolver()
            .option(ChannelOption.ALLOCATOR, allocator)
            .option(ChannelOption.AUTO_READ, false)
            .option(ChannelOption.TCP_NODELAY, true)
            // the caller counts timeouts, in active time
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0);
  }

  @Override
  public ChannelFuture connect(
      EventLoop loop, LocalEnd local, InetSocketAddress address, ChannelHandler handler) {
    Bootstrap bootstrap = template.clone(loop).handler(handler);
    if (local.trafficClass() > 0) {
      bootstrap.option(ChannelOption.IP_TOS, local.trafficClass());
    }
    if (local.mark() != 0) {
      bootstrap.option(PacketMark.OPTION, local.mark());
    }
    if (local.from() == null) {
      return bootstrap.connect(address);
    }
    if (local.foreign()) {
      // without the capability for this option, the system refuses the foreign address
      bootstrap.option(ForeignAddress.OPTION, 1);
    }
    return bootstrap.connect(address, new InetSocketAddress(local.from(), 0));
  }
}
