package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.record.HierarchyCode;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.transport.Sockets;
import io.loligo.server.transport.Transport;
import io.loligo.server.upstream.CountedConnections;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopHealth;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.PeerTokens;
import io.loligo.server.upstream.Settings;
import io.loligo.server.upstream.connect.SocketTransport;
import io.loligo.server.upstream.names.NameResolver;
import io.loligo.server.upstream.tls.OriginContexts;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ReflectiveChannelFactory;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Over real sockets on loopback: behaviour that only a kernel has. The test's thread is the origin.
 */
class SocketsTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  private static final int PATIENCE_SECONDS = 20;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final Semaphore noLongerIdle = new Semaphore(0);
  private final IdleWatch counted = new IdleWatch();
  private EventLoopGroup group;
  private EventLoop loop;
  private NettyUpstream upstream;
  private ServerSocket server;
  private Socket origin;

  private void start(Sockets kind) throws IOException {
    Transport transport = new Transport(kind, allocator);
    group = transport.newLoops(1, "sockets");
    loop = group.next();
    upstream =
        new NettyUpstream(
            loop,
            new SocketTransport(new ReflectiveChannelFactory<>(kind.socket()), allocator),
            new Loopback(),
            new LoopTimer(loop),
            new Settings().build(),
            OriginContexts.none(),
            new MemoryLedger(Long.MAX_VALUE / 2),
            HopHealth.NONE,
            counted,
            PeerTokens.NONE);
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void stop() throws Exception {
    if (group == null) {
      return;
    }
    onLoop(
        () -> {
          upstream.close();
          return null;
        });
    if (origin != null) {
      origin.close();
    }
    server.close();
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void usesAConnectionAgain(Sockets kind) throws Exception {
    start(kind);
    for (int i = 0; i < 3; i++) {
      Listening seen = fetch(AttemptFixture.get());
      if (origin == null) {
        origin = server.accept();
      }
      assertThat(requestHead()).startsWith("GET /path?q HTTP/1.1");
      say(OK);
      await(seen);
      assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    }
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void noticesThatAnIdleConnectionWasClosed(Sockets kind) throws Exception {
    start(kind);
    keepOne();
    noLongerIdle.drainPermits();
    origin.close();
    assertThat(noLongerIdle.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(onLoop(() -> counted.idle)).isZero();
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void closesAnIdleConnectionThatSendsSomething(Sockets kind) throws Exception {
    start(kind);
    keepOne();
    say("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n".repeat(10));
    assertThat(closedByProxy()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void relaysLargeContentAtTheReadersPace(Sockets kind) throws Exception {
    start(kind);
    Listening seen = new Listening();
    seen.reading = false;
    CountDownLatch head = new CountDownLatch(1);
    seen.onHead = head::countDown;
    fetch(seen, AttemptFixture.get());
    origin = server.accept();
    requestHead();
    int size = 16 << 20;
    CompletableFuture<Void> sending =
        CompletableFuture.runAsync(
            () -> {
              try {
                say("HTTP/1.1 200 OK\r\nContent-Length: " + size + "\r\n\r\n");
                origin.getOutputStream().write(new byte[size]);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    assertThat(head.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(onLoop(() -> allocator.metric().usedDirectMemory())).isLessThan(200_000);
    onLoop(
        () -> {
          seen.reading = true;
          seen.stream.read();
          return null;
        });
    sending.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    await(seen);
    assertThat(seen.content.length()).isEqualTo(size);
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void readsAnEarlyAnswerThoughTheOriginStopsReading(Sockets kind) throws Exception {
    start(kind);
    Listening seen = fetch(AttemptFixture.post(64 << 20));
    origin = server.accept();
    requestHead();
    say("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno");
    onLoop(
        () -> {
          ByteBuf some = allocator.directBuffer(1 << 20).writeZero(1 << 20);
          seen.stream.content(some);
          return null;
        });
    await(seen);
    assertThat(seen.events).endsWith("head 413 LENGTH", "end");
    assertThat(closedByProxy()).isTrue();
  }

  private static void count(CountDownLatch bytes, int arrived) {
    while (bytes.getCount() > 4 - arrived) {
      bytes.countDown();
    }
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void tellsAResetFromAnEnd(Sockets kind) throws Exception {
    start(kind);
    Listening seen = fetch(AttemptFixture.get());
    origin = server.accept();
    requestHead();
    CountDownLatch fourBytes = new CountDownLatch(4);
    onLoop(
        () -> {
          seen.onContent = () -> count(fourBytes, seen.content.length());
          return null;
        });
    say("HTTP/1.0 200 OK\r\n\r\nsome");
    assertThat(fourBytes.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    origin.setSoLinger(true, 0);
    origin.close();
    await(seen);
    assertThat(seen.events).containsExactly("head 200 UNTIL_CLOSE", "failed TRUNCATED");
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void reportsAClosedPort(Sockets kind) throws Exception {
    start(kind);
    server.close();
    Listening seen = fetch(AttemptFixture.get());
    await(seen);
    assertThat(seen.events).containsExactly("failed CONNECT_FAILED");
  }

  private void keepOne() throws Exception {
    Listening seen = fetch(AttemptFixture.get());
    origin = server.accept();
    requestHead();
    say(OK);
    await(seen);
    assertThat(onLoop(() -> counted.idle)).isEqualTo(1);
  }

  private Listening fetch(OutgoingRequest request) throws Exception {
    Listening seen = new Listening();
    fetch(seen, request);
    return seen;
  }

  private void fetch(Listening seen, OutgoingRequest request) throws Exception {
    Hop hop = new Hop.Direct("origin.example", server.getLocalPort(), HierarchyCode.HIER_DIRECT);
    onLoop(
        () -> {
          seen.stream = upstream.fetch(List.of(hop), request, (address, port) -> null, seen);
          return null;
        });
  }

  private static void await(Listening seen) throws InterruptedException {
    assertThat(seen.done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("over").isTrue();
  }

  private String requestHead() throws IOException {
    InputStream in = origin.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      assertThat(next).as("byte after: %s", head).isNotNegative();
      head.append((char) next);
    }
    return head.toString();
  }

  private void say(String latin1) throws IOException {
    origin.getOutputStream().write(latin1.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Waits for the connection's end. */
  private boolean closedByProxy() throws IOException {
    origin.setSoTimeout(PATIENCE_SECONDS * 1_000);
    byte[] sink = new byte[65_536];
    try {
      for (int read = 0; read >= 0; ) {
        read = origin.getInputStream().read(sink);
      }
      return true;
    } catch (SocketException reset) {
      return true;
    }
  }

  private <T> T onLoop(Callable<T> call) throws Exception {
    return loop.submit(call).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Every name is loopback. */
  private static final class Loopback implements NameResolver {
    @Override
    public List<InetAddress> known(String host) {
      return List.of(InetAddress.getLoopbackAddress());
    }

    @Override
    public void resolve(String host, Listener listener) {
      throw new AssertionError(host);
    }
  }

  private final class IdleWatch extends CountedConnections {
    @Override
    public void idle(int change) {
      super.idle(change);
      if (change < 0) {
        noLongerIdle.release();
      }
    }
  }
}
