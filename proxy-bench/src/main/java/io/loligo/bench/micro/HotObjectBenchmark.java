package io.loligo.bench.micro;

import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.Storability;
import io.loligo.core.config.ConfigReader;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.store.TieredStore;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * What does it cost to find a stored response, to count the hit and to let go of it, while all
 * event loops do so with the same one? With one count for all, and with references that are spread
 * where loops contend. {@code findAndRetainContent} also holds a part of the content, as a hit does
 * whose content is written from where it lies.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar HotObjectBenchmark -t 1
 * java -jar proxy-bench/target/benchmarks.jar HotObjectBenchmark -t 8
 * java -jar proxy-bench/target/benchmarks.jar HotObjectBenchmark -t 16
 * java -jar proxy-bench/target/benchmarks.jar HotObjectBenchmark -t 8 -p objects=1024
 * </pre>
 */
@State(Scope.Benchmark)
public class HotObjectBenchmark extends AbstractBenchmark {
  private static final String HOST = "http://bench.example/";
  private static final int CONTENT_BYTES = 32 << 10;

  /** Objects that are asked for in turn; with more than one, loops seldom meet. */
  @Param("1")
  int objects;

  @Param({"one", "each"})
  String stripes;

  private final PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
  private final Fields none = new Fields(1);
  private Stripes numbers;
  private TieredStore store;

  @Setup
  public void fill(ThreadParams threads) throws IOException {
    numbers = LoopNumbers.of(stripes, threads);
    ProxyConfig config =
        new ConfigReader(new FileConfigSource())
            .readText("bench", "http_port 80\nhttp_access allow all\naccess_log none\n")
            .config();
    store =
        new TieredStore(
            new PackedAllocator(allocator, numbers, config.memory().cacheBytes()),
            config.memory(),
            ProxyConfig.Disk.NONE,
            new MemoryLedger(64 << 20, numbers),
            Runnable::run);
    EmbeddedChannel loop = new EmbeddedChannel();
    for (int object = 0; object < objects; object++) {
      put(loop, HOST + object, config);
    }
    loop.finishAndReleaseAll();
  }

  private void put(EmbeddedChannel loop, String url, ProxyConfig config) {
    RequestHead asked = new RequestHead();
    byte[] get =
        ("GET " + url + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
    new Http1RequestParser(ParseLimits.DEFAULT).parse(get, get.length, asked);
    ResponseHead answered = SampleAnswer.head(CONTENT_BYTES);
    long now = System.currentTimeMillis();
    Storability stored =
        Storability.of(asked, answered, url, now, now, CONTENT_BYTES, config.caching());
    InFlight fetch = store.begin(CacheKeys.of(url), false, loop.eventLoop(), new NoWriter());
    ByteBuf fields = allocator.directBuffer();
    fields.writeCharSequence(SampleAnswer.LINES + "\r\n", StandardCharsets.US_ASCII);
    fetch.head(answered.snapshot(), stored.meta(), true, fields, CONTENT_BYTES);
    fetch.content(allocator.directBuffer().writeZero(CONTENT_BYTES));
    fetch.end(null);
    loop.runPendingTasks();
  }

  @TearDown
  public void close() {
    store.close();
  }

  /** An event loop. */
  @State(Scope.Thread)
  public static class Loop {
    private KeyProbe[] probes;
    private int next;

    @Setup
    public void begin(HotObjectBenchmark shared, ThreadParams threads) {
      LoopNumbers.enter(shared.numbers, threads);
      probes = new KeyProbe[shared.objects];
      for (int object = 0; object < shared.objects; object++) {
        probes[object] = new KeyProbe().append(HOST + object).seal();
      }
      next = threads.getThreadIndex() * shared.objects / threads.getThreadCount();
    }

    private KeyProbe next() {
      next = next + 1 >= probes.length ? 0 : next + 1;
      return probes[next];
    }
  }

  private Entry found(Loop loop) {
    Entry entry = store.find(loop.next(), none);
    if (entry == null) {
      throw new IllegalStateException("not found");
    }
    entry.hit();
    return entry;
  }

  @Benchmark
  public int find(Loop loop) {
    Entry entry = found(loop);
    int length = entry.fieldsLength();
    entry.release();
    return length;
  }

  @Benchmark
  public boolean findAndRetainContent(Loop loop) {
    Entry entry = found(loop);
    ByteBuf content = entry.retainedContent(0, CONTENT_BYTES);
    entry.release();
    return content.release();
  }
}
