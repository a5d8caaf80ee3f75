package io.loligo.server.peer.htcp;

import io.loligo.server.peer.ask.Asker;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the messages of one HTCP port as Squid does. A message that the rules do not allow has no
 * effect and gets no reply. NOP gets none either. Confined to the event loop of the port.
 */
public final class HtcpHandler extends SimpleChannelInboundHandler<DatagramPacket> {
  private static final Logger LOG = LoggerFactory.getLogger(HtcpHandler.class);

  /** The longest datagram that is read, in bytes. */
  public static final int MAX_BYTES = HtcpMessage.MAX_BYTES;

  private final HtcpDesk desk;
  private final Asker asker;

  /**
   * Answers by {@code desk}.
   *
   * @param asker is told of replies and removals; its event loop is that of the port
   */
  public HtcpHandler(HtcpDesk desk, Asker asker) {
    this.desk = desk;
    this.asker = asker;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
    InetSocketAddress from = packet.sender();
    HtcpMessage message =
        packet.content().readableBytes() > HtcpMessage.MAX_BYTES
            ? null
            : HtcpMessage.read(packet.content());
    if (message == null) {
      desk.note(from, "HTCP_NOP", null, null, HtcpOutcome.INVALID);
    } else if (message.isReply()) {
      desk.note(from, message.logged(), null, null, HtcpOutcome.REPLY);
      HtcpQueries.tell(asker, from, message);
    } else {
      request(context.channel(), from, message);
    }
  }

  private void request(Channel channel, InetSocketAddress from, HtcpMessage message) {
    int unspoken = message.versionError();
    if (unspoken != 0) {
      refuse(channel, from, message, unspoken);
      return;
    }
    switch (message.opcode()) {
      case HtcpMessage.NOP -> desk.note(from, message.logged(), null, null, HtcpOutcome.OTHER);
      case HtcpMessage.TST -> {
        if (message.flag()) {
          test(channel, from, message);
        } else {
          desk.note(from, message.logged(), null, null, HtcpOutcome.OTHER);
        }
      }
      case HtcpMessage.CLR -> clear(channel, from, message);
      default -> refuse(channel, from, message, HtcpMessage.OPCODE_NOT_IMPLEMENTED);
    }
  }

  private void refuse(Channel channel, InetSocketAddress from, HtcpMessage message, int code) {
    desk.note(from, message.logged(), null, null, HtcpOutcome.OTHER);
    if (message.flag() && desk.mayAsk(from)) {
      send(channel, from, message.error(code));
    }
  }

  private void test(Channel channel, InetSocketAddress from, HtcpMessage message) {
    HtcpSpecifier specifier = HtcpSpecifier.read(message.data(), 0);
    HtcpDesk.Subject about = subject(from, specifier);
    String url = specifier == null ? null : specifier.url();
    if (about == null) {
      desk.note(from, message.logged(), url, null, HtcpOutcome.INVALID);
    } else if (!about.mayTest()) {
      desk.note(from, message.logged(), url, about, HtcpOutcome.DENIED);
    } else {
      about.test(
          found -> {
            HtcpDetail detail = found == null ? HtcpDetail.NONE : found;
            HtcpMessage reply = message.reply(found == null ? 1 : 0, detail.bytes());
            send(channel, from, reply.fits() ? reply : message.reply(0, HtcpDetail.NONE.bytes()));
            HtcpOutcome outcome = found == null ? HtcpOutcome.MISS : HtcpOutcome.HIT;
            desk.note(from, message.logged(), url, about, outcome);
          });
    }
  }

  private void clear(Channel channel, InetSocketAddress from, HtcpMessage message) {
    HtcpSpecifier specifier = HtcpSpecifier.read(message.data(), HtcpSpecifier.REASON_BYTES);
    HtcpDesk.Subject about = subject(from, specifier);
    String url = specifier == null ? null : specifier.url();
    if (specifier == null || about == null) {
      desk.note(from, message.logged(), url, null, HtcpOutcome.INVALID);
    } else if (!about.mayClear()) {
      desk.note(from, message.logged(), url, about, HtcpOutcome.DENIED);
    } else {
      about.clear(
          cleared -> {
            boolean gone = cleared == HtcpDesk.Cleared.GONE;
            asker.forwardRemoval(specifier.url(), from.getAddress(), gone);
            if (message.flag()) {
              send(channel, from, message.reply(cleared.ordinal(), new byte[0]));
            }
            HtcpOutcome outcome = gone ? HtcpOutcome.HIT : HtcpOutcome.MISS;
            desk.note(from, message.logged(), url, about, outcome);
          });
    }
  }

  private HtcpDesk.@Nullable Subject subject(
      InetSocketAddress from, @Nullable HtcpSpecifier specifier) {
    return specifier == null
        ? null
        : desk.subject(
            from, specifier.method().toUpperCase(Locale.ROOT), specifier.url(), specifier.fields());
  }

  static void send(Channel channel, InetSocketAddress to, HtcpMessage message) {
    ByteBuf out = channel.alloc().directBuffer();
    message.write(out);
    channel.writeAndFlush(new DatagramPacket(out, to), channel.voidPromise());
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
    // such as an ICMP message about a peer that is gone; the next datagram has no part in it
    LOG.debug("an HTCP datagram has failed", failure);
  }
}
