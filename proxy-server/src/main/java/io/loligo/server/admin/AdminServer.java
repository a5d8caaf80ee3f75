package io.loligo.server.admin;

import io.loligo.core.config.HostPort;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The admin port ({@code loligo_admin_port}): metrics, health, configuration, and the operations
 * that need the secret. It has one event loop of its own, so that a slow scrape delays no request.
 * Thread-safe: any thread.
 */
public final class AdminServer implements AutoCloseable {
  private static final int MAX_REQUEST_LINE_BYTES = 8 * 1024;
  private static final int MAX_HEAD_BYTES = 16 * 1024;
  private static final int MAX_CONTENT_BYTES = 16 * 1024;
  private static final int MAX_CONNECTIONS = 256;
  private static final int IDLE_SECONDS = 60;

  private final EventLoopGroup group;
  private final Channel listener;
  private final AdminAccess access;
  private final AdminRoutes routes;

  private AdminServer(
      EventLoopGroup group, Channel listener, AdminAccess access, AdminRoutes routes) {
    this.group = group;
    this.listener = listener;
    this.access = access;
    this.routes = routes;
  }

  /**
   * Starts to listen.
   *
   * @param place where it listens
   * @param secret needed for changes, or null: no change is possible
   * @param names accepted host names besides loopback ones
   * @param pages what it shows; no page is added later
   * @throws IOException if the port is not available; names it
   */
  public static AdminServer start(
      HostPort place,
      @Nullable String secret,
      Set<String> names,
      Operations operations,
      AdminPages pages)
      throws IOException {
    AdminAccess access = new AdminAccess(secret, names);
    AdminRoutes routes =
        new AdminRoutes(access, new SecretAttempts(System::nanoTime), operations, pages);
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("loligo-admin", true), NioIoHandler.newFactory());
    try {
      Channel listener =
          new ServerBootstrap()
              .group(group)
              .channel(NioServerSocketChannel.class)
              .option(ChannelOption.SO_REUSEADDR, true)
              .childHandler(new Connections(access, routes))
              .bind(address(place))
              .syncUninterruptibly()
              .channel();
      return new AdminServer(group, listener, access, routes);
    } catch (Exception e) {
      // Netty throws the checked cause of a failed bind unchanged
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw new IOException(
          "loligo_admin_port " + hostOf(place) + ":" + place.port() + ": " + e.getMessage(), e);
    }
  }

  private static InetSocketAddress address(HostPort place) throws IOException {
    return new InetSocketAddress(InetAddress.getAllByName(hostOf(place))[0], place.port());
  }

  /** The host of {@code place}: this machine only, if it names no address. */
  public static String hostOf(HostPort place) {
    return place.address().isEmpty() ? "127.0.0.1" : place.address();
  }

  /** Where it listens. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** Changes refused for lack of the secret. */
  public long refusals() {
    return routes.refusals();
  }

  /** Another secret, or null, and other names, from the next request on. */
  public void reconfigure(@Nullable String secret, Set<String> names) {
    access.reconfigure(secret, names);
  }

  @Override
  public void close() {
    listener.close().syncUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** Prepares accepted connections; counts them on the only event loop. */
  private static final class Connections extends ChannelInitializer<Channel> {
    private final AdminAccess access;
    private final AdminRoutes routes;
    private int open;

    Connections(AdminAccess access, AdminRoutes routes) {
      this.access = access;
      this.routes = routes;
    }

    @Override
    protected void initChannel(Channel channel) {
      ChannelPipeline pipeline = channel.pipeline();
      pipeline.addLast(new Limit());
      pipeline.addLast(new ReadTimeoutHandler(IDLE_SECONDS));
      pipeline.addLast(
          new HttpServerCodec(
              new HttpDecoderConfig()
                  .setMaxInitialLineLength(MAX_REQUEST_LINE_BYTES)
                  .setMaxHeaderSize(MAX_HEAD_BYTES)));
      pipeline.addLast(new HttpObjectAggregator(MAX_CONTENT_BYTES, true));
      pipeline.addLast(new AdminHandler(access, routes));
    }

    /** Closes a connection beyond the limit. */
    private final class Limit extends ChannelInboundHandlerAdapter {
      @Override
      public void channelActive(ChannelHandlerContext context) throws Exception {
        if (++open > MAX_CONNECTIONS) {
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
