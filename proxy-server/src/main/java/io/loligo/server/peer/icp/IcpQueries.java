package io.loligo.server.peer.icp;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.peer.ask.Asker;
import io.loligo.server.peer.ask.QueryProtocol;
import io.loligo.server.peer.ask.Reply;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerKind;
import io.loligo.server.upstream.route.PeerQuestion;
import io.loligo.server.upstream.route.RoutingDirectives;
import io.netty.channel.Channel;
import io.netty.channel.socket.DatagramChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Queries to peers by ICP, from one socket, under one configuration. */
public final class IcpQueries implements QueryProtocol {
  private final Channel channel;
  private final IcpTraffic traffic;
  private final boolean wantsDistance;

  /** Queries that leave from {@code channel}, and count in {@code traffic}. */
  public IcpQueries(Channel channel, IcpTraffic traffic, ProxyConfig config) {
    this.channel = channel;
    this.traffic = traffic;
    wantsDistance = config.get(RoutingDirectives.QUERY_ICMP);
  }

  @Override
  public boolean speaksWith(Peer peer) {
    return peer.querying().port() > 0 && peer.querying().htcp() == null;
  }

  @Override
  public void query(int number, PeerQuestion question, Peer peer, InetAddress address) {
    IcpMessage query = IcpMessage.query(number, wantsDistance, question.url());
    if (query.bytes() > IcpMessage.MAX_BYTES) {
      return;
    }
    if (peer.kind() == PeerKind.MULTICAST && channel instanceof DatagramChannel datagrams) {
      datagrams.config().setTimeToLive(Math.max(1, peer.querying().hops()));
    }
    InetSocketAddress to = new InetSocketAddress(address, peer.querying().port());
    IcpHandler.send(channel, to, query, traffic);
  }

  /** Tells {@code asker} what {@code reply} of {@code from} says. */
  public static void tell(Asker asker, InetSocketAddress from, IcpMessage reply) {
    switch (reply.opcode()) {
      case IcpMessage.HIT -> asker.replied(from, reply.number(), Reply.HIT, 0);
      case IcpMessage.MISS ->
          asker.replied(from, reply.number(), Reply.MISS, reply.distanceMillis());
      case IcpMessage.DENIED -> asker.replied(from, reply.number(), Reply.DENIED, 0);
      case IcpMessage.ERR, IcpMessage.MISS_NOFETCH ->
          asker.replied(from, reply.number(), Reply.NO_HELP, 0);
      default -> {} // echo probes and the like (RFC 2186)
    }
  }
}
