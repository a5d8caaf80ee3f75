package io.loligo.server.transport;

import io.netty.channel.ChannelOption;
import io.netty.channel.ReflectiveChannelFactory;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import org.jspecify.annotations.Nullable;

/** Netfilter's mark of the packets of a socket, which needs Linux and CAP_NET_ADMIN. Stateless. */
public final class PacketMark {
  private static final int SOL_SOCKET = 1;
  private static final int SO_MARK = 36;

  /** The mark as an option of channels of {@link Sockets#ofLinux}; 0: none. */
  public static final ChannelOption<Integer> OPTION =
      new IntegerUnixChannelOption("SO_MARK", SOL_SOCKET, SO_MARK);

  private PacketMark() {}

  /** The reason why this process cannot set marks, found by a try; null: it can. */
  public static @Nullable String refusal(Transport transport) {
    if (!transport.sockets().ofLinux()) {
      return "marks need epoll or io_uring, of Linux (loligo_transport)";
    }
    SocketChannel channel =
        new ReflectiveChannelFactory<>(transport.sockets().socket()).newChannel();
    try {
      channel.config().setOption(OPTION, 1);
      return null;
    } catch (RuntimeException e) {
      return "marks need the capability CAP_NET_ADMIN (systemd: AmbientCapabilities=CAP_NET_ADMIN):"
          + " "
          + e.getMessage();
    } finally {
      channel.unsafe().closeForcibly();
    }
  }
}
