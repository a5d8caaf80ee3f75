package io.loligo.server.upstream.names;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A nameserver on loopback with the answers of a test. Thread-safe. */
final class FakeDnsServer implements AutoCloseable {
  private final Map<String, List<String>> zone = new ConcurrentHashMap<>();
  private final List<String> questions = new CopyOnWriteArrayList<>();
  private final Channel channel;
  private volatile boolean silent;
  private volatile int ttlSeconds = 60;

  FakeDnsServer(EventLoopGroup group) {
    channel =
        new Bootstrap()
            .group(group)
            .channel(NioDatagramChannel.class)
            .handler(
                new ChannelInitializer<NioDatagramChannel>() {
                  @Override
                  protected void initChannel(NioDatagramChannel ch) {
                    ch.pipeline()
                        .addLast(new DatagramDnsQueryDecoder())
                        .addLast(new DatagramDnsResponseEncoder())
                        .addLast(new Answerer());
                  }
                })
            .bind(NetUtil.LOCALHOST4, 0)
            .syncUninterruptibly()
            .channel();
  }

  String address() {
    return "127.0.0.1:" + ((InetSocketAddress) channel.localAddress()).getPort();
  }

  void knows(String name, String... addresses) {
    zone.put(name, List.of(addresses));
  }

  void forgets(String name) {
    zone.remove(name);
  }

  void ttl(int seconds) {
    ttlSeconds = seconds;
  }

  void silent(boolean on) {
    silent = on;
  }

  /** Names asked for, one entry a query. */
  List<String> questions() {
    return questions;
  }

  @Override
  public void close() {
    channel.close().syncUninterruptibly();
  }

  private final class Answerer extends SimpleChannelInboundHandler<DatagramDnsQuery> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, DatagramDnsQuery query) {
      DnsQuestion question = query.recordAt(DnsSection.QUESTION);
      String name = question.name().substring(0, question.name().length() - 1);
      questions.add(name + " " + question.type().name());
      if (silent) {
        return;
      }
      List<String> known = zone.get(name);
      DatagramDnsResponse response =
          new DatagramDnsResponse(
              /* sender= */ query.recipient(),
              /* recipient= */ query.sender(),
              query.id(),
              query.opCode(),
              known == null ? DnsResponseCode.NXDOMAIN : DnsResponseCode.NOERROR);
      response.addRecord(
          DnsSection.QUESTION, new DefaultDnsQuestion(question.name(), question.type()));
      boolean v6 = question.type().equals(DnsRecordType.AAAA);
      for (String each : known == null ? List.<String>of() : known) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(each);
        if (bytes.length == (v6 ? 16 : 4)) {
          response.addRecord(
              DnsSection.ANSWER,
              new DefaultDnsRawRecord(
                  question.name(), question.type(), ttlSeconds, Unpooled.wrappedBuffer(bytes)));
        }
      }
      ctx.writeAndFlush(response);
    }
  }
}
