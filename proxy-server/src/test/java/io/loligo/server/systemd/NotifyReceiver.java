package io.loligo.server.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A service manager's end of its socket: keeps the messages in their order. */
public final class NotifyReceiver implements AutoCloseable {
  private static final long GUARD_SECONDS = 60;

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
  private final Channel channel;

  /**
   * Receives at {@code address}.
   *
   * @param address a path, or {@code @} and an abstract name
   */
  public NotifyReceiver(String address) throws InterruptedException {
    String path = address.startsWith("@") ? "\0" + address.substring(1) : address;
    channel =
        new Bootstrap()
            .group(group)
            .channel(EpollDomainDatagramChannel.class)
            .handler(
                new SimpleChannelInboundHandler<DomainDatagramPacket>() {
                  @Override
                  protected void channelRead0(
                      ChannelHandlerContext context, DomainDatagramPacket packet) {
                    messages.add(packet.content().toString(StandardCharsets.UTF_8));
                  }
                })
            .bind(new DomainSocketAddress(path))
            .sync()
            .channel();
  }

  /** The next message; waits for it. */
  public String next() throws InterruptedException {
    String message = messages.poll(GUARD_SECONDS, TimeUnit.SECONDS);
    assertThat(message).as("a message to the service manager").isNotNull();
    return message;
  }

  /** The next message that does not begin with {@code other}. */
  public String nextBut(String other) throws InterruptedException {
    String message = next();
    while (message.startsWith(other)) {
      message = next();
    }
    return message;
  }

  /** Whether no message waits. */
  public boolean isEmpty() {
    return messages.isEmpty();
  }

  @Override
  public void close() {
    channel.close().syncUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
