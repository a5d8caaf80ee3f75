package io.loligo.server.downstream;

import io.loligo.core.config.ProxyConfig.HttpPort;
import io.loligo.server.transport.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.net.ExtendedSocketOptions;

/**
 * The listening ports of the process. Thread-safe: any thread but an event loop.
 *
 * <p>With epoll every loop listens on its own socket (SO_REUSEPORT) and keeps what it accepts, so
 * no connection is handed over. Because the kernel then lets another process of the same user join
 * in unnoticed, each address is first bound without that option.
 */
public final class Listeners {
  private static final int BACKLOG = 4_096;

  private final Transport transport;
  private final EventLoopGroup group;
  private final List<ClientLoop> loops;
  private final ConnectionOpener opener;
  private final List<Channel> channels = new ArrayList<>();
  private final List<Bound> bound = new ArrayList<>();

  /** Makes the handler of a connection accepted on {@code port}; called on its loop. */
  public interface ConnectionOpener {
    /** A handler that is in no pipeline yet. */
    ClientConnection open(ClientLoop loop, HttpPort port);
  }

  /**
   * A port in use.
   *
   * @param port its configuration
   * @param address as bound, with the number the system chose where it was 0
   */
  public record Bound(HttpPort port, InetSocketAddress address) {}

  /**
   * Nothing is bound yet.
   *
   * @param group the event loops, made by {@code transport}
   * @param loops one for each event loop of {@code group}
   */
  public Listeners(
      Transport transport, EventLoopGroup group, List<ClientLoop> loops, ConnectionOpener opener) {
    this.transport = transport;
    this.group = group;
    this.loops = List.copyOf(loops);
    this.opener = opener;
  }

  /**
   * Listens on {@code port}, from now on.
   *
   * @throws IOException where it cannot, with the port's line and the reason
   */
  public synchronized Bound bind(HttpPort port) throws IOException {
    try {
      InetSocketAddress wanted = address(port);
      InetSocketAddress actual = transport.epoll() ? bindEach(port, wanted) : bindOne(port, wanted);
      Bound result = new Bound(port, actual);
      bound.add(result);
      return result;
    } catch (IOException | RuntimeException e) {
      throw new IOException(port.source() + ": cannot listen on " + port.name() + ": " + e, e);
    }
  }

  private static InetSocketAddress address(HttpPort port) throws UnknownHostException {
    return port.address().isEmpty()
        ? new InetSocketAddress(port.port())
        : new InetSocketAddress(InetAddress.getByName(port.address()), port.port());
  }

  private InetSocketAddress bindEach(HttpPort port, InetSocketAddress wanted) throws IOException {
    if (wanted.getPort() != 0) {
      checkFree(wanted);
    }
    InetSocketAddress actual = wanted;
    for (ClientLoop loop : loops) {
      Channel channel = await(bootstrap(port, loop.eventLoop(), true).bind(actual));
      channels.add(channel);
      actual = (InetSocketAddress) channel.localAddress();
    }
    return actual;
  }

  /**
   * With SO_REUSEPORT a port that another process of this user shares is no error; without it, it
   * is. Bound but not listening: who connected meanwhile would be reset.
   */
  private static void checkFree(InetSocketAddress wanted) throws IOException {
    try (Socket probe = new Socket()) {
      probe.setReuseAddress(true);
      probe.bind(wanted);
    }
  }

  private InetSocketAddress bindOne(HttpPort port, InetSocketAddress wanted) throws IOException {
    Channel channel = await(bootstrap(port, group, false).bind(wanted));
    channels.add(channel);
    return (InetSocketAddress) channel.localAddress();
  }

  private static Channel await(ChannelFuture bind) throws IOException {
    bind.awaitUninterruptibly();
    if (bind.cause() instanceof IOException e) {
      throw e;
    }
    return bind.syncUninterruptibly().channel();
  }

  private ServerBootstrap bootstrap(HttpPort port, EventLoopGroup children, boolean shared) {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(children instanceof EventLoop ? children : loops.get(0).eventLoop(), children)
            .channel(transport.serverChannel())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.ALLOCATOR, transport.allocator())
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childHandler(new Acceptor(port));
    if (shared) {
      bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
    }
    keepAlive(bootstrap, port.keepAliveIdleSeconds());
    return bootstrap;
  }

  private void keepAlive(ServerBootstrap bootstrap, int idleSeconds) {
    bootstrap.childOption(ChannelOption.SO_KEEPALIVE, idleSeconds >= 0);
    if (idleSeconds > 0) {
      bootstrap.childOption(
          transport.epoll()
              ? EpollChannelOption.TCP_KEEPIDLE
              : NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE),
          idleSeconds);
    }
  }

  /** Puts a connection's handler into place. Called on any of the loops. */
  private final class Acceptor extends ChannelInitializer<Channel> {
    private final HttpPort port;

    Acceptor(HttpPort port) {
      this.port = port;
    }

    @Override
    protected void initChannel(Channel channel) {
      channel.pipeline().addLast(opener.open(loopOf(channel.eventLoop()), port));
    }
  }

  private ClientLoop loopOf(EventLoop eventLoop) {
    for (ClientLoop loop : loops) {
      if (loop.eventLoop() == eventLoop) {
        return loop;
      }
    }
    throw new IllegalStateException("an event loop of another group: " + eventLoop);
  }

  /** Ports listened on, in the order they were bound. */
  public synchronized List<Bound> bound() {
    return List.copyOf(bound);
  }

  /** Lets new connections wait in the kernel. */
  public synchronized void pause() {
    channels.forEach(channel -> channel.config().setAutoRead(false));
  }

  /** Accepts again after {@link #pause}. */
  public synchronized void resume() {
    channels.forEach(channel -> channel.config().setAutoRead(true));
  }

  /** Stops listening; open connections go on. */
  public synchronized void stop() {
    channels.forEach(channel -> channel.close().syncUninterruptibly());
    channels.clear();
    bound.clear();
  }

  /**
   * Stops listening, closes idle connections and waits for the others, each for its time at most;
   * then they are closed as they are.
   *
   * @param lifetimeMillis for exchanges
   * @param tunnelMillis for tunnels
   * @return completes when no connection is open any more
   */
  public synchronized CompletableFuture<Void> drain(long lifetimeMillis, long tunnelMillis) {
    stop();
    CompletableFuture<Void> done = new CompletableFuture<>();
    AtomicInteger busyLoops = new AtomicInteger(loops.size());
    for (ClientLoop loop : loops) {
      loop.eventLoop()
          .execute(
              () ->
                  loop.drain(
                      () -> {
                        if (busyLoops.decrementAndGet() == 0) {
                          done.complete(null);
                        }
                      }));
      abortLater(loop, false, lifetimeMillis);
      abortLater(loop, true, tunnelMillis);
      if (tunnelMillis < lifetimeMillis) {
        // for what became one since
        abortLater(loop, true, lifetimeMillis);
      }
    }
    return done;
  }

  private static void abortLater(ClientLoop loop, boolean tunnels, long millis) {
    loop.eventLoop().schedule(() -> loop.abort(tunnels), millis, TimeUnit.MILLISECONDS);
  }
}
