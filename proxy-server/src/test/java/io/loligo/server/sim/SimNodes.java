package io.loligo.server.sim;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import io.loligo.cluster.share.AppliedPurges;
import io.loligo.core.caching.CacheKeys;
import io.loligo.server.boot.SimulatedProxy;
import io.loligo.server.cluster.SharedRing;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.connection.Protocols;
import io.loligo.server.downstream.http1.Http1Connection;
import io.loligo.server.downstream.http2.Http2Connection;
import io.loligo.server.downstream.listen.SimulatedListeners;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.time.TimeSource;
import io.loligo.server.upstream.connect.SocketTransport;
import io.loligo.store.MemorySettings;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.PacedExecutor;
import io.netty.channel.ChannelHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Two nodes that share one cache, their clients, and an origin with one response of 1 GB, on a
 * virtual clock and from a seed. Confined to one thread.
 *
 * <p>The nodes are the proxy, with its connections, fetches, ledger and rules; the cluster's part
 * is the product's, from the view on. Sockets have room for a bounded number of bytes, at both
 * ends. Clients read slowly, pause, and leave. A client at the port for nodes is a member at some
 * times, or never.
 */
final class SimNodes {
  static final long CONTENT_BYTES = 1 << 30;
  static final long MOST_BYTES = 8 << 20;
  private static final SimSetting SETTING = new SimSetting("");
  private static final Protocols PROTOCOLS =
      new Protocols(Map.of("h2", Http2Connection::new), Http1Connection::new);
  private static final int BODIES = 7801;
  private static final int ORIGIN_AHEAD_BYTES = 128 << 10;
  private static final int PATTERN = 251;
  private static final String STRANGER = "192.0.2.66";

  /** A member at times. */
  private static final int THIRD = 2;

  private final World world;
  private final List<Node> nodes = new ArrayList<>();
  private final String url;
  private final HttpPort forNodes =
      HttpPort.at("10.1.1.1", BODIES).name("nodes").forNodes(true).source("test").build();
  private int ports = 20_000;

  /** Since when the third one has been a member, or not. */
  private boolean thirdIsMember;

  private long thirdSinceNanos;

  /** Most bytes of the buffers of a node at a time. */
  long mostBytes;

  /** Most bytes of a ledger at a time. */
  long mostInTransit;

  /** Bytes of content that clients have read. */
  long readBytes;

  /** Requests at the port for nodes that were refused, and those that were served. */
  int refused;

  int served;

  SimNodes(long seed, boolean tracing) {
    world = new World(seed, tracing);
    for (int i = 0; i < 2; i++) {
      nodes.add(new Node(i));
    }
    view();
    int path = 0;
    while (ownerOf("http://10.9.0.1/" + path) != 1) {
      path++;
    }
    url = "http://10.9.0.1/" + path;
  }

  private int ownerOf(String of) {
    return Integer.parseInt(nodes.get(0).ring.owner(CacheKeys.of(of)).name());
  }

  private void view() {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < (thirdIsMember ? 3 : 2); i++) {
      members.add(member(i));
    }
    nodes.forEach(node -> node.ring.view(new View(1, members)));
    thirdSinceNanos = world.nanoTime();
  }

  /** The third one drains: it owns nothing. */
  private static Member member(int index) {
    String host = "10.1.1." + (index + 1);
    return new Member(
        new NodeRun(new UUID(0, index), 1),
        String.valueOf(index),
        new InetSocketAddress(host, BODIES - 1),
        new InetSocketAddress(host, BODIES),
        100,
        index == THIRD,
        4);
  }

  World world() {
    return world;
  }

  /** Plays it. */
  void run() {
    for (int i = 1 + world.draw(3); i > 0; i--) {
      world.after(world.draw(1_000_000), () -> new Reader(nodes.get(0)));
    }
    for (int i = world.draw(2); i > 0; i--) {
      world.after(world.draw(1_000_000), () -> new Reader(nodes.get(1)));
    }
    for (int i = world.draw(8); i > 0; i--) {
      world.after(
          world.draw(8_000_000),
          () -> {
            thirdIsMember = !thirdIsMember;
            view();
          });
    }
    for (int i = 0; i < 6; i++) {
      String from = world.chance(50) ? STRANGER : "10.1.1." + (THIRD + 1);
      world.after(world.draw(8_000_000), () -> new Intruder(from));
    }
    pass(10_000);
    pass(20_000); // until connections that nobody uses are closed
    for (Node node : nodes) {
      node.close();
    }
    pass(1_000);
    for (Node node : nodes) {
      node.checkNothingLeft();
    }
  }

  private void pass(long millis) {
    long until = world.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (world.step(until)) {
      for (Node node : nodes) {
        node.check();
      }
    }
  }

  private static AssertionError failure(String what) {
    return new AssertionError(what);
  }

  private static byte contentAt(long position) {
    return (byte) (position % PATTERN);
  }

  private final class Node {
    final InetSocketAddress address;
    final Network network;
    final List<SimLoop> loops = new ArrayList<>();
    final SimLoop serving;
    final MemoryLedger transit = new MemoryLedger(16 << 20);
    final TieredStore store;
    final SimulatedProxy proxy;
    final SharedRing ring;
    final ListeningPort publicPort =
        new ListeningPort(SETTING.config.get(PortDirectives.HTTP_PORT).get(0));
    final ListeningPort peerPort = new ListeningPort(forNodes);

    Node(int index) {
      address = new InetSocketAddress("10.1.1." + (index + 1), BODIES);
      network = new Network(world, address, this::dialled);
      serving = loop(SimLoop.SERVING + index);
      SimLoop maintenance = loop("maintenance" + index);
      SimLoop walks = loop("walks" + index);
      store = store(maintenance, walks);
      store.open();
      maintenance.scheduleWithFixedDelay(store::tick, 1, 1, TimeUnit.SECONDS);
      ring =
          new SharedRing(
              member(index).id(),
              world::nanoTime,
              null,
              new AppliedPurges(() -> true),
              /* loops= */ 1,
              /* connections= */ 100,
              /* secondCopies= */ false);
      proxy =
          new SimulatedProxy(
              SETTING.config,
              SETTING.listed,
              List.of(serving),
              new SocketTransport(() -> new SimSocket(network), network.allocator()),
              () -> {
                throw new UnsupportedOperationException("no names here");
              },
              store,
              new Time(),
              exchange -> {},
              ring::forLoop);
      proxy.clients(0).protocols(PROTOCOLS);
    }

    private TieredStore store(SimLoop maintenance, SimLoop walks) {
      PacedExecutor paced =
          new PacedExecutor(task -> maintenance.schedule(task, 5, TimeUnit.MILLISECONDS));
      try {
        return new TieredStore(
            network.allocator(),
            MemorySettings.of(SETTING.config),
            DiskSettings.of(SETTING.config),
            transit,
            paced,
            walks,
            world::wallMillis);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private SimLoop loop(String name) {
      SimLoop loop = world.addLoop(name);
      loops.add(loop);
      return loop;
    }

    /** This node dials {@code to}. */
    private void dialled(SimSocket socket, InetSocketAddress to) {
      world.after(
          network.latencyMicros(),
          () -> {
            if (to.getPort() != BODIES) {
              Origin origin = new Origin(socket);
              socket.connected(origin);
              return;
            }
            Node other = nodes.get(to.getAddress().getAddress()[3] - 1);
            Link near = new Link();
            Link far = new Link();
            near.to = other.accept(far, new InetSocketAddress(address.getAddress(), ++ports), true);
            far.to = socket;
            socket.connected(near);
          });
    }

    SimSocket accept(SimPeer peer, InetSocketAddress from, boolean atPeerPort) {
      SimSocket socket = new SimSocket(network, peer, from);
      network.accepted(socket);
      serving.execute(
          () -> {
            ChannelHandler first =
                atPeerPort
                    ? SimulatedListeners.ofNode(proxy.clients(0), peerPort, from)
                    : new Http1Connection(proxy.clients(0), publicPort, from);
            socket.pipeline().addLast(first);
            serving.register(socket);
          });
      return socket;
    }

    void check() {
      mostBytes = Math.max(mostBytes, network.usedBytes());
      mostInTransit = Math.max(mostInTransit, transit.used());
      if (network.usedBytes() >= MOST_BYTES || transit.used() >= MOST_BYTES) {
        throw failure(
            "node "
                + address
                + " has "
                + network.usedBytes()
                + " bytes of buffers, and "
                + transit.used()
                + " in transit: "
                + network.buffers());
      }
    }

    void close() {
      if (network.open() > 0) {
        throw failure("connections left open: " + network.open());
      }
      proxy.close();
      serving.execute(store::close);
    }

    void checkNothingLeft() {
      if (network.usedBytes() > 0 || transit.used() > 0) {
        throw failure("left: " + network.usedBytes() + " bytes, in transit " + transit.used());
      }
      loops.forEach(world::remove);
    }
  }

  private final class Time implements TimeSource {
    @Override
    public long nanos() {
      return world.nanoTime();
    }

    @Override
    public long millis() {
      return world.wallMillis();
    }
  }

  /** The other node's end of a connection between them: it takes no more than the node reads. */
  private static final class Link implements SimPeer {
    SimSocket to;

    @Override
    public void received(byte[] bytes) {
      to.peerSends(bytes);
    }

    @Override
    public void fin() {
      to.peerFins();
    }

    @Override
    public void reset() {
      to.peerResets();
    }

    @Override
    public long readDelayMicros() {
      return 0;
    }

    @Override
    public boolean holds() {
      return true;
    }

    @Override
    public void taken(int bytes) {
      to.makeRoom(bytes);
    }
  }

  /** Sends as fast as the proxy reads. */
  private final class Origin implements SimPeer {
    private final SimSocket socket;
    private final StringBuilder request = new StringBuilder();
    private boolean answers;
    private boolean over;
    private long position;
    private long aheadBytes;

    Origin(SimSocket socket) {
      this.socket = socket;
    }

    @Override
    public void received(byte[] bytes) {
      request.append(new String(bytes, ISO_8859_1));
      if (!answers && request.indexOf("\r\n\r\n") >= 0) {
        answers = true;
        String head =
            "HTTP/1.1 200 OK\r\nETag: \"v\"\r\nCache-Control: max-age=1000\r\nContent-Length: "
                + CONTENT_BYTES
                + "\r\n\r\n";
        send(head.getBytes(ISO_8859_1));
        more();
      }
    }

    private void send(byte[] bytes) {
      aheadBytes += bytes.length;
      socket.peerSends(bytes);
    }

    private void more() {
      while (answers && !over && aheadBytes < ORIGIN_AHEAD_BYTES && position < CONTENT_BYTES) {
        byte[] piece = new byte[(int) Math.min(16 << 10, CONTENT_BYTES - position)];
        for (int i = 0; i < piece.length; i++) {
          piece[i] = contentAt(position + i);
        }
        position += piece.length;
        send(piece);
      }
    }

    @Override
    public void taken(int bytes) {
      aheadBytes -= bytes;
      world.after(1, this::more);
    }

    @Override
    public void fin() {
      over = true;
      socket.peerCloses();
    }

    @Override
    public void reset() {
      over = true;
    }

    @Override
    public long readDelayMicros() {
      return 0;
    }
  }

  /** A client that asks, and looks at each byte of the response. */
  private abstract class Asking implements SimPeer {
    final SimSocket socket;
    private final StringBuilder head = new StringBuilder();
    private int status;
    private long position;
    boolean over;

    Asking(Node node, String from, boolean atPeerPort, String lines) {
      socket = node.accept(this, new InetSocketAddress(from, ++ports), atPeerPort);
      String request = "GET " + url + " HTTP/1.1\r\nHost: 10.9.0.1\r\n" + lines + "\r\n";
      socket.peerSends(request.getBytes(ISO_8859_1));
    }

    /** The head of a response, or of an interim one. */
    abstract void responds(int with);

    @Override
    public void received(byte[] bytes) {
      int at = 0;
      while (at < bytes.length && status < 200) {
        head.append((char) (bytes[at++] & 0xff));
        if (head.length() > 3 && head.indexOf("\r\n\r\n", head.length() - 4) >= 0) {
          status = Integer.parseInt(head.substring(9, 12));
          head.setLength(0);
          responds(status);
        }
      }
      for (; at < bytes.length && status == 200; at++) {
        if (bytes[at] != contentAt(position++)) {
          throw failure("a wrong byte at " + (position - 1));
        }
        readBytes++;
      }
    }

    void leave() {
      if (!over) {
        over = true;
        if (world.chance(50)) {
          socket.peerResets();
        } else {
          socket.peerCloses();
        }
      }
    }

    @Override
    public void fin() {
      over = true;
      socket.peerCloses();
    }

    @Override
    public void reset() {
      over = true;
    }
  }

  /** A slow one, at the public port. */
  private final class Reader extends Asking {
    private final int slowMicros = world.one(List.of(2_000, 20_000, 200_000));

    Reader(Node node) {
      super(node, "10.2.0.1", false, "");
      world.after(1_000_000 + world.draw(7_000_000), this::leave);
    }

    @Override
    void responds(int with) {
      if (with != 200) {
        throw failure("status " + with);
      }
    }

    /** Mostly slow; at times it takes nothing for longer than other clients wait. */
    @Override
    public long readDelayMicros() {
      return world.chance(3) ? world.draw(3_000_000) : world.draw(slowMicros);
    }
  }

  /** Claims to be a node. */
  private final class Intruder extends Asking {
    private final long sinceNanos = world.nanoTime();
    private final boolean mayBeMember;
    private final boolean wasMember;

    Intruder(String from) {
      super(
          nodes.get(1),
          from,
          true,
          "Peer-Hop: 1\r\nPeer-Port: 3128/forward\r\n"
              + (world.chance(50) ? "Peer-Node: " + new UUID(0, 1) + "\r\n" : ""));
      mayBeMember = !from.equals(STRANGER);
      wasMember = thirdIsMember;
      world.after(1_000_000, this::leave);
    }

    @Override
    void responds(int with) {
      boolean isServed = with < 300;
      if (mayBeMember && thirdSinceNanos > sinceNanos) {
        return; // the members have changed meanwhile
      }
      boolean should = mayBeMember && wasMember;
      if (should != isServed) {
        throw failure(socket + " got " + with + ", and is a node: " + should);
      }
      served += isServed ? 1 : 0;
      refused += isServed ? 0 : 1;
    }

    @Override
    public long readDelayMicros() {
      return world.draw(20_000);
    }
  }
}
