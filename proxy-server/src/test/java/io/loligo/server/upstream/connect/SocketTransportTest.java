package io.loligo.server.upstream.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.upstream.LocalEnd;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class SocketTransportTest {
  @Test
  void aConnectionHasTheAddressAndTheTrafficClassOfItsLocalEnd() throws Exception {
    MultiThreadIoEventLoopGroup loops =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetAddress from = InetAddress.getByName("127.0.0.2");
      Channel channel =
          new SocketTransport(NioSocketChannel::new, UnpooledByteBufAllocator.DEFAULT)
              .connect(
                  loops.next(),
                  new LocalEnd(from, false, 0x48, 0),
                  (InetSocketAddress) server.getLocalSocketAddress(),
                  new ChannelInboundHandlerAdapter())
              .sync()
              .channel();
      assertThat(((InetSocketAddress) channel.localAddress()).getAddress()).isEqualTo(from);
      assertThat(channel.config().getOption(ChannelOption.IP_TOS)).isEqualTo(0x48);
      channel.close().sync();
    } finally {
      loops.shutdownGracefully(0, 0, java.util.concurrent.TimeUnit.SECONDS).sync();
    }
  }
}
