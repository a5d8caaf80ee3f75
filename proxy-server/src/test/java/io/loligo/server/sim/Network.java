package io.loligo.server.sim;

import io.netty.buffer.ByteBufAllocator;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/** The network between the proxy and all others. */
final class Network {
  private static final InetSocketAddress PROXY = new InetSocketAddress("10.1.1.1", 3128);

  private final World world;
  private final InetSocketAddress proxy;
  private final List<ProcessMemory> ofKilled = new ArrayList<>();
  private ProcessMemory memory = new ProcessMemory();
  private final BiConsumer<SimSocket, InetSocketAddress> dialled;
  private final Set<SimSocket> open = new LinkedHashSet<>();
  private final boolean noticesAtOnce;
  private final int latencyMicros;
  private int sockets;

  /**
   * A network.
   *
   * @param dialled told of connections that the proxy makes
   */
  Network(World world, BiConsumer<SimSocket, InetSocketAddress> dialled) {
    this(world, PROXY, dialled);
  }

  /** That of the proxy with the address {@code proxy}. */
  Network(World world, InetSocketAddress proxy, BiConsumer<SimSocket, InetSocketAddress> dialled) {
    this.world = world;
    this.proxy = proxy;
    this.dialled = dialled;
    this.noticesAtOnce = world.chance(50);
    this.latencyMicros = world.one(List.of(1, 100, 5_000, 60_000));
  }

  World world() {
    return world;
  }

  /** Of all the proxy's buffers; a balance is taken of it. */
  ByteBufAllocator allocator() {
    return memory;
  }

  /** Bytes of buffers that were not released. */
  long usedBytes() {
    return memory.metric().usedDirectMemory() + memory.metric().usedHeapMemory();
  }

  /** The buffers of the proxy, by their capacity. */
  String buffers() {
    return memory.contents();
  }

  /** Whether a close of the peer is heard of without reading, as with epoll and unlike NIO. */
  boolean noticesAtOnce() {
    return noticesAtOnce;
  }

  /** Time that something takes to the other end. */
  long latencyMicros() {
    return 1L + world.draw(latencyMicros);
  }

  int nextNumber() {
    return ++sockets;
  }

  InetSocketAddress proxyAddress() {
    return proxy;
  }

  void dial(SimSocket socket, InetSocketAddress address) {
    open.add(socket);
    dialled.accept(socket, address);
  }

  void accepted(SimSocket socket) {
    open.add(socket);
  }

  void closed(SimSocket socket) {
    open.remove(socket);
  }

  /** The end of the proxy's process: its connections are reset, and its buffers are lost. */
  void kill() {
    List.copyOf(open).forEach(SimSocket::kill);
    open.clear();
    ofKilled.add(memory);
    memory = new ProcessMemory();
  }

  /** The end of the world: frees the buffers of killed processes. */
  void end() {
    ofKilled.forEach(ProcessMemory::discard);
  }

  /** Connections that the proxy has not closed. */
  int open() {
    return open.size();
  }
}
