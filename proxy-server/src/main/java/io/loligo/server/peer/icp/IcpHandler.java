package io.loligo.server.peer.icp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the datagrams of the ICP port, and answers queries (RFC 2186; RFC 2187 section 5.2.2).
 * Confined to the event loop of the port.
 *
 * <p>A reply is never longer than its query, but for the percent-encoding of a URL that no port
 * accepts, and only a cache_peer, or an address that {@code icp_access} allows, gets one.
 */
public final class IcpHandler extends SimpleChannelInboundHandler<DatagramPacket> {
  private static final Logger LOG = LoggerFactory.getLogger(IcpHandler.class);

  private final IcpDesk desk;
  private final IcpTraffic traffic;

  /** Asks {@code desk}, and counts in {@code traffic}. */
  public IcpHandler(IcpDesk desk, IcpTraffic traffic) {
    this.desk = desk;
    this.traffic = traffic;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
    IcpMessage message = IcpMessage.read(packet.content());
    InetSocketAddress from = packet.sender();
    if (message == null) {
      desk.note(from, null, null, IcpOutcome.INVALID, 0);
      return;
    }
    traffic.received(message);
    if (message.opcode() == IcpMessage.QUERY) {
      answer(context.channel(), from, message);
    } else {
      desk.replied(from, message);
    }
  }

  private void answer(Channel channel, InetSocketAddress from, IcpMessage query) {
    IcpDesk.Subject about = desk.subject(from, query.url());
    boolean peer = desk.isPeer(from.getAddress());
    if (about == null) {
      String url = escaped(query.url());
      IcpMessage error = new IcpMessage(IcpMessage.ERR, query.number(), 0, 0, url);
      boolean tells = peer && error.bytes() <= IcpMessage.MAX_BYTES;
      end(channel, from, query, null, IcpOutcome.INVALID, tells ? error : null);
    } else if (!about.mayAsk()) {
      IcpMessage denied = peer ? query.reply(IcpMessage.DENIED) : null;
      end(channel, from, query, about, IcpOutcome.DENIED, denied);
    } else {
      about.look(
          found -> {
            int opcode =
                switch (found) {
                  case HIT -> IcpMessage.HIT;
                  case MISS_NOFETCH -> IcpMessage.MISS_NOFETCH;
                  default -> IcpMessage.MISS;
                };
            IcpMessage reply = query.reply(opcode, about.distanceMillis());
            end(channel, from, query, about, found, reply);
          });
    }
  }

  private void end(
      Channel channel,
      InetSocketAddress to,
      IcpMessage query,
      IcpDesk.@Nullable Subject about,
      IcpOutcome outcome,
      @Nullable IcpMessage reply) {
    if (reply != null) {
      send(channel, to, reply, traffic);
    }
    desk.note(to, query.url(), about, outcome, reply == null ? 0 : reply.bytes());
  }

  /** Sends {@code message}. */
  static void send(Channel channel, InetSocketAddress to, IcpMessage message, IcpTraffic traffic) {
    traffic.sent(message);
    channel.writeAndFlush(
        new DatagramPacket(message.write(channel.alloc()), to), channel.voidPromise());
  }

  /** With white space percent-encoded, as Squid returns it. */
  private static String escaped(String url) {
    StringBuilder text = new StringBuilder(url.length());
    for (int i = 0; i < url.length(); i++) {
      char c = url.charAt(i);
      if (c <= ' ' || c == 0x7f) {
        text.append('%').append(hex(c >> 4)).append(hex(c & 15));
      } else {
        text.append(c);
      }
    }
    return text.toString();
  }

  private static char hex(int digit) {
    return Character.toUpperCase(Character.forDigit(digit, 16));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    // such as an ICMP message about a peer that is gone; the next datagram has no part in it
    LOG.debug("an ICP datagram has failed", failure);
  }
}
