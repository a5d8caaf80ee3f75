package io.loligo.server.downstream.listen;

import io.loligo.server.port.KeepAlive;
import io.loligo.server.transport.Sockets;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.uring.IoUringChannelOption;
import java.io.IOException;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/** Sets {@code tcpkeepalive=} on accepted connections, if the platform can. Immutable. */
final class KeepAliveOptions {
  private final @Nullable ChannelOption<Integer> idle;
  private final @Nullable ChannelOption<Integer> interval;
  private final @Nullable ChannelOption<Integer> count;

  private KeepAliveOptions(
      @Nullable ChannelOption<Integer> idle,
      @Nullable ChannelOption<Integer> interval,
      @Nullable ChannelOption<Integer> count) {
    this.idle = idle;
    this.interval = interval;
    this.count = count;
  }

  /** The options of {@code sockets}: all, except those the JDK lacks on this platform. */
  static KeepAliveOptions of(Sockets sockets) {
    return switch (sockets) {
      case EPOLL ->
          new KeepAliveOptions(
              EpollChannelOption.TCP_KEEPIDLE,
              EpollChannelOption.TCP_KEEPINTVL,
              EpollChannelOption.TCP_KEEPCNT);
      case IO_URING ->
          new KeepAliveOptions(
              IoUringChannelOption.TCP_KEEPIDLE,
              IoUringChannelOption.TCP_KEEPINTVL,
              IoUringChannelOption.TCP_KEEPCNT);
      case NIO -> ofNio();
    };
  }

  private static KeepAliveOptions ofNio() {
    try (SocketChannel probe = SocketChannel.open()) {
      return ofNio(probe.supportedOptions());
    } catch (IOException e) {
      return ofNio(Set.of());
    }
  }

  /** Those of the JDK if its sockets have the options {@code supported}. */
  static KeepAliveOptions ofNio(Set<SocketOption<?>> supported) {
    return new KeepAliveOptions(
        option(ExtendedSocketOptions.TCP_KEEPIDLE, supported),
        option(ExtendedSocketOptions.TCP_KEEPINTERVAL, supported),
        option(ExtendedSocketOptions.TCP_KEEPCOUNT, supported));
  }

  private static @Nullable ChannelOption<Integer> option(
      SocketOption<Integer> option, Set<SocketOption<?>> supported) {
    return supported.contains(option) ? NioChannelOption.of(option) : null;
  }

  /** Sets the values of {@code wanted}. A value of 0 or without an option stays the system's. */
  void apply(ChannelConfig config, KeepAlive wanted) {
    config.setOption(ChannelOption.SO_KEEPALIVE, wanted.on());
    set(config, idle, wanted.idleSeconds());
    set(config, interval, wanted.intervalSeconds());
    set(config, count, wanted.probes());
  }

  private static void set(
      ChannelConfig config, @Nullable ChannelOption<Integer> option, int value) {
    if (option != null && value > 0) {
      config.setOption(option, value);
    }
  }

  /** Names of the values of {@code wanted} that this platform cannot set. */
  List<String> missing(KeepAlive wanted) {
    List<String> missing = new ArrayList<>();
    if (idle == null && wanted.idleSeconds() > 0) {
      missing.add("IDLE");
    }
    if (interval == null && wanted.intervalSeconds() > 0) {
      missing.add("INTERVAL");
    }
    if (count == null && wanted.probes() > 0) {
      missing.add("TIMEOUT");
    }
    return missing;
  }
}
