package io.loligo.server.transport;

import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import org.jspecify.annotations.Nullable;

/** Netfilter's mark of the packets of a socket, which needs Linux and CAP_NET_ADMIN. Stateless. */
public final class PacketMark {
  private static final int SOL_SOCKET = 1;
  private static final int SO_MARK = 36;

  /** The mark as an option of channels of the epoll transport; 0: none. */
  public static final ChannelOption<Integer> OPTION =
      new IntegerUnixChannelOption("SO_MARK", SOL_SOCKET, SO_MARK);

  private PacketMark() {}

  /** The reason why this process cannot set marks, found by a try; null: it can. */
  public static @Nullable String refusal(Transport transport) {
    if (!transport.epoll() || !Epoll.isAvailable()) {
      return "marks need the epoll transport of Linux (loligo_transport)";
    }
    EpollSocketChannel channel = new EpollSocketChannel();
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
