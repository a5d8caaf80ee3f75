package io.loligo.server.peer.htcp;

import io.loligo.core.message.Fields;
import io.loligo.server.peer.ask.Asker;
import io.loligo.server.peer.ask.QueryProtocol;
import io.loligo.server.peer.ask.Reply;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerHtcp;
import io.loligo.server.upstream.Removal;
import io.loligo.server.upstream.route.PeerQuestion;
import io.netty.channel.Channel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Set;

/**
 * Questions to peers and removals by HTCP, from the socket of the HTCP port. Confined to its event
 * loop.
 */
public final class HtcpQueries implements QueryProtocol {
  private static final String VERSION = "HTTP/1.1";

  /** Fields that tell of the client's connection, or a secret, which UDP would show. */
  private static final Set<String> UNSENT =
      Set.of(
          "authorization",
          "connection",
          "cookie",
          "keep-alive",
          "proxy-authorization",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private final Channel channel;

  /** Those that leave from {@code channel}. */
  public HtcpQueries(Channel channel) {
    this.channel = channel;
  }

  @Override
  public boolean speaksWith(Peer peer) {
    PeerHtcp htcp = peer.querying().htcp();
    return htcp != null && htcp.asks() && peer.querying().port() > 0;
  }

  @Override
  public void query(int number, PeerQuestion question, Peer peer, InetAddress address) {
    String lines = lines(question.fields());
    HtcpMessage query = test(number, question.url(), lines);
    HtcpMessage sent = query.fits() ? query : test(number, question.url(), "");
    send(sent, peer, address);
  }

  private static HtcpMessage test(int number, String url, String lines) {
    byte[] about = new HtcpSpecifier("GET", url, VERSION, lines).bytes(0);
    return HtcpMessage.request(HtcpMessage.TST, true, number, about);
  }

  private static String lines(Fields fields) {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < fields.count(); i++) {
      if (!UNSENT.contains(fields.name(i).toLowerCase(Locale.ROOT))) {
        lines.append(fields.name(i)).append(": ").append(fields.value(i)).append("\r\n");
      }
    }
    return lines.length() > HtcpMessage.MAX_BYTES ? "" : lines.toString();
  }

  @Override
  public void removed(String url, Removal why, Peer peer, InetAddress address) {
    byte[] about = new HtcpSpecifier("GET", url, VERSION, "").bytes(HtcpSpecifier.REASON_BYTES);
    about[HtcpSpecifier.REASON_BYTES - 1] = (byte) (why == Removal.INVALIDATION ? 1 : 0);
    HtcpMessage message = HtcpMessage.request(HtcpMessage.CLR, false, 0, about);
    PeerHtcp htcp = peer.querying().htcp();
    send(htcp != null && htcp.old() ? message.ofOldSquid() : message, peer, address);
  }

  private void send(HtcpMessage message, Peer peer, InetAddress address) {
    if (message.fits()) {
      HtcpHandler.send(channel, new InetSocketAddress(address, peer.querying().port()), message);
    }
  }

  /** Tells {@code asker} what {@code reply} of {@code from} says. */
  static void tell(Asker asker, InetSocketAddress from, HtcpMessage reply) {
    if (reply.opcode() != HtcpMessage.TST) {
      return;
    }
    Reply said = reply.flag() ? Reply.NO_HELP : reply.response() == 0 ? Reply.HIT : Reply.MISS;
    asker.replied(from, reply.id(), said, 0);
  }
}
