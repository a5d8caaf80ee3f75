package io.loligo.server.transport;

import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
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
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import org.jspecify.annotations.Nullable;

/** The ways to drive sockets. */
public enum Sockets {
  /** Linux tells which sockets are ready. */
  EPOLL(EpollServerSocketChannel.class, EpollSocketChannel.class, EpollDatagramChannel.class) {
    @Override
    @Nullable Throwable refusal() {
      return Epoll.unavailabilityCause();
    }

    @Override
    public IoHandlerFactory handlers() {
      return EpollIoHandler.newFactory();
    }
  },

  /**
   * Linux is given operations, many with one system call. A read begins when its socket is ready:
   * an idle connection has no buffer. There is no ring of buffers that the kernel chooses from:
   * such buffers belong to the loop until all their bytes are read, and no ledger counts them.
   */
  IO_URING(
      IoUringServerSocketChannel.class, IoUringSocketChannel.class, IoUringDatagramChannel.class) {
    @Override
    @Nullable Throwable refusal() {
      return IoUring.unavailabilityCause();
    }

    @Override
    public IoHandlerFactory handlers() {
      return IoUringIoHandler.newFactory(new IoUringIoHandlerConfig().setCqSize(COMPLETIONS));
    }
  },

  /** The JDK's selector, on any system. */
  NIO(NioServerSocketChannel.class, NioSocketChannel.class, NioDatagramChannel.class) {
    @Override
    @Nullable Throwable refusal() {
      return null;
    }

    @Override
    public IoHandlerFactory handlers() {
      return NioIoHandler.newFactory();
    }
  };

  private static final long CLOSE_MILLIS = 20;

  /** Completions that a loop may leave with the kernel, 256 KB; further ones cost extra calls. */
  private static final int COMPLETIONS = 16_384;

  private final Class<? extends ServerSocketChannel> server;
  private final Class<? extends SocketChannel> socket;
  private final Class<? extends DatagramChannel> datagram;

  Sockets(
      Class<? extends ServerSocketChannel> server,
      Class<? extends SocketChannel> socket,
      Class<? extends DatagramChannel> datagram) {
    this.server = server;
    this.socket = socket;
    this.datagram = datagram;
  }

  /** The reason why this system or process cannot; null: it can. */
  abstract @Nullable Throwable refusal();

  /** Of event loops for these sockets. */
  public abstract IoHandlerFactory handlers();

  /** Class of listening channels. */
  public Class<? extends ServerSocketChannel> server() {
    return server;
  }

  /** Class of connecting channels. */
  public Class<? extends SocketChannel> socket() {
    return socket;
  }

  /** Class of datagram channels, for name resolution. */
  public Class<? extends DatagramChannel> datagram() {
    return datagram;
  }

  /** Whether listening sockets can be handed to another process, and taken from one. */
  public boolean areInheritable() {
    return this == EPOLL;
  }

  /**
   * Makes one channel for a socket of another process.
   *
   * @param descriptor taken; the socket listens
   * @throws UnsupportedOperationException unless {@link #areInheritable()}
   */
  public ChannelFactory<ServerSocketChannel> adopting(FileDescriptor descriptor) {
    if (!areInheritable()) {
      throw new UnsupportedOperationException(this + " (expected: EPOLL)");
    }
    return () -> new EpollServerSocketChannel(descriptor.intValue());
  }

  /** The time without a task that ends a loop: a close of io_uring ends some moments later. */
  public long quietMillis() {
    return this == IO_URING ? CLOSE_MILLIS : 0;
  }

  /** Whether any option of Linux can be set on them, and several can listen on one port. */
  public boolean ofLinux() {
    return this != NIO;
  }
}
