package io.loligo.bench.micro;

import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.Storability;
import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.downstream.ClientAddresses;
import io.loligo.server.downstream.ClientLoop;
import io.loligo.server.downstream.ClientSettings;
import io.loligo.server.downstream.ListeningPort;
import io.loligo.server.downstream.http1.Http1Connection;
import io.loligo.server.exchange.ExchangeLoop;
import io.loligo.server.exchange.ExchangeSettings;
import io.loligo.server.exchange.LoopClock;
import io.loligo.server.exchange.OwnAddresses;
import io.loligo.server.metrics.LoopMetrics;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.peer.PeerHealth;
import io.loligo.server.peer.PeerSelection;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.TimeSource;
import io.loligo.store.TieredStore;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.PacedExecutor;
import io.loligo.store.packing.PackedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What does one warm memory hit cost in time and heap, from the octets of the request to the octets
 * of the answer, without a socket? Metrics are counted; the access log is off. The embedded channel
 * and the copy of the request are part of the figure. Each thread is an event loop with a
 * connection of its own, all of them before one store: {@code -t 2} tells whether loops disturb
 * each other.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar HitPathBenchmark -prof gc
 * java -jar proxy-bench/target/benchmarks.jar HitPathBenchmark -p contentBytes=1024 -p fields=4 -t 2
 * </pre>
 */
@State(Scope.Thread)
public class HitPathBenchmark extends AbstractBenchmark {
  private static final String HOST = "http://bench.example";

  /** Field lines of the request besides Host. */
  @Param({"4", "32"})
  int fields;

  private EmbeddedChannel channel;
  private ByteBuf[] requests;
  private int next;

  /** What event loops share. */
  @State(Scope.Benchmark)
  public static class Shared {
    private static final int MAX_LOOPS = 64;

    /** As in the proxy. */
    private static final int MAINTENANCE_MILLIS = 5;

    /** Content of the stored responses. */
    @Param({"1024", "4096", "65536"})
    int contentBytes;

    /** Objects that are asked for in turn; with one, loops meet at its count of references. */
    @Param({"1"})
    int objects;

    private final ProxyMetrics metrics = new ProxyMetrics(MAX_LOOPS);
    private final ClientAddresses addresses = new ClientAddresses();
    private final AtomicInteger loops = new AtomicInteger();
    private final ScheduledExecutorService maintenance =
        Executors.newSingleThreadScheduledExecutor();
    private ProxyConfig config;
    private TieredStore store;

    @Setup
    public void fill() throws IOException {
      config =
          new ConfigReader(new FileConfigSource())
              .readText(
                  "bench",
                  "http_port 80 accel defaultsite=bench.example\n"
                      + "http_access allow all\naccess_log none\nvisible_hostname bench\n")
              .config();
      store =
          new TieredStore(
              new PackedAllocator(PooledByteBufAllocator.DEFAULT),
              config.memory(),
              config.disk(),
              new MemoryLedger(64 << 20),
              new PacedExecutor(
                  task -> maintenance.schedule(task, MAINTENANCE_MILLIS, TimeUnit.MILLISECONDS)));
      EmbeddedChannel loop = new EmbeddedChannel();
      for (int object = 0; object < objects; object++) {
        store(loop, HOST + path(object));
      }
      loop.finishAndReleaseAll();
    }

    private void store(EmbeddedChannel loop, String url) {
      RequestHead asked = new RequestHead();
      byte[] get =
          ("GET " + url + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
      new Http1RequestParser(ParseLimits.DEFAULT).parse(get, get.length, asked);
      String lines =
          "Date: Sat, 21 Nov 2026 06:28:38 GMT\r\nContent-Type: text/plain\r\n"
              + "Cache-Control: max-age=31536000\r\nETag: \"1\"\r\nServer: origin\r\n";
      byte[] answer =
          ("HTTP/1.1 200 OK\r\nContent-Length: " + contentBytes + "\r\n" + lines + "\r\n")
              .getBytes(StandardCharsets.US_ASCII);
      ResponseHead answered = new ResponseHead();
      new Http1ResponseParser(ParseLimits.DEFAULT).parse(answer, answer.length, answered);
      long now = System.currentTimeMillis();
      Storability stored =
          Storability.of(asked, answered, url, now, now, contentBytes, config.caching());
      InFlight inFlight = store.begin(CacheKeys.of(url), false, loop.eventLoop(), new NoWriter());
      ByteBuf block = PooledByteBufAllocator.DEFAULT.directBuffer();
      block.writeCharSequence(lines + "\r\n", StandardCharsets.US_ASCII);
      inFlight.head(answered.snapshot(), stored.meta(), true, block, contentBytes);
      inFlight.content(PooledByteBufAllocator.DEFAULT.directBuffer().writeZero(contentBytes));
      inFlight.end(null);
    }

    @TearDown
    public void close() {
      store.close();
      maintenance.shutdownNow();
    }
  }

  private static String path(int object) {
    return "/object" + object;
  }

  @Setup
  public void assemble(Shared shared) {
    channel = new EmbeddedChannel();
    channel.config().setAllocator(PooledByteBufAllocator.DEFAULT); // as the proxy's listeners do
    LoopTimer timer = new LoopTimer(channel.eventLoop());
    int number = shared.loops.getAndIncrement();
    LoopMetrics metrics = shared.metrics.loop(number);
    next = number * shared.objects / 2 % shared.objects; // not in step with each other
    ExchangeLoop exchanges =
        new ExchangeLoop(
            shared.store,
            new NoUpstream(),
            new PeerSelection(new PeerHealth(System::nanoTime)),
            new LoopClock(TimeSource.SYSTEM),
            timer,
            metrics.connections(),
            new OwnAddresses(Set.of(), Set.of(), Set.of(), Set.of()),
            ExchangeSettings.of(shared.config, "bench"));
    ClientLoop loop =
        new ClientLoop(
            channel.eventLoop(),
            timer,
            TimeSource.SYSTEM,
            exchanges,
            metrics,
            shared.addresses,
            metrics.connections(),
            shared.store.transit(),
            ClientSettings.of(shared.config));
    ListeningPort port = new ListeningPort(shared.config.ports().get(0));
    channel.pipeline().addLast(new Http1Connection(loop, port));
    requests = new ByteBuf[shared.objects];
    for (int object = 0; object < requests.length; object++) {
      requests[object] = PooledByteBufAllocator.DEFAULT.directBuffer();
      requests[object].writeCharSequence(requestText(object), StandardCharsets.US_ASCII);
    }
  }

  private String requestText(int object) {
    StringBuilder text =
        new StringBuilder("GET " + path(object) + " HTTP/1.1\r\nHost: bench.example\r\n");
    for (int i = 0; i < fields; i++) {
      text.append("X-Field-").append(i).append(": some value of a usual length\r\n");
    }
    return text.append("\r\n").toString();
  }

  @Benchmark
  public int hit(Shared shared) {
    ByteBuf request = requests[next];
    next = next + 1 == requests.length ? 0 : next + 1;
    channel.writeInbound(request.retainedDuplicate());
    channel.runPendingTasks();
    int octets = 0;
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      octets += out.readableBytes();
      out.release();
    }
    if (octets <= shared.contentBytes) {
      throw new IllegalStateException("no hit: " + octets + " octets");
    }
    return octets;
  }

  @TearDown
  public void close() {
    channel.finishAndReleaseAll();
    for (ByteBuf request : requests) {
      request.release();
    }
  }
}
