package io.loligo.server.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.Framing;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.MessageFraming;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.Waiting;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.rules.OwnAddresses;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.ExchangeSettings;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Question;
import io.loligo.server.helper.Helpers;
import io.loligo.server.hook.Hooks;
import io.loligo.server.manager.ManagerDesk;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.time.LoopClock;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.Upstream;
import io.loligo.server.upstream.route.PeerAsking;
import io.loligo.store.MemorySettings;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The real exchange code over a store, one event loop and a fake clock. Each request gets its
 * response at once. {@link #close} checks that no buffer leaks. Used by one thread.
 */
final class ExchangeFixture implements AutoCloseable {
  private static final int READ_BYTES = 50_000;

  /** Bytes that a client's connection queues before it stops being writable. */
  static final int HIGH_WATER_BYTES = 65_536;

  /** The limit of every wait, in seconds. No test depends on it. */
  private static final long GUARD_SECONDS = 30;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final DefaultEventLoop eventLoop = new DefaultEventLoop();
  private final ProxyConfig config;
  private final TieredStore store;
  private final RequestSteps loop;
  private final Origin origin = new Origin();

  /** The wall clock, in milliseconds since the epoch. */
  long nowMillis = 2_000_000_000_000L; // in the future: purges use the real clock

  /**
   * The origin's response: the whole head as text, or null to fail. Content may follow, complete or
   * truncated. If none follows, the content is zeros.
   */
  Function<OutgoingRequest, String> answers = request -> "HTTP/1.1 404 \r\n\r\n";

  /** The outcome of a request. */
  static final class Outcome {
    final ExchangeRecord record = new ExchangeRecord();

    /** The decision at the time of the first request to the origin; null if there was none. */
    CacheDecision whenAsked;

    /** The field lines of the response. */
    String head = "";

    final ByteArrayOutputStream content = new ByteArrayOutputStream();

    /** Why the response was cut; null if it was not. */
    String aborted;

    /** Why a complete response was cut; null if it was not. */
    String abortedLate;

    /** The bytes of content in each write. */
    final List<Integer> writes = new ArrayList<>();

    final CompletableFuture<Void> answered = new CompletableFuture<>();
    int asked;

    /** Whether the first request to the origin had a Range. */
    boolean rangeAsked;

    /** Whether the first request to the origin had a condition. */
    boolean conditionAsked;

    /** The number of entity tags in If-None-Match of the first request to the origin. */
    int tagsAsked;

    void end() {
      answered.complete(null);
    }
  }

  private Outcome running;

  /** The number of origin responses in progress. On the loop. */
  private int answering;

  /** Uses these configuration lines, and a forward {@code http_port} if they have none. */
  ExchangeFixture(String... lines) {
    String own = String.join("\n", lines) + "\n";
    String port = own.contains("http_port") ? "" : "http_port 3128\n";
    String text = port + "http_access allow all\n" + own;
    ConfigResult result = Features.reader(new FileConfigSource()).readText("test.conf", text);
    assertThat(result.errors()).isEmpty();
    config = result.config();
    try {
      store =
          new TieredStore(
              new PackedAllocator(allocator),
              MemorySettings.of(config),
              disk(DiskSettings.of(config)),
              new MemoryLedger(64 << 20),
              Runnable::run);
      store.open().join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    LoopTimer timer = new LoopTimer(eventLoop);
    loop =
        new RequestSteps(
            new LoopServices(
                store,
                origin,
                new PeerHealth(() -> 0),
                PeerAsking.NONE,
                new LoopClock(new Time()),
                timer,
                new ProxyMetrics(1).loop(0).connections(),
                new OwnAddresses(Set.of(), Set.of(), Set.of(), Set.of()),
                new Helpers((millis, task) -> {}, System::nanoTime),
                ManagerDesk.CLOSED,
                Hooks.NONE,
                null,
                new ExchangeSettings(config, "test")));
  }

  /** One thread and no time limit, so that each run does the same. */
  private static DiskSettings disk(DiskSettings configured) {
    return DiskSettings.with(configured.dirs())
        .meanObjectBytes(configured.meanObjectBytes())
        .threads(2)
        .writeQueueBytes(configured.writeQueueBytes())
        .loadTimeoutMillis(0)
        .build();
  }

  private final class Time implements TimeSource {
    @Override
    public long nanos() {
      return TimeUnit.MILLISECONDS.toNanos(nowMillis);
    }

    @Override
    public long millis() {
      return nowMillis;
    }
  }

  /** Explains {@code question}. */
  Explanation explain(Question question) {
    CompletableFuture<Explanation> explained = new CompletableFuture<>();
    call(() -> loop.explain(question, eventLoop, explained::complete));
    Explanation explanation = get(explained);
    settle();
    return explanation;
  }

  /** Purges {@code what}, and waits for the result. */
  void purge(Purge what) {
    CompletableFuture<Purged> purged = new CompletableFuture<>();
    call(() -> store.purge(what, eventLoop, purged::complete));
    assertThat(get(purged).outcome()).isEqualTo(Purged.Outcome.DONE);
    settle();
  }

  /** Sends {@code question}, and waits for the end of all work that it caused. */
  Outcome send(Question question) {
    Outcome outcome = begin(question, Integer.MAX_VALUE).outcome;
    get(outcome.answered);
    settle();
    assertThat(outcome.abortedLate).isNull();
    return outcome;
  }

  /** The bytes of content written to a client that takes {@code most} of them and then stops. */
  int given(Question question, int most) {
    Client client = begin(question, most);
    settle();
    assertThat(client.outcome.answered).as("all of it was given").isNotDone();
    int given = client.outcome.content.size();
    call(() -> client.events.gone());
    return given;
  }

  private Client begin(Question question, int most) {
    StringBuilder text = new StringBuilder();
    text.append(question.method()).append(' ').append(question.url()).append(" HTTP/1.1\r\n");
    text.append("Host: ").append(question.url().split("/", -1)[2]).append("\r\n");
    question.fieldLines().forEach(line -> text.append(line).append("\r\n"));
    byte[] bytes = text.append("\r\n").toString().getBytes(ISO_8859_1);
    RequestHead head = new RequestHead();
    assertThat(new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    Outcome outcome = new Outcome();
    Client client = new Client(outcome, port(question), question.content(), most);
    call(
        () -> {
          running = outcome;
          outcome.record.request = head;
          outcome.record.startMillis = nowMillis;
          outcome.record.client = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
          client.events = loop.request(client, head, MessageFraming.of(head).contentLength());
        });
    return client;
  }

  private HttpPort port(Question question) {
    return config.get(PortDirectives.HTTP_PORT).stream()
        .filter(port -> port.name().equals(question.portName()))
        .findFirst()
        .orElse(config.get(PortDirectives.HTTP_PORT).get(0));
  }

  private void call(Runnable task) {
    get(CompletableFuture.runAsync(task, eventLoop));
  }

  private static <T> T get(CompletableFuture<T> future) {
    try {
      return future.get(GUARD_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  /** Waits until the origin, the loop and the disk are idle. */
  private void settle() {
    settleLoop();
    if (!store.diskStats().isEmpty()) {
      until("the disk is idle", () -> store.diskStats().stream().allMatch(ExchangeFixture::isIdle));
      // a removal has ended when a later one has ended
      CompletableFuture<Purged> through = new CompletableFuture<>();
      store.purge(
          new Purge.Url(CacheKeys.of("http://nobody/"), false), eventLoop, through::complete);
      get(through);
      settleLoop();
    }
  }

  private static boolean isIdle(DiskStats disk) {
    return disk.queuedBytes() + disk.queueDepth() == 0;
  }

  private void settleLoop() {
    boolean[] busy = new boolean[1];
    until(
        "origin, loop and store are idle",
        () -> {
          call(
              () ->
                  busy[0] =
                      answering > 0
                          || eventLoop.pendingTasks() > 0
                          || store.stats().inFlight() > 0);
          return !busy[0];
        });
  }

  private static void until(String what, Callable<Boolean> state) {
    try {
      Waiting.until(what, state);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    settle();
    store.close();
    settleLoop();
    assertThat(allocator.metric().usedDirectMemory()).as("direct memory").isZero();
    eventLoop.shutdownGracefully(0, GUARD_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** A client that takes written bytes when they are flushed. */
  private final class Client implements ClientStream {
    private final Outcome outcome;
    private final HttpPort port;
    private ClientEvents events;
    private String unread;
    private int queued;

    /** The bytes of content that it still takes. */
    private int willing;

    Client(Outcome outcome, HttpPort port, String content, int willing) {
      this.willing = willing;
      this.outcome = outcome;
      this.port = port;
      this.unread = content;
    }

    @Override
    public EventLoop loop() {
      return eventLoop;
    }

    @Override
    public ByteBufAllocator allocator() {
      return allocator;
    }

    @Override
    public HttpPort port() {
      return port;
    }

    @Override
    public Destination destination() {
      return null;
    }

    @Override
    public void forwarded() {}

    @Override
    public ExchangeRecord record() {
      return outcome.record;
    }

    @Override
    public int clientConnections() {
      return 1;
    }

    @Override
    public int clientConnections(byte[] address) {
      return 0;
    }

    @Override
    public void interim(ResponseHead head, FieldLines own) {}

    @Override
    public void sendContinue() {}

    @Override
    public void closeAfter() {}

    @Override
    public void head(OutgoingHead head) {
      outcome.record.status = head.status();
      ByteBuf block = head.block();
      String more = block == null ? "" : block.toString(head.index(), head.length(), ISO_8859_1);
      outcome.head = new String(head.lines().toBytes(), ISO_8859_1) + more;
      queued += outcome.head.length();
      int end = outcome.head.indexOf("\r\n\r\n");
      if (block != null && end >= 0) {
        outcome.content.writeBytes(outcome.head.substring(end + 4).getBytes(ISO_8859_1));
      }
      if (head.last()) {
        outcome.end();
      }
    }

    @Override
    public void content(ByteBuf content) {
      byte[] bytes = new byte[content.readableBytes()];
      content.readBytes(bytes);
      outcome.content.writeBytes(bytes);
      content.release();
      queued += bytes.length;
    }

    @Override
    public void end(Fields trailers) {
      outcome.end();
    }

    @Override
    public void flush() {
      boolean full = !writable();
      int taken = Math.min(queued, willing);
      if (taken > 0) {
        outcome.writes.add(taken);
        queued -= taken;
        willing -= taken;
      }
      if (full && writable()) {
        eventLoop.execute(this::takeMore);
      }
    }

    private void takeMore() {
      if (!outcome.answered.isDone()) {
        events.writable();
      }
    }

    @Override
    public boolean writable() {
      return queued <= HIGH_WATER_BYTES;
    }

    @Override
    public void readContent() {
      eventLoop.execute(this::giveContent);
    }

    private void giveContent() {
      if (unread.isEmpty()) {
        events.contentEnd(null);
      } else {
        byte[] bytes = unread.getBytes(ISO_8859_1);
        unread = "";
        events.content(allocator.directBuffer(bytes.length).writeBytes(bytes));
      }
    }

    @Override
    public void failed(Throwable cause) {
      throw new AssertionError(cause);
    }

    @Override
    public void abort(String why) {
      if (outcome.answered.isDone()) {
        outcome.abortedLate = why + ", told " + events;
      } else {
        outcome.aborted = why;
        outcome.end();
      }
    }

    @Override
    public ByteStream detach() {
      throw new AssertionError("no tunnels here");
    }

    @Override
    public void tunnelBegun(Runnable end) {}

    @Override
    public void tunnelEnded(long bytesFromClient, long bytesToClient) {}
  }

  /** An origin that responds at once, with three bytes if there is content. */
  private final class Origin implements Upstream {
    @Override
    public OriginStream fetch(
        List<Hop> hops, OutgoingRequest request, AddressCheck check, OriginEvents events) {
      if (running.whenAsked == null) {
        running.whenAsked = running.record.decision;
        String lines = new String(request.fieldLines(), ISO_8859_1);
        running.conditionAsked =
            lines.contains("If-None-Match: ") || lines.contains("If-Modified-");
        running.rangeAsked = lines.contains("\r\nRange: ");
        int at = lines.indexOf("If-None-Match: ");
        running.tagsAsked =
            at < 0 ? 0 : lines.substring(at, lines.indexOf('\r', at)).split(", ", -1).length;
      }
      running.asked++;
      Answer answer = new Answer(request, events);
      answering++;
      eventLoop.execute(answer::begin);
      return answer;
    }

    @Override
    public OriginStream connect(
        List<Hop> hops, OutgoingConnect tunnel, AddressCheck check, OriginEvents events) {
      throw new AssertionError("no tunnels here");
    }

    @Override
    public OriginStream probe(Hop hop, AddressCheck check, OriginEvents events) {
      throw new AssertionError("no tunnels here");
    }

    @Override
    public void verify(
        TlsOptions options,
        String server,
        List<X509Certificate> chain,
        Consumer<List<TlsFault>> done) {
      throw new AssertionError("no tunnels here");
    }

    @Override
    public List<InetAddress> resolved(String host) {
      return List.of();
    }

    @Override
    public void resolve(String host, Consumer<List<InetAddress>> done) {
      done.accept(List.of());
    }
  }

  private final class Answer implements OriginStream {
    private final OutgoingRequest request;
    private final OriginEvents events;
    private final FetchTimings timings = new FetchTimings();
    private boolean over;
    private boolean hasContent;
    private byte[] bytes;
    private int at;
    private long due;

    Answer(OutgoingRequest request, OriginEvents events) {
      this.request = request;
      this.events = events;
    }

    void begin() {
      if (over) {
        return;
      }
      String text = answers.apply(request);
      if (text == null) {
        over();
        events.failed(new FetchFailure(FetchFailure.Kind.NO_ANSWER, "test"));
        return;
      }
      bytes = text.getBytes(ISO_8859_1);
      ResponseHead head = new ResponseHead();
      assertThat(new Http1ResponseParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
          .as(text)
          .isEqualTo(Http1ResponseParser.Result.COMPLETE);
      Framing framing = MessageFraming.of(head, request.methodId());
      assertThat(framing.failure()).isNull();
      hasContent = framing.kind() != Framing.Kind.NONE;
      at = head.end();
      due = framing.kind() == Framing.Kind.LENGTH ? framing.length() : 3;
      if (at == bytes.length && hasContent) {
        bytes = new byte[(int) due];
        at = 0;
      }
      events.head(head, framing.contentLength());
      if (!hasContent && !over) {
        end();
      }
    }

    private void over() {
      if (!over) {
        over = true;
        answering--;
      }
    }

    private void end() {
      over();
      events.end(null);
    }

    @Override
    public void read() {
      if (!over && hasContent) {
        eventLoop.execute(this::content);
      }
    }

    private void content() {
      if (over) {
        return;
      }
      int length = Math.min(READ_BYTES, bytes.length - at);
      at += length;
      due -= length;
      events.content(allocator.directBuffer(length).writeBytes(bytes, at - length, length));
      if (over) {
        return;
      }
      if (due == 0) {
        end();
      } else if (at == bytes.length) {
        over();
        events.failed(new FetchFailure(FetchFailure.Kind.TRUNCATED, "test"));
      } else {
        events.readComplete();
      }
    }

    @Override
    public void content(ByteBuf content) {
      content.release();
    }

    @Override
    public void endContent(Fields trailers) {}

    @Override
    public boolean writable() {
      return true;
    }

    @Override
    public void cancel() {
      over();
    }

    @Override
    public ByteStream detach() {
      throw new AssertionError("no tunnels here");
    }

    @Override
    public FetchTimings timings() {
      return timings;
    }
  }
}
