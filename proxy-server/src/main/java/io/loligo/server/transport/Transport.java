package io.loligo.server.transport;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;

/**
 * The interface to the kernel, and the source of buffers. Immutable.
 *
 * @param epoll whether epoll is used; NIO otherwise
 * @param allocator of all network buffers of the process
 */
public record Transport(boolean epoll, ByteBufAllocator allocator) {

  /**
   * Follows {@code loligo_transport} and {@code loligo_allocator}.
   *
   * @param setting {@code auto}, {@code epoll} or {@code nio}
   * @param allocator {@code pooled} or {@code adaptive}
   * @throws IllegalArgumentException if the machine does not support it
   */
  public static Transport choose(String setting, String allocator) {
    return new Transport(wantsEpoll(setting), allocatorOf(allocator));
  }

  private static boolean wantsEpoll(String setting) {
    return switch (setting) {
      case "auto" -> Epoll.isAvailable();
      case "nio" -> false;
      case "epoll" -> {
        if (!Epoll.isAvailable()) {
          throw new IllegalArgumentException(
              "loligo_transport epoll: not available here: " + Epoll.unavailabilityCause());
        }
        yield true;
      }
      default ->
          throw new IllegalArgumentException(
              "loligo_transport: " + setting + " (expected: auto, epoll or nio)");
    };
  }

  private static ByteBufAllocator allocatorOf(String allocator) {
    return switch (allocator) {
      case "pooled" -> PooledByteBufAllocator.DEFAULT;
      case "adaptive" -> new AdaptiveByteBufAllocator(true);
      default ->
          throw new IllegalArgumentException(
              "loligo_allocator: " + allocator + " (expected: pooled or adaptive)");
    };
  }

  /**
   * A group of {@code loops} event loops, each a {@link CountedEventLoop}, whose threads are named
   * {@code name-N}.
   */
  public EventLoopGroup newLoops(int loops, String name) {
    IoHandlerFactory handler = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    return new MultiThreadIoEventLoopGroup(loops, new DefaultThreadFactory(name), handler) {
      @Override
      protected IoEventLoop newChild(Executor executor, IoHandlerFactory io, Object... none) {
        return new CountedEventLoop(this, executor, io);
      }
    };
  }

  /** Class of listening channels. */
  public Class<? extends ServerSocketChannel> serverChannel() {
    return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  /** Class of connecting channels. */
  public Class<? extends SocketChannel> socketChannel() {
    return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  /** Class of datagram channels, for name resolution. */
  public Class<? extends DatagramChannel> datagramChannel() {
    return epoll ? EpollDatagramChannel.class : NioDatagramChannel.class;
  }
}
