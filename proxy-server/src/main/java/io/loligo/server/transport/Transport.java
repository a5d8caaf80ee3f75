package io.loligo.server.transport;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;

/**
 * The interface to the kernel, and the source of buffers. Immutable.
 *
 * @param sockets how sockets are driven
 * @param allocator of all network buffers of the process
 */
public record Transport(Sockets sockets, ByteBufAllocator allocator) {

  /**
   * Follows {@code loligo_transport} and {@code loligo_allocator}.
   *
   * @param setting {@code auto}, {@code epoll}, {@code io_uring} or {@code nio}
   * @param allocator {@code pooled} or {@code adaptive}
   * @throws IllegalArgumentException if the machine does not support it
   */
  public static Transport choose(String setting, String allocator) {
    return new Transport(socketsOf(setting), allocatorOf(allocator));
  }

  private static Sockets socketsOf(String setting) {
    return switch (setting) {
      case "auto" -> Sockets.EPOLL.refusal() == null ? Sockets.EPOLL : Sockets.NIO;
      case "nio" -> Sockets.NIO;
      case "epoll" -> available(Sockets.EPOLL, "epoll needs Linux");
      case "io_uring" ->
          available(
              Sockets.IO_URING,
              "io_uring needs Linux 5.9, kernel.io_uring_disabled=0, and in a container a seccomp"
                  + " profile that allows it");
      default ->
          throw new IllegalArgumentException(
              "loligo_transport: " + setting + " (expected: auto, epoll, io_uring or nio)");
    };
  }

  private static Sockets available(Sockets sockets, String needs) {
    Throwable refusal = sockets.refusal();
    if (refusal == null) {
      return sockets;
    }
    throw new IllegalArgumentException(
        "not available here: "
            + reason(refusal)
            + "; "
            + needs
            + "; auto uses what the system has");
  }

  /** The message of the first cause, in one line. */
  static String reason(Throwable refusal) {
    Throwable root = refusal;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return String.valueOf(root.getMessage()).lines().findFirst().orElse("");
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
    return new MultiThreadIoEventLoopGroup(
        loops, new DefaultThreadFactory(name), sockets.handlers()) {
      @Override
      protected IoEventLoop newChild(Executor executor, IoHandlerFactory io, Object... none) {
        return new CountedEventLoop(this, executor, io);
      }
    };
  }
}
