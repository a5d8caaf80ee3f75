package io.loligo.server.upstream.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.RequestForm;
import io.loligo.server.upstream.Settings;
import io.loligo.server.upstream.pool.ConnectionSettings;
import io.loligo.server.upstream.pool.Endpoint;
import io.loligo.server.upstream.pool.Lease;
import io.loligo.server.upstream.pool.PooledConnection;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A connection in memory on a virtual clock; nothing may be left behind. */
abstract class MultiplexedFixture {
  final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  final EmbeddedChannel channel = new EmbeddedChannel();
  final LoopTimer timer = new LoopTimer(channel.eventLoop());
  final MemoryLedger transit = new MemoryLedger(64 << 20);
  final Settings settings = new Settings();
  final Pool pool = new Pool();
  private StreamContext context;
  private final List<Lease> leases = new ArrayList<>();
  ServerEnd server;
  MultiplexedConnection connection;

  /** Notes what the connection says. */
  static final class Pool implements PooledConnection.Home {
    final List<ParseFailure> refused = new ArrayList<>();
    final List<String> said = new ArrayList<>();
    boolean keeps = true;

    @Override
    public void idle(PooledConnection connection) {
      said.add("idle");
      if (!keeps) {
        connection.close();
      }
    }

    @Override
    public void gone(PooledConnection connection) {
      said.add("gone");
    }

    @Override
    public void refused(ParseFailure failure) {
      refused.add(failure);
    }
  }

  @BeforeEach
  void freeze() {
    channel.freezeTime();
    channel.config().setAllocator(allocator);
  }

  /** A connection of the loop, which is not open yet. */
  final MultiplexedConnection connection() {
    if (context == null) {
      context = new StreamContext(channel.eventLoop(), timer, transit, settings.build());
    }
    return new MultiplexedConnection(
        context,
        Endpoint.clear(InetAddress.getLoopbackAddress(), 80),
        new ConnectionSettings(settings.build()),
        pool);
  }

  /** Opens the connection; the server says nothing yet. */
  void open() {
    connection = connection();
    channel.pipeline().addLast(connection);
    server = new ServerEnd(channel);
  }

  /** The same, and SETTINGS are exchanged. */
  void openSettled(int... serverSettings) {
    open();
    server.settings(serverSettings);
    assertThat(server.frames()).last().isEqualTo("SETTINGS ack");
  }

  @AfterEach
  void nothingIsLeftBehind() {
    leases.forEach(Lease::cancel);
    channel.finishAndReleaseAll();
    channel.runPendingTasks();
    assertThat(transit.used()).as("bytes in transit").isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("direct memory").isZero();
    assertThat(allocator.metric().usedHeapMemory()).as("heap memory").isZero();
  }

  Heard lease() {
    Lease lease = connection.lease();
    assertThat(lease).isNotNull();
    leases.add(lease);
    return new Heard(lease);
  }

  Heard get() {
    return lease().send(request(Method.GET, 0, false, false), RequestForm.DIRECT);
  }

  Heard post(long contentLength) {
    return lease().send(request(Method.POST, contentLength, true, false), RequestForm.DIRECT);
  }

  static OutgoingRequest request(
      int method, long contentLength, boolean hasContent, boolean expect) {
    OutgoingRequest.Builder request =
        OutgoingRequest.of(Method.text(method), method)
            .authority("origin.example")
            .path("/path?q".getBytes(ISO_8859_1))
            .fieldLines("Host: origin.example\r\nAccept: */*\r\n".getBytes(ISO_8859_1))
            .expectContinue(expect);
    return hasContent ? request.content(contentLength).build() : request.build();
  }

  ByteBuf bytes(String text) {
    return allocator.buffer().writeBytes(text.getBytes(ISO_8859_1));
  }

  void settle() {
    channel.runPendingTasks();
  }

  /** Lets time pass tick by tick. */
  void pass(long millis) {
    for (long left = millis; left > 0; left -= LoopTimer.TICK_MILLIS) {
      channel.advanceTimeBy(Math.min(left, LoopTimer.TICK_MILLIS), TimeUnit.MILLISECONDS);
      channel.runScheduledPendingTasks();
      settle();
    }
  }
}
