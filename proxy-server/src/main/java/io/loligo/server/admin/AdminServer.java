package io.loligo.server.admin;

import io.loligo.core.config.HostPort;
import io.loligo.server.port.HttpPort;
import io.loligo.server.time.LogRateLimit;
import io.loligo.server.tls.ServerTls;
import io.loligo.server.transport.InheritedSockets;
import io.loligo.server.transport.ListeningSocket;
import io.loligo.server.transport.Sockets;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.UnixChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admin port ({@code loligo_admin_port}): metrics, health, configuration, and the operations
 * that need the secret. It has one event loop of its own, so that a slow scrape delays no request.
 * Thread-safe: any thread.
 */
public final class AdminServer implements AutoCloseable {
  private static final Logger AUDIT = LoggerFactory.getLogger("io.loligo.audit");
  private static final int MAX_REQUEST_LINE_BYTES = 8 * 1024;
  private static final int MAX_HEAD_BYTES = 16 * 1024;
  private static final int MAX_CONTENT_BYTES = 16 * 1024;
  private static final int MAX_CONNECTIONS = 256;
  private static final int IDLE_SECONDS = 60;

  /** For the answer to the reload that has retired the port. */
  private static final int RETIREMENT_SECONDS = 5;

  private final EventLoopGroup group;
  private final Channel listener;
  private final ChannelGroup connections;
  private final AdminAccess access;
  private final AdminRoutes routes;
  private final AdminTls tls;

  private AdminServer(
      EventLoopGroup group,
      Channel listener,
      ChannelGroup connections,
      AdminAccess access,
      AdminRoutes routes,
      AdminTls tls) {
    this.group = group;
    this.listener = listener;
    this.connections = connections;
    this.access = access;
    this.routes = routes;
    this.tls = tls;
  }

  /** The same on sockets of the JDK, with none of an earlier process. */
  public static AdminServer start(
      HttpPort place, AdminTerms terms, AdminTls tls, Operations operations, AdminPages pages)
      throws IOException {
    AdminServer server =
        open(place, terms, tls, operations, pages, Sockets.NIO, InheritedSockets.none());
    server.accept();
    return server;
  }

  /**
   * Opens the port. Connections wait in the kernel until {@link #accept}.
   *
   * @param place where it listens
   * @param terms of access
   * @param tls its certificates, if {@code place} has TLS
   * @param pages what it shows; no page is added later
   * @param sockets of the process
   * @param inherited sockets of an earlier process
   * @throws IOException if the port is not available; names it
   */
  public static AdminServer open(
      HttpPort place,
      AdminTerms terms,
      AdminTls tls,
      Operations operations,
      AdminPages pages,
      Sockets sockets,
      InheritedSockets inherited)
      throws IOException {
    InetSocketAddress address = address(place);
    AdminAccess access = new AdminAccess(terms, place.tls() != null, tls);
    AdminRoutes routes =
        new AdminRoutes(
            access,
            address.getAddress().isLoopbackAddress(),
            new SecretAttempts(System::nanoTime),
            operations,
            pages);
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("loligo-admin", true), usable(sockets).handlers());
    ChannelGroup connections = new DefaultChannelGroup(group.next());
    try {
      ServerBootstrap bootstrap =
          new ServerBootstrap()
              .group(group)
              .option(ChannelOption.SO_REUSEADDR, true)
              .option(ChannelOption.AUTO_READ, false)
              .childHandler(new Connections(connections, access, routes, tls));
      List<FileDescriptor> taken =
          inherited.claim(ListeningSocket.ADMIN, place.address(), place.port(), address);
      ChannelFuture listening =
          taken.isEmpty()
              ? bootstrap.channel(usable(sockets).server()).bind(address)
              : bootstrap.channelFactory(sockets.adopting(taken.get(0))).register();
      Channel listener = listening.syncUninterruptibly().channel();
      return new AdminServer(group, listener, connections, access, routes, tls);
    } catch (Exception e) {
      // Netty throws the checked cause of a failed bind unchanged
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw new IOException(
          "loligo_admin_port " + hostOf(place) + ":" + place.port() + ": " + e.getMessage(), e);
    }
  }

  /** It has few connections: what matters is that another process can take its socket over. */
  private static Sockets usable(Sockets sockets) {
    return sockets.areInheritable() ? sockets : Sockets.NIO;
  }

  private static InetSocketAddress address(HttpPort place) throws IOException {
    return new InetSocketAddress(InetAddress.getAllByName(hostOf(place))[0], place.port());
  }

  /** Where a program on this machine reaches {@code place}. */
  public static HostPort reachedAt(HttpPort place) {
    boolean anywhere = place.address().equals("0.0.0.0") || place.address().equals("::");
    return new HostPort(anywhere ? "127.0.0.1" : hostOf(place), place.port());
  }

  /** The host of {@code place}: this machine only, if it names no address. */
  private static String hostOf(HttpPort place) {
    return place.address().isEmpty() ? "127.0.0.1" : place.address();
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** Accepts connections, if it does not yet. */
  public void accept() {
    listener.config().setAutoRead(true);
  }

  /** Accepts no more connections: another process has the {@link #socket}. */
  public void handOver() {
    listener.close().syncUninterruptibly();
  }

  /**
   * Its socket, for another process, which gets a copy of the descriptor.
   *
   * @param place where it listens, as for {@link #start}
   */
  public ListeningSocket socket(HttpPort place) {
    return new ListeningSocket(
        ListeningSocket.ADMIN,
        place.address(),
        place.port(),
        address(),
        ((UnixChannel) listener).fd());
  }

  /** Requests refused for lack of the secret. */
  public long refusals() {
    return routes.refusals();
  }

  /** Whether connections that are accepted from now on speak TLS. */
  public void encrypts(boolean now) {
    access.encrypts(now);
  }

  /** Other terms of access, from the next request on. */
  public void reconfigure(AdminTerms terms) {
    access.reconfigure(terms);
  }

  /**
   * The certificates of handshakes that begin from now on; null: none begins. When this returns, no
   * handshake begins with the former. Not on an event loop.
   */
  public void use(@Nullable ServerTls certificates) {
    group.next().submit(() -> tls.use(certificates)).awaitUninterruptibly();
  }

  /**
   * Accepts no more connections. Those that are open end in {@value #RETIREMENT_SECONDS} seconds,
   * or with {@link #end}. Not on an event loop.
   */
  public void retire() {
    handOver();
    use(null);
    group.next().schedule(this::closeAll, RETIREMENT_SECONDS, TimeUnit.SECONDS);
  }

  private void closeAll() {
    // a stream does not end by itself
    connections.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** Ends what {@link #retire} has left, and waits for that. Any number of calls. */
  public void end() {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Override
  public void close() {
    listener.close().syncUninterruptibly();
    // a stream does not end by itself
    connections.close().syncUninterruptibly();
    end();
  }

  /** Prepares accepted connections; counts them on the only event loop. */
  private static final class Connections extends ChannelInitializer<Channel> {
    private final ChannelGroup all;
    private final AdminAccess access;
    private final AdminRoutes routes;
    private final AdminTls tls;
    private final LogRateLimit denials = new LogRateLimit(System::nanoTime);
    private int open;

    Connections(ChannelGroup all, AdminAccess access, AdminRoutes routes, AdminTls tls) {
      this.all = all;
      this.access = access;
      this.routes = routes;
      this.tls = tls;
    }

    @Override
    protected void initChannel(Channel channel) {
      all.add(channel);
      ChannelPipeline pipeline = channel.pipeline();
      pipeline.addLast(new Limit());
      pipeline.addLast(new ReadTimeoutHandler(IDLE_SECONDS));
      if (access.isEncrypted()) {
        pipeline.addLast(tls.newHandler());
      }
      pipeline.addLast(
          new HttpServerCodec(
              new HttpDecoderConfig()
                  .setMaxInitialLineLength(MAX_REQUEST_LINE_BYTES)
                  .setMaxHeaderSize(MAX_HEAD_BYTES)));
      pipeline.addLast(new HttpObjectAggregator(MAX_CONTENT_BYTES, true));
      pipeline.addLast(new AdminHandler(access, routes));
    }

    private boolean allowed(Channel channel) {
      InetSocketAddress client = (InetSocketAddress) channel.remoteAddress();
      InetSocketAddress local = (InetSocketAddress) channel.localAddress();
      if (access.clientAllowed(new AdminClient(client, local))) {
        return true;
      }
      if (denials.permits()) {
        AUDIT.warn(
            "admin connection from {}: closed, loligo_admin_access does not allow this address;"
                + " {} so far; next: nothing, unless the address should have access",
            NetUtil.toAddressString(client.getAddress()),
            denials.count());
      }
      return false;
    }

    /** Closes a connection beyond the limit, or of an address that the rules deny. */
    private final class Limit extends ChannelInboundHandlerAdapter {
      @Override
      public void channelActive(ChannelHandlerContext context) throws Exception {
        if (++open > MAX_CONNECTIONS || !allowed(context.channel())) {
          context.close();
        }
        super.channelActive(context);
      }

      @Override
      public void channelInactive(ChannelHandlerContext context) throws Exception {
        open--;
        super.channelInactive(context);
      }
    }
  }
}
