package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.listen.Listeners;
import io.loligo.server.port.HttpPort;
import io.loligo.server.tls.PortSecurity;
import io.loligo.server.transport.ListeningSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The ports for clients and their TLS, which change together. Thread-safe. */
final class Ports implements Part {
  private final Listeners listeners;
  private final SecuredPorts secured;
  private final OwnPlaces own;
  private final @Nullable Sharing sharing;
  private volatile List<InetSocketAddress> addresses = List.of();

  /**
   * Nothing is bound yet.
   *
   * @param own gets to know the ports
   * @param sharing has one more port; null: this node is alone
   */
  Ports(Listeners listeners, SecuredPorts secured, OwnPlaces own, @Nullable Sharing sharing) {
    this.sharing = sharing;
    this.listeners = listeners;
    this.secured = secured;
    this.own = own;
  }

  /**
   * Listens on the ports of {@code config}.
   *
   * @throws IOException if one is not available, with its line and the reason
   */
  void bind(ProxyConfig config) throws IOException {
    for (HttpPort port : Sharing.ports(config, sharing)) {
      listeners.bind(port);
    }
    bound(config);
  }

  private void bound(ProxyConfig config) {
    List<Listeners.Bound> bound = listeners.bound();
    addresses = bound.stream().map(Listeners.Bound::address).toList();
    own.listensOn(bound, config);
  }

  /** The addresses on which it listens, or did, in the order of the lines. */
  List<InetSocketAddress> addresses() {
    return addresses;
  }

  /** The ports in use, as connections know them. */
  Map<ListeningPort, HttpPort> inUse() {
    return listeners.inUse();
  }

  /** The TLS of the ports in use. */
  Map<HttpPort, PortSecurity> tls() {
    return secured.inForce();
  }

  /**
   * Prepares for the ports of {@code now}: reads their TLS and opens new ones, which accept nothing
   * yet.
   *
   * @throws IOException if that is not possible; nothing has changed then
   */
  Change prepare(ProxyConfig now) throws IOException {
    Map<HttpPort, PortSecurity> newTls = Map.of();
    try {
      newTls = secured.read(now);
      return new Change(now, listeners.prepare(Sharing.ports(now, sharing)), newTls);
    } catch (IOException | RuntimeException e) {
      newTls.values().forEach(PortSecurity::close);
      throw e;
    }
  }

  /** Other ports, prepared: {@link #commit} or {@link #cancel} once. */
  final class Change {
    private final ProxyConfig now;
    private final Listeners.Change ports;
    private final Map<HttpPort, PortSecurity> newTls;

    private Change(ProxyConfig now, Listeners.Change ports, Map<HttpPort, PortSecurity> newTls) {
      this.now = now;
      this.ports = ports;
      this.newTls = newTls;
    }

    /** The configuration of each port, for its connections. */
    Map<ListeningPort, HttpPort> ports() {
      return ports.ports();
    }

    /** The TLS of the ports. */
    Map<HttpPort, PortSecurity> tls() {
      return newTls;
    }

    /** All loops know them: releases the former TLS, and listens. */
    void commit() {
      secured.replace(newTls);
      ports.commit();
      bound(now);
    }

    /** Goes on with the former ones. */
    void cancel() {
      newTls.values().forEach(PortSecurity::close);
      ports.cancel();
    }
  }

  /** Makes new connections wait in the kernel. */
  void pause() {
    listeners.pause();
  }

  /** Accepts again after {@link #pause}. */
  void resume() {
    listeners.resume();
  }

  /**
   * Stops listening and lets running exchanges end, at most for {@code shutdown_lifetime}, and
   * tunnels for their time.
   *
   * @return completes when no connection is open any more
   */
  CompletableFuture<Void> drain(ProxyConfig config) {
    return listeners.drain(lifetimeMillis(config), tunnelMillis(config));
  }

  /** The sockets in use, for another process. */
  List<ListeningSocket> sockets() {
    return listeners.sockets();
  }

  /** Gives loops without a socket one: the earlier process has ended its part. */
  void complete() {
    listeners.complete();
  }

  /**
   * The same as {@link #drain} for a process whose {@link #sockets} another one has: the client of
   * an idle connection may send one more request.
   */
  CompletableFuture<Void> handOver(ProxyConfig config) {
    return listeners.handOver(lifetimeMillis(config), tunnelMillis(config));
  }

  private static long lifetimeMillis(ProxyConfig config) {
    return config.get(ProcessDirectives.SHUTDOWN_LIFETIME);
  }

  private static long tunnelMillis(ProxyConfig config) {
    Long tunnelMillis = config.get(ProcessDirectives.TUNNEL_SHUTDOWN_LIFETIME);
    return tunnelMillis == null ? lifetimeMillis(config) : tunnelMillis;
  }

  /** Looks at no file any more, stops listening, and ends running exchanges at once. */
  @Override
  public void close() {
    secured.stop();
    listeners.drain(0, 0);
  }
}
