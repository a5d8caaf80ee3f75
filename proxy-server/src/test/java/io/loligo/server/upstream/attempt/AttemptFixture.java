package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Method;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.CountedConnections;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.Peer;
import io.loligo.server.upstream.PeerTokens;
import io.loligo.server.upstream.Settings;
import io.loligo.server.upstream.connect.FakeTransport;
import io.loligo.server.upstream.route.CachePeers;
import io.loligo.server.upstream.tls.OriginContexts;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An upstream on a virtual clock, over connections in memory; nothing may be left behind. */
abstract class AttemptFixture {
  static final Hop ORIGIN = new Hop.Direct("origin.example", 80, HierarchyCode.HIER_DIRECT);

  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  final EmbeddedChannel clock = new EmbeddedChannel();
  final LoopTimer timer = new LoopTimer(clock.eventLoop());
  final FakeTransport transport = new FakeTransport(allocator);
  final FakeNames names = new FakeNames();
  final Settings settings = new Settings();
  final PeerHealth health = new PeerHealth(() -> clock.eventLoop().ticker().nanoTime());
  final CountedConnections counted = new CountedConnections();
  PeerTokens tokens = PeerTokens.NONE;
  AddressCheck check = (address, port) -> null;
  NettyUpstream upstream;

  @BeforeEach
  void freeze() {
    clock.freezeTime();
    names.knows("origin.example", "192.0.2.1");
    names.knows("a.example", "192.0.2.11");
    names.knows("b.example", "192.0.2.12");
  }

  @AfterEach
  void nothingIsLeftBehind() {
    if (upstream != null) {
      upstream.close();
    }
    // a connection that dies may be replaced by another one
    for (int i = 0; i < transport.connections().size(); i++) {
      transport.connections().get(i).close();
      transport.connections().get(i).channel().finishAndReleaseAll();
      settle();
    }
    assertThat(allocator.metric().usedDirectMemory()).as("direct memory").isZero();
    assertThat(allocator.metric().usedHeapMemory()).as("heap memory").isZero();
    assertThat(counted.open).as("open connections").isZero();
    assertThat(counted.idle).as("idle connections").isZero();
  }

  NettyUpstream upstream() {
    if (upstream == null) {
      upstream =
          new NettyUpstream(
              clock.eventLoop(),
              transport,
              names,
              timer,
              settings.build(),
              contexts(),
              new MemoryLedger(Long.MAX_VALUE / 2),
              health,
              counted,
              tokens);
    }
    return upstream;
  }

  /** The TLS of the upstream. */
  OriginContexts contexts() {
    return OriginContexts.none();
  }

  Listening fetch(OutgoingRequest request, Hop... hops) {
    Listening listening = new Listening();
    fetch(listening, request, hops);
    return listening;
  }

  void fetch(Listening listening, OutgoingRequest request, Hop... hops) {
    List<Hop> way = hops.length == 0 ? List.of(ORIGIN) : List.of(hops);
    listening.stream = upstream().fetch(way, request, check, listening);
    assertThat(listening.events).as("before fetch returned").isEmpty();
    settle();
  }

  Listening connect(Hop... hops) {
    Listening listening = new Listening();
    listening.reading = false;
    listening.stream =
        upstream()
            .connect(
                List.of(hops),
                new OutgoingConnect("origin.example", 443, new byte[0]),
                check,
                listening);
    settle();
    return listening;
  }

  FakeTransport.Connection last() {
    return transport.last();
  }

  /** Runs the due tasks. */
  void settle() {
    clock.runPendingTasks();
    for (FakeTransport.Connection connection : transport.connections()) {
      connection.channel().runPendingTasks();
    }
    clock.runPendingTasks();
  }

  /** Lets time pass tick by tick. */
  void pass(long millis) {
    for (long left = millis; left > 0; left -= LoopTimer.TICK_MILLIS) {
      clock.advanceTimeBy(Math.min(left, LoopTimer.TICK_MILLIS), TimeUnit.MILLISECONDS);
      settle();
    }
  }

  ByteBuf bytes(String latin1) {
    ByteBuf buffer = allocator.buffer();
    buffer.writeCharSequence(latin1, StandardCharsets.ISO_8859_1);
    return buffer;
  }

  static Hop hop(Peer line) {
    return hop(CachePeers.of(line));
  }

  static Hop hop(CachePeer peer) {
    return new Hop.Parent(peer, HierarchyCode.FIRSTUP_PARENT, null);
  }

  static OutgoingRequest get() {
    return request(Method.GET, 0, false, false, null);
  }

  static OutgoingRequest post(long contentLength) {
    return request(Method.POST, contentLength, true, false, null);
  }

  static OutgoingRequest request(
      int method, long contentLength, boolean hasContent, boolean expect, String upgrade) {
    OutgoingRequest.Builder request =
        OutgoingRequest.of(Method.text(method), method)
            .authority("origin.example")
            .path(latin1("/path?q"))
            .fieldLines(latin1("Host: origin.example\r\nAccept: */*\r\n"))
            .expectContinue(expect)
            .upgrade(upgrade);
    return hasContent ? request.content(contentLength).build() : request.build();
  }

  /** Each line with CRLF behind it. */
  static String lines(String... lines) {
    return String.join("\r\n", lines) + "\r\n";
  }

  static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
