package io.loligo.server.downstream.http1;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Setting;
import io.loligo.core.http1.LimitDirectives;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.server.config.Configs;
import io.loligo.server.downstream.connection.ClientAddresses;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientDirectives;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.client.RequestHandler;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.Shed;
import io.loligo.server.record.Stage;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.transport.ScriptedChannel;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/** A client's connection, an exchange that follows a test's script, and a sink that keeps notes. */
final class ScriptedClient implements RequestHandler, AutoCloseable {
  static final HttpPort PORT = Configs.port("3128");
  static final InetAddress ADDRESS = NetUtil.createInetAddressFromIpAddressString("192.0.2.7");
  static final ParseLimits LIMITS = new ParseLimits(2_000, 1_000, 50, 100, 200);
  private static final ProxyConfig CONFIG =
      Configs.of("")
          .with(ClientDirectives.REQUEST_START_TIMEOUT, 5_000L)
          .with(ClientDirectives.REQUEST_TIMEOUT, 8_000L)
          .with(ClientDirectives.CLIENT_IDLE_PCONN_TIMEOUT, 3_000L)
          .with(TimeoutDirectives.READ_TIMEOUT, 20_000L)
          .with(TimeoutDirectives.WRITE_TIMEOUT, 10_000L)
          .with(ClientDirectives.MIN_REQUEST_RATE, 0)
          .with(ClientDirectives.MIN_ANSWER_RATE, 0)
          .with(LimitDirectives.REQUEST_HEADER_MAX_SIZE, LIMITS.maxHeadBytes())
          .with(LimitDirectives.MAX_URI_LENGTH, LIMITS.maxTargetBytes())
          .with(LimitDirectives.MAX_HEADER_FIELDS, LIMITS.maxFields())
          .with(LimitDirectives.MAX_CHUNK_EXTENSION, LIMITS.maxChunkExtensionBytes())
          .with(LimitDirectives.MAX_TRAILER, LIMITS.maxTrailerBytes());
  static final ClientSettings SETTINGS = new ClientSettings(CONFIG);

  /** Answers one request. */
  interface Script {
    ClientEvents answer(ClientStream stream, RequestHead head, long contentLength);
  }

  /** The content of a record when it was handed over. */
  record Note(
      String method,
      String target,
      String url,
      int status,
      boolean aborted,
      boolean timedOut,
      long clientBytesIn,
      long clientBytesOut,
      long clientHeadBytesOut,
      String errorDetail,
      String clientText,
      String portName,
      long connectNanos,
      long replyNanos,
      long totalNanos) {}

  /** Events of one exchange, noted. */
  static final class Events implements ClientEvents {
    final List<String> log = new ArrayList<>();
    ClientStream stream;
    boolean greedy;

    @Override
    public void content(ByteBuf content) {
      log.add("content " + content.toString(StandardCharsets.ISO_8859_1));
      content.release();
      if (greedy) {
        stream.readContent();
      }
    }

    @Override
    public void contentEnd(Fields trailers) {
      log.add("end" + (trailers == null ? "" : " " + trailers.count()));
    }

    @Override
    public void contentFailed(ParseFailure failure) {
      log.add("failed " + failure);
    }

    @Override
    public void writable() {
      log.add("writable");
    }

    @Override
    public void gone() {
      log.add("gone");
    }
  }

  final ScriptedChannel channel = new ScriptedChannel();
  final List<Note> notes = new ArrayList<>();
  final List<String> targets = new ArrayList<>();
  final List<ParseFailure> refusals = new ArrayList<>();
  final ArrayDeque<Script> scripts = new ArrayDeque<>();
  final ClientAddresses addresses = new ClientAddresses();
  final MemoryLedger transit = new MemoryLedger(1 << 20);
  final ClientConnections loop;
  final Http1Connection connection;
  long nanos = 1_000_000_000L;
  ClientStream stream;

  ScriptedClient() {
    this(SETTINGS);
  }

  ScriptedClient(ClientSettings settings) {
    TimeSource time =
        new TimeSource() {
          @Override
          public long nanos() {
            return nanos;
          }

          @Override
          public long millis() {
            return nanos / 1_000_000;
          }
        };
    loop =
        new ClientConnections(
            channel.eventLoop(),
            new LoopTimer(channel.eventLoop()),
            time,
            this,
            this::note,
            addresses,
            new ProxyMetrics(1).loop(0).connections(),
            transit,
            settings,
            0);
    connection =
        new Http1Connection(
            loop, new ListeningPort(PORT), (InetSocketAddress) channel.remoteAddress());
    channel.run(() -> channel.pipeline().addLast(connection));
  }

  /** The settings with another value of {@code setting}. */
  static <T> ClientSettings with(Setting<T> setting, T value) {
    return with(config -> config.with(setting, value));
  }

  static ClientSettings with(UnaryOperator<ProxyConfig> change) {
    return new ClientSettings(change.apply(CONFIG));
  }

  private void note(ExchangeRecord record) {
    notes.add(
        new Note(
            record.method,
            record.request == null ? null : record.request.target(),
            record.url,
            record.status,
            record.aborted,
            record.timedOut,
            record.clientBytesIn,
            record.clientBytesOut,
            record.clientHeadBytesOut,
            record.errorDetail,
            record.clientText,
            record.portName,
            record.stage(Stage.CLIENT_CONNECT),
            record.stage(Stage.PROXY_REPLY),
            record.stage(Stage.TOTAL)));
  }

  @Override
  public ClientEvents request(ClientStream stream, RequestHead head, long contentLength) {
    this.stream = stream;
    targets.add(head.target());
    Script script = scripts.isEmpty() ? ScriptedClient::ok : scripts.poll();
    return script.answer(stream, head, contentLength);
  }

  @Override
  public ClientEvents shed(ClientStream stream, long contentLength, Shed why) {
    stream.record().shed = why;
    stream.head(OutgoingHead.of(429, new FieldLines(8)).content(0, true));
    return null;
  }

  @Override
  public void refused(ClientStream stream, ParseFailure failure) {
    this.stream = stream;
    refusals.add(failure);
    stream.head(OutgoingHead.of(failure.status(), new FieldLines(8)).content(0, true));
  }

  @Override
  public void headTimedOut(ClientStream stream) {
    stream.head(OutgoingHead.of(408, new FieldLines(8)).content(0, true));
  }

  /** 200 with the request-target as content, from one block. */
  static ClientEvents ok(ClientStream stream, RequestHead head, long contentLength) {
    String content = head.target();
    block(stream, 200, "X: y\r\n\r\n" + content, content.length(), true);
    return null;
  }

  /** The same, and the connection is closed behind it. */
  static ClientEvents okAndClose(ClientStream stream, RequestHead head, long contentLength) {
    stream.closeAfter();
    return ok(stream, head, contentLength);
  }

  static void block(
      ClientStream stream, int status, String text, long contentLength, boolean last) {
    ByteBuf block = stream.allocator().directBuffer();
    block.writeZero(3);
    block.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    stream.head(
        OutgoingHead.of(status, new FieldLines(8))
            .block(block, 3, text.length())
            .content(contentLength, last));
    block.release();
  }

  static void head(ClientStream stream, int status, long contentLength, boolean last) {
    stream.head(
        OutgoingHead.of(status, new FieldLines(8).add("X", "y")).content(contentLength, last));
  }

  static ByteBuf bytes(ClientStream stream, String text) {
    ByteBuf out = stream.allocator().directBuffer(text.length());
    out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
    return out;
  }

  /** The next request is answered by calls from outside, while its events are noted. */
  Events later() {
    Events events = new Events();
    scripts.add(
        (stream, head, contentLength) -> {
          events.stream = stream;
          return events;
        });
    return events;
  }

  /** As {@link #later}, and reads the content as it comes. */
  Events laterReading() {
    Events events = new Events();
    events.greedy = true;
    scripts.add(
        (stream, head, contentLength) -> {
          events.stream = stream;
          stream.readContent();
          return events;
        });
    return events;
  }

  void run(Runnable action) {
    channel.run(action);
  }

  void poisonScratch() {
    Arrays.fill(RequestParsers.of(loop).bytes(), (byte) '!');
  }

  static String get(String target) {
    return "GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n";
  }

  static String reply(String target) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + target.length() + "\r\nX: y\r\n\r\n" + target;
  }

  /** Ends the connection and checks that nothing is left of it. */
  @Override
  public void close() {
    channel.discard();
    channel.pass(200);
    if (channel.usedBytes() != 0) {
      throw new AssertionError(channel.usedBytes() + " bytes of buffers were not released");
    }
    if (addresses.size() != 0 || loop.open() != 0) {
      throw new AssertionError("the connection is still counted");
    }
  }
}
