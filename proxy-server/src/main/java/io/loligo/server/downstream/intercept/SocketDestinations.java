package io.loligo.server.downstream.intercept;

import io.loligo.server.port.Interception;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.unix.RawUnixChannelOption;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks Linux through sockets of epoll or io_uring. Stateless.
 *
 * <p>For NAT, netfilter's connection tracking answers the socket option SO_ORIGINAL_DST with a
 * {@code sockaddr_in} or a {@code sockaddr_in6}. For TPROXY, the accepted socket has the
 * destination as its local address.
 */
public final class SocketDestinations implements OriginalDestinations {
  private static final Logger LOG = LoggerFactory.getLogger(SocketDestinations.class);

  // linux/netfilter_ipv4.h and linux/netfilter_ipv6/ip6_tables.h
  private static final int SOL_IP = 0;
  private static final int SOL_IPV6 = 41;
  private static final int SO_ORIGINAL_DST = 80;

  private static final int PORT_OFFSET = 2;
  private static final int IPV4_OFFSET = 4;
  private static final int IPV6_OFFSET = 8;

  private static final RawUnixChannelOption OF_IPV4 =
      new RawUnixChannelOption("SO_ORIGINAL_DST", SOL_IP, SO_ORIGINAL_DST, 16);
  private static final RawUnixChannelOption OF_IPV6 =
      new RawUnixChannelOption("IP6T_SO_ORIGINAL_DST", SOL_IPV6, SO_ORIGINAL_DST, 28);

  @Override
  public @Nullable InetSocketAddress of(Channel channel, Interception how) {
    if (!(channel.localAddress() instanceof InetSocketAddress local)) {
      return null;
    }
    return how == Interception.TPROXY ? local : tracked(channel, local);
  }

  private static @Nullable InetSocketAddress tracked(Channel channel, InetSocketAddress local) {
    boolean six = local.getAddress() instanceof Inet6Address;
    try {
      ByteBuffer answer = channel.config().getOption(six ? OF_IPV6 : OF_IPV4);
      return answer == null ? null : read(answer, six);
    } catch (ChannelException e) {
      LOG.debug("The system knows no destination of {}", channel, e);
      return null;
    }
  }

  /** Reads a {@code sockaddr_in}, or a {@code sockaddr_in6} if {@code six}. */
  static InetSocketAddress read(ByteBuffer answer, boolean six) {
    int start = answer.position();
    byte[] address = new byte[six ? 16 : 4];
    answer.get(start + (six ? IPV6_OFFSET : IPV4_OFFSET), address);
    int port = answer.duplicate().order(ByteOrder.BIG_ENDIAN).getShort(start + PORT_OFFSET);
    try {
      return new InetSocketAddress(InetAddress.getByAddress(address), port & 0xffff);
    } catch (UnknownHostException e) {
      throw new AssertionError("an address has 4 or 16 bytes", e);
    }
  }
}
