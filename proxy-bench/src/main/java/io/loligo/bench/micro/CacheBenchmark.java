package io.loligo.bench.micro;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.Reuse;
import io.loligo.core.caching.Storability;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.store.MemorySettings;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.packing.PackedAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What do the steps of the cache cost: making the key of a target, finding it in memory, deciding
 * whether what was found may be used, judging a new response, and finding in a memory that is full
 * while every fourth request brings something new?
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar CacheBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
public class CacheBenchmark extends AbstractBenchmark {
  private static final int OBJECTS = 1024;
  private static final int CONTENT_BYTES = 4096;
  private static final int INSERT_EVERY = 4;
  private static final String URL = "http://bench.example/articles/2004/01/story.html?page=2";
  private static final byte[] REQUEST =
      ("GET "
              + URL
              + " HTTP/1.1\r\nHost: bench.example\r\nAccept: */*\r\n"
              + "Accept-Encoding: gzip\r\nUser-Agent: bench\r\n\r\n")
          .getBytes(StandardCharsets.US_ASCII);
  private static final byte[] LINES =
      ("Date: Sat, 21 Nov 2026 06:28:38 GMT\r\nContent-Type: text/plain\r\n"
              + "Cache-Control: max-age=31536000\r\nETag: \"1\"\r\nServer: origin\r\n\r\n")
          .getBytes(StandardCharsets.US_ASCII);

  private final PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final RequestHead request = new RequestHead();
  private final ResponseHead response = new ResponseHead();
  private final RequestTarget target = new RequestTarget();
  private final KeyProbe probe = new KeyProbe();
  private final KeyProbe[] probes = new KeyProbe[OBJECTS];
  private final Fields none = new Fields(1);
  private final long now = System.currentTimeMillis();
  private CacheSettings settings;
  private TieredStore store;
  private Storability stored;
  private int next;
  private long made;

  @Setup
  public void assemble() throws IOException {
    ProxyConfig config =
        Objects.requireNonNull(
            Features.reader(new FileConfigSource())
                .readText("bench", "http_port 80\nhttp_access allow all\naccess_log none\n")
                .config());
    settings = new CacheSettings(config, DiskSettings.largestMaxSize(config));
    new Http1RequestParser(ParseLimits.DEFAULT).parse(REQUEST, REQUEST.length, request);
    byte[] answer =
        ("HTTP/1.1 200 OK\r\nContent-Length: "
                + CONTENT_BYTES
                + "\r\n"
                + new String(LINES, StandardCharsets.US_ASCII))
            .getBytes(StandardCharsets.US_ASCII);
    new Http1ResponseParser(ParseLimits.DEFAULT).parse(answer, answer.length, response);
    stored = storability();
    // room for all of them, and not for what is new
    store =
        new TieredStore(
            new PackedAllocator(allocator),
            new MemorySettings(8L << 20, 1 << 20, 64 << 20, 64 << 10, 64 << 10),
            DiskSettings.NONE,
            new MemoryLedger(64 << 20),
            Runnable::run);
    for (int i = 0; i < OBJECTS; i++) {
      probes[i] = new KeyProbe().append("http://bench.example/" + i).seal();
      fetch(probes[i].toKey());
    }
    if (target.resolve(request, "http", null, true) != null || !stored.storable()) {
      throw new IllegalStateException("refused");
    }
  }

  @TearDown
  public void close() {
    channel.finishAndReleaseAll();
    store.close();
  }

  private void fetch(CacheKey key) {
    InFlight fetch = store.begin(key, false, channel.eventLoop(), new NoWriter());
    assert fetch != null : "no memory";
    fetch.head(
        response, stored.meta(), true, allocator.directBuffer().writeBytes(LINES), CONTENT_BYTES);
    fetch.content(allocator.directBuffer(CONTENT_BYTES, CONTENT_BYTES).writerIndex(CONTENT_BYTES));
    fetch.end(null);
    channel.runPendingTasks();
  }

  @Benchmark
  public long key() {
    return CacheKeys.seal(probe, target).high();
  }

  @Benchmark
  public int find() {
    next = (next + 1) % OBJECTS;
    return find(probes[next]);
  }

  private int find(KeyProbe key) {
    Entry entry = store.find(key, none);
    if (entry == null) {
      return 0;
    }
    int bytes = entry.fieldsLength();
    entry.release();
    return bytes;
  }

  @Benchmark
  public int findUnderEviction() {
    next = (next + 1) % OBJECTS;
    if (next % INSERT_EVERY == 0) {
      fetch(probe.clear().append("http://bench.example/new/" + made++).seal().toKey());
    }
    return find(probes[next]);
  }

  @Benchmark
  public CacheDecision decide() {
    CacheDecision decision = Reuse.decide(now, request, false, stored.meta(), false, URL, settings);
    if (decision.outcome() != CacheDecision.Outcome.SERVE) {
      throw new IllegalStateException(decision.toString());
    }
    return decision;
  }

  @Benchmark
  public Storability storability() {
    return Storability.of(request, response, URL, now, now, CONTENT_BYTES, settings);
  }
}
