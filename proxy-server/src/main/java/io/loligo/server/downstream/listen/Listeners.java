package io.loligo.server.downstream.listen;

import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.connection.Protocols;
import io.loligo.server.downstream.intercept.Interceptor;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.Interception;
import io.loligo.server.transport.ForeignAddress;
import io.loligo.server.transport.InheritedSockets;
import io.loligo.server.transport.ListeningSocket;
import io.loligo.server.transport.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.UnixChannel;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening ports of the process. Thread-safe: any thread but an event loop.
 *
 * <p>With epoll and io_uring every loop listens on its own socket (SO_REUSEPORT) and keeps the
 * connections it accepts, so no connection is handed over. Because the kernel then lets another
 * process of the same user join in unnoticed, each address is first bound without that option.
 *
 * <p>Another process of the proxy can take the sockets over ({@link #sockets}, {@link #handOver}):
 * it listens on the same queues, so a connection that waits there is lost to neither.
 */
public final class Listeners {
  private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);
  private static final int BACKLOG = 4_096;

  /** At the end of a hand-over, for clients to see that idle connections end. */
  private static final long LAST_MILLIS = 2_000;

  private final Transport transport;
  private final EventLoopGroup group;
  private final List<ClientConnections> loops;
  private final KeepAliveOptions keepAlive;
  private final PortPipeline pipeline;
  private final boolean intercepts;
  private final InheritedSockets inherited;
  private List<Open> open = new ArrayList<>();
  private boolean stopped;

  /** A port in use and its sockets. */
  private record Open(
      ListeningPort listening, HttpPort port, InetSocketAddress address, List<Channel> channels) {
    boolean isFor(HttpPort wanted) {
      return port.port() == wanted.port() && port.address().equals(wanted.address());
    }
  }

  /**
   * A port in use.
   *
   * @param port its configuration
   * @param address as bound, with the number the system chose if it was 0
   */
  public record Bound(HttpPort port, InetSocketAddress address) {}

  /**
   * Nothing is bound yet.
   *
   * @param group the event loops, made by {@code transport}
   * @param loops one for each event loop of {@code group}
   * @param mayOpen whether one more connection may open; asked on the loops when one is accepted
   * @param protocols that connections may speak
   * @param interceptor finds original destinations; null: this is not possible here
   * @param inherited sockets of an earlier process, which a port uses instead of new ones
   */
  public Listeners(
      Transport transport,
      EventLoopGroup group,
      List<ClientConnections> loops,
      BooleanSupplier mayOpen,
      Protocols protocols,
      @Nullable Interceptor interceptor,
      InheritedSockets inherited) {
    this.inherited = inherited;
    this.intercepts = interceptor != null;
    this.transport = transport;
    this.group = group;
    this.loops = List.copyOf(loops);
    this.keepAlive = KeepAliveOptions.of(transport.sockets());
    this.pipeline = new PortPipeline(keepAlive, mayOpen, interceptor);
    loops.forEach(loop -> loop.protocols(protocols));
  }

  /**
   * Listens on {@code port}, from now on; with inherited sockets from {@link #resume} on.
   *
   * @throws IOException if it cannot, with the port's line and the reason
   */
  public synchronized Bound bind(HttpPort port) throws IOException {
    Open opened = open(port);
    if (!inherited.areShared()) {
      opened.channels().forEach(channel -> channel.config().setAutoRead(true));
    }
    open.add(opened);
    return new Bound(port, opened.address());
  }

  /**
   * Checks that {@code wanted} can be bound, or are inherited, as far as that can be told before.
   *
   * @throws IOException if one is not available, with the port's line and the reason
   */
  public static void check(List<HttpPort> wanted, InheritedSockets inherited) throws IOException {
    for (HttpPort port : wanted) {
      try {
        InetSocketAddress address = address(port);
        boolean isThere =
            inherited.has(ListeningSocket.CLIENTS, port.address(), port.port(), address);
        if (port.port() != 0 && !isThere) {
          checkFree(address);
        }
      } catch (IOException e) {
        throw cannotListen(port, e);
      }
    }
  }

  private static IOException cannotListen(HttpPort port, Exception why) {
    return new IOException(port.source() + ": cannot listen on " + port.name() + ": " + why, why);
  }

  private void report(HttpPort port) {
    List<String> missing = keepAlive.missing(port.keepAlive());
    if (!missing.isEmpty()) {
      LOG.warn(
          "{}: tcpkeepalive: {} cannot be set on this platform: the system's own value holds; next:"
              + " set it in the system, or remove it from the line",
          port.source(),
          String.join(" and ", missing));
    }
  }

  private void checkInterception(HttpPort port) throws IOException {
    if (port.interception() != Interception.NONE && !intercepts) {
      throw new IOException(
          "intercept and tproxy need epoll or io_uring, of Linux (loligo_transport)");
    }
  }

  /** Opens the sockets; new clients wait in the kernel. */
  private Open open(HttpPort port) throws IOException {
    report(port);
    ListeningPort listening = new ListeningPort(port);
    List<Channel> channels = new ArrayList<>();
    try {
      checkInterception(port);
      InetSocketAddress wanted = address(port);
      InetSocketAddress actual = listen(listening, port, wanted, channels);
      transparent(port, channels);
      return new Open(listening, port, actual, channels);
    } catch (IOException | RuntimeException e) {
      close(channels);
      throw cannotListen(port, e);
    }
  }

  private InetSocketAddress listen(
      ListeningPort listening, HttpPort port, InetSocketAddress wanted, List<Channel> channels)
      throws IOException {
    List<FileDescriptor> taken =
        inherited.claim(ListeningSocket.CLIENTS, port.address(), port.port(), wanted);
    if (!taken.isEmpty()) {
      return adopt(listening, taken, channels);
    }
    return transport.sockets().ofLinux()
        ? bindEach(listening, wanted, channels)
        : bindOne(listening, wanted, channels);
  }

  /** A connection waits in one of the sockets of a port, so each of them needs a loop. */
  private InetSocketAddress adopt(
      ListeningPort listening, List<FileDescriptor> taken, List<Channel> channels)
      throws IOException {
    InetSocketAddress actual = null;
    for (int i = 0; i < taken.size(); i++) {
      ServerBootstrap bootstrap =
          bootstrap(listening, loops.get(i % loops.size()).eventLoop())
              .channelFactory(transport.sockets().adopting(taken.get(i)));
      Channel channel = await(bootstrap.register());
      channels.add(channel);
      actual = (InetSocketAddress) channel.localAddress();
    }
    assert actual != null : "there is one";
    return actual;
  }

  /**
   * Gives the loops a socket that have none because the earlier process had fewer. A connection
   * that waits in such a socket is lost with this process, so this is done only after the earlier
   * one has ended its part.
   */
  public synchronized void complete() {
    for (Open one : open) {
      for (int i = one.channels().size(); i < loops.size(); i++) {
        if (!transport.sockets().ofLinux()) {
          return;
        }
        try {
          Channel channel =
              await(
                  listeningChannel(shared(bootstrap(one.listening(), loops.get(i).eventLoop())))
                      .bind(one.address()));
          one.channels().add(channel);
          transparent(one.port(), List.of(channel));
          channel.config().setAutoRead(true);
        } catch (IOException | RuntimeException e) {
          LOG.warn(
              "{}: {} of {} event loops accept connections: {}; next: restart the proxy when the"
                  + " load allows it",
              one.port().source(),
              one.channels().size(),
              loops.size(),
              e.toString());
          break;
        }
      }
    }
  }

  /** The sockets in use, for another process: it gets copies of their descriptors. */
  public synchronized List<ListeningSocket> sockets() {
    List<ListeningSocket> sockets = new ArrayList<>();
    for (Open one : open) {
      for (Channel channel : one.channels()) {
        sockets.add(
            new ListeningSocket(
                ListeningSocket.CLIENTS,
                one.port().address(),
                one.port().port(),
                one.address(),
                ((UnixChannel) channel).fd()));
      }
    }
    return sockets;
  }

  /**
   * Lets the sockets of a tproxy port accept connections to addresses of other machines. A reload
   * to another mode does not take that back: such connections then get 400 and do not bypass the
   * proxy.
   */
  private void transparent(HttpPort port, List<Channel> channels) throws IOException {
    if (port.interception() != Interception.TPROXY || !transport.sockets().ofLinux()) {
      return;
    }
    for (Channel channel : channels) {
      try {
        channel.config().setOption(ForeignAddress.OPTION, 1);
      } catch (ChannelException e) {
        throw new IOException("tproxy needs CAP_NET_RAW or CAP_NET_ADMIN: " + e.getMessage(), e);
      }
    }
  }

  /**
   * Prepares to listen on {@code wanted} instead: opens the new ports, and accepts nothing yet.
   *
   * @throws IOException if a port is not available; nothing has changed then
   */
  public synchronized Change prepare(List<HttpPort> wanted) throws IOException {
    List<Open> before = new ArrayList<>(open);
    List<Open> after = new ArrayList<>();
    List<Open> opened = new ArrayList<>();
    for (HttpPort port : wanted) {
      Open kept = before.stream().filter(one -> one.isFor(port)).findFirst().orElse(null);
      if (kept != null) {
        try {
          checkInterception(port);
          transparent(port, kept.channels());
        } catch (IOException e) {
          opened.forEach(one -> close(one.channels()));
          throw new IOException(port.source() + ": " + e.getMessage(), e);
        }
        before.remove(kept);
        after.add(new Open(kept.listening(), port, kept.address(), kept.channels()));
        continue;
      }
      try {
        Open fresh = open(port);
        opened.add(fresh);
        after.add(fresh);
      } catch (IOException e) {
        opened.forEach(one -> close(one.channels()));
        throw e;
      }
    }
    return new Change(after, opened, before);
  }

  /** Other ports to listen on, prepared: {@link #commit} or {@link #cancel} once. Thread-safe. */
  public final class Change {
    private final List<Open> after;
    private final List<Open> opened;
    private final List<Open> left;

    private Change(List<Open> after, List<Open> opened, List<Open> left) {
      this.after = after;
      this.opened = opened;
      this.left = left;
    }

    /** The configuration of each of them, for its connections. */
    public Map<ListeningPort, HttpPort> ports() {
      return byListening(after);
    }

    /** Accepts on the new ones, then stops listening on the removed ones. */
    public void commit() {
      synchronized (Listeners.this) {
        if (stopped) {
          cancel();
          return;
        }
        opened.forEach(
            one -> one.channels().forEach(channel -> channel.config().setAutoRead(true)));
        left.forEach(one -> close(one.channels()));
        open = after;
      }
    }

    /** Closes the new ones. */
    public void cancel() {
      opened.forEach(one -> close(one.channels()));
    }
  }

  /** The ports in use, as connections know them. */
  public synchronized Map<ListeningPort, HttpPort> inUse() {
    return byListening(open);
  }

  private static Map<ListeningPort, HttpPort> byListening(List<Open> open) {
    Map<ListeningPort, HttpPort> ports = new HashMap<>();
    open.forEach(one -> ports.put(one.listening(), one.port()));
    return Map.copyOf(ports);
  }

  private static void close(List<Channel> channels) {
    channels.forEach(channel -> channel.close().syncUninterruptibly());
  }

  private static InetSocketAddress address(HttpPort port) throws UnknownHostException {
    return port.address().isEmpty()
        ? new InetSocketAddress(port.port())
        : new InetSocketAddress(InetAddress.getByName(port.address()), port.port());
  }

  private InetSocketAddress bindEach(
      ListeningPort listening, InetSocketAddress wanted, List<Channel> channels)
      throws IOException {
    // on another address: the wildcard address can look taken although it is free
    boolean ours =
        open.stream()
            .map(Open::address)
            .anyMatch(one -> one.getPort() == wanted.getPort() && !one.equals(wanted));
    if (wanted.getPort() != 0 && !ours) {
      checkFree(wanted);
    }
    InetSocketAddress actual = wanted;
    for (ClientConnections loop : loops) {
      Channel channel =
          await(listeningChannel(shared(bootstrap(listening, loop.eventLoop()))).bind(actual));
      channels.add(channel);
      actual = (InetSocketAddress) channel.localAddress();
    }
    return actual;
  }

  /**
   * With SO_REUSEPORT a port that another process of this user shares is not an error; without it,
   * it is. The probe is bound and does not listen, so that a client that connects meanwhile is not
   * reset.
   */
  private static void checkFree(InetSocketAddress wanted) throws IOException {
    try (Socket probe = new Socket()) {
      probe.setReuseAddress(true);
      probe.bind(wanted);
    }
  }

  private InetSocketAddress bindOne(
      ListeningPort listening, InetSocketAddress wanted, List<Channel> channels)
      throws IOException {
    Channel channel = await(listeningChannel(bootstrap(listening, group)).bind(wanted));
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

  private ServerBootstrap listeningChannel(ServerBootstrap bootstrap) {
    return bootstrap.channel(transport.sockets().server());
  }

  private static ServerBootstrap shared(ServerBootstrap bootstrap) {
    return bootstrap.option(UnixChannelOption.SO_REUSEPORT, true);
  }

  private ServerBootstrap bootstrap(ListeningPort listening, EventLoopGroup children) {
    return new ServerBootstrap()
        .group(children instanceof EventLoop ? children : loops.get(0).eventLoop(), children)
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .option(ChannelOption.AUTO_READ, false)
        .childOption(ChannelOption.ALLOCATOR, transport.allocator())
        .childOption(ChannelOption.AUTO_READ, false)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
        .childHandler(new Acceptor(listening));
  }

  /** Installs the handlers of a connection. Called on any of the loops. */
  private final class Acceptor extends ChannelInitializer<Channel> {
    private final ListeningPort listening;

    Acceptor(ListeningPort listening) {
      this.listening = listening;
    }

    @Override
    protected void initChannel(Channel channel) {
      pipeline.fill(channel, loopOf(channel.eventLoop()), listening);
    }
  }

  private ClientConnections loopOf(EventLoop eventLoop) {
    for (ClientConnections loop : loops) {
      if (loop.eventLoop() == eventLoop) {
        return loop;
      }
    }
    throw new IllegalStateException("an event loop of another group: " + eventLoop);
  }

  /** Listening ports, in the order they were bound. */
  public synchronized List<Bound> bound() {
    return open.stream().map(one -> new Bound(one.port(), one.address())).toList();
  }

  /** Makes new connections wait in the kernel. */
  public synchronized void pause() {
    autoRead(false);
  }

  /** Accepts again after {@link #pause}. */
  public synchronized void resume() {
    autoRead(true);
  }

  private void autoRead(boolean accepts) {
    open.forEach(one -> one.channels().forEach(channel -> channel.config().setAutoRead(accepts)));
  }

  /** Stops listening; open connections continue. */
  public synchronized void stop() {
    stopped = true;
    open.forEach(one -> close(one.channels()));
    open = new ArrayList<>();
  }

  /**
   * Stops listening, closes idle connections and waits for the others, each for its time at most;
   * then closes them.
   *
   * @param lifetimeMillis for exchanges
   * @param tunnelMillis for tunnels
   * @return completes when no connection is open any more
   */
  public synchronized CompletableFuture<Void> drain(long lifetimeMillis, long tunnelMillis) {
    // first, so that responses after the last accept say so
    List<Future<?>> told = new ArrayList<>();
    for (ClientConnections loop : loops) {
      told.add(loop.eventLoop().submit(loop::announceEnd));
    }
    told.forEach(Future::syncUninterruptibly);
    stop();
    return endConnections(loops, lifetimeMillis, tunnelMillis);
  }

  /**
   * The same for a process whose {@link #sockets} another one has. An idle connection waits for one
   * more request, whose response says that it ends: its client may be sending, and a FIN would
   * cross the request. The last {@value #LAST_MILLIS} ms of {@code lifetimeMillis} are as in {@link
   * #drain}.
   */
  public synchronized CompletableFuture<Void> handOver(long lifetimeMillis, long tunnelMillis) {
    List<Future<?>> told = new ArrayList<>();
    for (ClientConnections loop : loops) {
      told.add(loop.eventLoop().submit(loop::announceHandOver));
    }
    told.forEach(Future::syncUninterruptibly);
    stop();
    CompletableFuture<Void> done = new CompletableFuture<>();
    AtomicInteger busyLoops = new AtomicInteger(loops.size());
    for (ClientConnections loop : loops) {
      loop.eventLoop().execute(() -> loop.handOver(() -> countDown(busyLoops, done)));
      loop.time()
          .schedule(loop.eventLoop(), loop::endIdle, Math.max(0, lifetimeMillis - LAST_MILLIS));
      abortLater(loop, lifetimeMillis, tunnelMillis);
    }
    return done;
  }

  private static void countDown(AtomicInteger busyLoops, CompletableFuture<Void> done) {
    if (busyLoops.decrementAndGet() == 0) {
      done.complete(null);
    }
  }

  /** The second step of {@link #drain}, when no client can connect any more. Any thread. */
  static CompletableFuture<Void> endConnections(
      List<ClientConnections> loops, long lifetimeMillis, long tunnelMillis) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    AtomicInteger busyLoops = new AtomicInteger(loops.size());
    for (ClientConnections loop : loops) {
      loop.eventLoop().execute(() -> loop.drain(() -> countDown(busyLoops, done)));
      abortLater(loop, lifetimeMillis, tunnelMillis);
    }
    return done;
  }

  private static void abortLater(ClientConnections loop, long lifetimeMillis, long tunnelMillis) {
    abortLater(loop, false, lifetimeMillis);
    abortLater(loop, true, tunnelMillis);
    if (tunnelMillis < lifetimeMillis) {
      // for exchanges that became tunnels since
      abortLater(loop, true, lifetimeMillis);
    }
  }

  private static void abortLater(ClientConnections loop, boolean tunnels, long millis) {
    loop.time().schedule(loop.eventLoop(), () -> loop.abort(tunnels), millis);
  }
}
