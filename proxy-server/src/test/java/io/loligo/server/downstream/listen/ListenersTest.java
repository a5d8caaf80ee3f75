package io.loligo.server.downstream.listen;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.server.config.Configs;
import io.loligo.server.downstream.connection.ClientAddresses;
import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.downstream.connection.Protocols;
import io.loligo.server.downstream.http1.Http1Connection;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.client.RequestHandler;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Shed;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.loligo.server.transport.InheritedSockets;
import io.loligo.server.transport.Sockets;
import io.loligo.server.transport.Transport;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Real sockets on the loopback interface. */
@Timeout(120)
class ListenersTest {
  private static final int CONTENT_BYTES = 16_000_000;
  private static final String LINES =
      """
      client_lifetime 0 seconds
      loligo_min_request_rate 0 bytes
      loligo_min_answer_rate 0 bytes
      """;

  private final BlockingQueue<String> records = new LinkedBlockingQueue<>();
  private final BlockingQueue<ClientStream> waiting = new ArrayBlockingQueue<>(10);
  private final BlockingQueue<String> gone = new LinkedBlockingQueue<>();
  private final List<ClientConnections> loops = new ArrayList<>();
  private Protocols.Protocol protocol = Http1Connection::new;
  private InheritedSockets inherited = InheritedSockets.none();
  private EventLoopGroup group;
  private Listeners listeners;
  private InetSocketAddress address;

  @AfterEach
  void stop() {
    listeners.stop();
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private void start(Sockets sockets) throws IOException {
    Transport transport = new Transport(sockets, PooledByteBufAllocator.DEFAULT);
    group = transport.newLoops(2, "test-" + sockets);
    ClientAddresses addresses = new ClientAddresses();
    ClientSettings settings = new ClientSettings(Configs.of(LINES));
    for (EventExecutor loop : group) {
      loops.add(
          new ClientConnections(
              (EventLoop) loop,
              new LoopTimer(loop),
              TimeSource.SYSTEM,
              new Answers(),
              this::note,
              addresses,
              new ProxyMetrics(1).loop(0).connections(),
              new MemoryLedger(Long.MAX_VALUE / 2),
              settings,
              0));
    }
    listeners =
        new Listeners(
            transport,
            group,
            loops,
            () -> true,
            new Protocols(Map.of(), protocol),
            null,
            inherited);
    address = listeners.bind(port(0)).address();
  }

  private static HttpPort port(int number) {
    return Configs.port("127.0.0.1:" + number + " name=test tcpkeepalive=30,5,12");
  }

  private void note(ExchangeRecord record) {
    records.add(
        record.method + ' ' + record.status + ' ' + record.clientBytesOut + ' ' + record.aborted);
  }

  private final class Answers implements RequestHandler, ClientEvents {
    @Override
    public ClientEvents request(ClientStream stream, RequestHead head, long contentLength) {
      String target = head.target();
      if (target.equals("/wait")) {
        waiting.add(stream);
        return this;
      }
      if (target.equals("/large")) {
        stream.head(OutgoingHead.of(200, new FieldLines(0)).content(CONTENT_BYTES, false));
        stream.content(stream.allocator().directBuffer(CONTENT_BYTES).writeZero(CONTENT_BYTES));
        stream.end(null);
      } else {
        ScriptedBlock.send(stream, target);
      }
      return null;
    }

    @Override
    public ClientEvents shed(ClientStream stream, long contentLength, Shed why) {
      throw new AssertionError(why);
    }

    @Override
    public void refused(ClientStream stream, ParseFailure failure) {
      stream.head(OutgoingHead.of(failure.status(), new FieldLines(0)).content(0, true));
    }

    @Override
    public void headTimedOut(ClientStream stream) {
      throw new AssertionError();
    }

    @Override
    public void content(ByteBuf content) {
      content.release();
    }

    @Override
    public void contentEnd(Fields trailers) {}

    @Override
    public void contentFailed(ParseFailure failure) {}

    @Override
    public void writable() {}

    @Override
    public void gone() {
      gone.add("gone");
    }
  }

  private static final class ScriptedBlock {
    static void send(ClientStream stream, String content) {
      ByteBuf block = stream.allocator().directBuffer();
      block.writeCharSequence("\r\n" + content, ISO_8859_1);
      stream.head(
          OutgoingHead.of(200, new FieldLines(0))
              .block(block, 0, content.length() + 2)
              .content(content.length(), true));
      block.release();
    }
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), address.getPort());
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(ISO_8859_1));
  }

  private static String get(String target) {
    return "GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n";
  }

  private static String reply(String target) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + target.length() + "\r\n\r\n" + target;
  }

  private static String read(Socket socket, int bytes) throws IOException {
    return new String(socket.getInputStream().readNBytes(bytes), ISO_8859_1);
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void servesRequestsOverASocket(Sockets sockets) throws Exception {
    start(sockets);
    try (Socket socket = connect()) {
      for (String target : List.of("/a", "/bb")) {
        send(socket, get(target));
        assertThat(read(socket, reply(target).length())).isEqualTo(reply(target));
      }
      socket.shutdownOutput();
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
    assertThat(records.take()).isEqualTo("GET 200 " + reply("/a").length() + " false");
    assertThat(loops.stream().mapToLong(ClientConnections::accepted).sum()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void answersAClientThatShutItsOutput(Sockets sockets) throws Exception {
    start(sockets);
    try (Socket socket = connect()) {
      send(socket, get("/wait"));
      socket.shutdownOutput();
      ClientStream stream = waiting.take();
      stream.loop().execute(() -> ScriptedBlock.send(stream, "x"));
      assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1))
          .isEqualTo(reply("x"));
    }
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void countsTheBytesOfALargeAnswer(Sockets sockets) throws Exception {
    start(sockets);
    try (Socket socket = connect()) {
      send(socket, get("/large"));
      int head = "HTTP/1.1 200 OK\r\nContent-Length: 16000000\r\n\r\n".length();
      assertThat(read(socket, head + CONTENT_BYTES)).hasSize(head + CONTENT_BYTES);
      assertThat(records.take()).isEqualTo("GET 200 " + (head + CONTENT_BYTES) + " false");
    }
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void countsBytesThatTheKernelTookOfACutResponse(Sockets sockets) throws Exception {
    start(sockets);
    Socket socket = new Socket();
    socket.setReceiveBufferSize(8_192);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort()));
    send(socket, get("/large"));
    assertThat(read(socket, 100)).hasSize(100);
    socket.setSoLinger(true, 0);
    socket.close();
    Matcher record = Pattern.compile("GET 200 ([0-9]+) true").matcher(records.take());
    assertThat(record.matches()).isTrue();
    assertThat(Long.parseLong(record.group(1))).isBetween(100L, (long) CONTENT_BYTES);
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void noticesAResetWhileTheAnswerIsAwaited(Sockets sockets) throws Exception {
    start(sockets);
    Socket socket = connect();
    send(socket, get("/wait"));
    waiting.take();
    socket.setSoLinger(true, 0);
    socket.close();
    assertThat(gone.take()).isEqualTo("gone");
    assertThat(records.take()).isEqualTo("GET 0 0 true");
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void aRefusedClientSeesTheAnswerThoughItGoesOnSending(Sockets sockets) throws Exception {
    start(sockets);
    try (Socket socket = connect()) {
      send(socket, "BAD\r\n\r\n");
      String answer = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      assertThat(records.take()).isEqualTo("- 400 " + answer.length() + " false");
      send(socket, "x".repeat(100_000));
      socket.shutdownOutput();
      assertThat(new String(socket.getInputStream().readAllBytes(), ISO_8859_1)).isEqualTo(answer);
    }
  }

  /** A connection of which only the channel is looked at. */
  private static final class Idle extends ClientConnection {
    private final BlockingQueue<Channel> channels;

    Idle(
        ClientConnections connections,
        ListeningPort listening,
        InetSocketAddress client,
        BlockingQueue<Channel> channels) {
      super(connections, listening, client);
      this.channels = channels;
    }

    @Override
    protected void attached() {
      channels.add(channel());
    }

    @Override
    protected void opened() {}

    @Override
    protected void refused() {}

    @Override
    protected void gone() {}

    @Override
    protected void releaseOwn() {}

    @Override
    protected void breakOff(boolean timedOut) {}

    @Override
    protected void drain() {}

    @Override
    protected boolean tunnels() {
      return false;
    }
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  @EnabledOnOs(OS.LINUX)
  void acceptedConnectionsAreProbedAsTheLineSays(Sockets sockets) throws Exception {
    BlockingQueue<Channel> channels = new LinkedBlockingQueue<>();
    protocol = (loop, listening, client) -> new Idle(loop, listening, client, channels);
    start(sockets);
    try (Socket socket = connect()) {
      ChannelConfig config = channels.take().config();
      assertThat(config.getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
      assertThat(
              config.getOption(
                  switch (sockets) {
                    case EPOLL -> EpollChannelOption.TCP_KEEPIDLE;
                    case IO_URING -> IoUringChannelOption.TCP_KEEPIDLE;
                    case NIO -> NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE);
                  }))
          .isEqualTo(30);
      assertThat(
              config.getOption(
                  switch (sockets) {
                    case EPOLL -> EpollChannelOption.TCP_KEEPINTVL;
                    case IO_URING -> IoUringChannelOption.TCP_KEEPINTVL;
                    case NIO -> NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL);
                  }))
          .isEqualTo(5);
      // 12 seconds without an answer are three probes
      assertThat(
              config.getOption(
                  switch (sockets) {
                    case EPOLL -> EpollChannelOption.TCP_KEEPCNT;
                    case IO_URING -> IoUringChannelOption.TCP_KEEPCNT;
                    case NIO -> NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT);
                  }))
          .isEqualTo(3);
      assertThat(socket.isConnected()).isTrue();
    }
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void aPortInUseIsAnErrorThatNamesTheLine(Sockets sockets) throws Exception {
    start(sockets);
    assertThatThrownBy(() -> listeners.bind(port(address.getPort())))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("test.conf:4")
        .hasMessageContaining("test");
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void drainClosesIdleConnectionsAndWaitsForTheOthers(Sockets sockets) throws Exception {
    start(sockets);
    try (Socket idle = connect();
        Socket busy = connect()) {
      send(idle, get("/a"));
      assertThat(read(idle, reply("/a").length())).isEqualTo(reply("/a"));
      send(busy, get("/wait"));
      ClientStream stream = waiting.take();
      CompletableFuture<Void> done = listeners.drain(60_000, 60_000);
      assertThat(idle.getInputStream().read()).isEqualTo(-1);
      idle.shutdownOutput();
      assertThat(done).isNotDone();
      stream.loop().execute(() -> ScriptedBlock.send(stream, "x"));
      assertThat(new String(busy.getInputStream().readAllBytes(), ISO_8859_1))
          .isEqualTo("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
      busy.shutdownOutput(); // the proxy waits for that
      done.get(60, TimeUnit.SECONDS);
      assertThat(listeners.bound()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("io.loligo.server.transport.AvailableSockets#all")
  void drainClosesRemainingConnectionsAtTheDeadline(Sockets sockets) throws Exception {
    start(sockets);
    try (Socket busy = connect()) {
      send(busy, get("/wait"));
      waiting.take();
      listeners.drain(50, 50).get(60, TimeUnit.SECONDS);
      assertThat(records.take()).isEqualTo("GET 0 0 true");
    }
  }
}
