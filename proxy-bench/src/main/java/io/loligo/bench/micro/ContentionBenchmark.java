package io.loligo.bench.micro;

import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.Storability;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.accesslog.AccessLog;
import io.loligo.server.accesslog.LogSettings;
import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.store.MemoryDirectives;
import io.loligo.store.MemorySettings;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Do event loops disturb each other where they share something: packed memory, a ledger, the
 * catalogue of a cache_dir, the access log, one hot stored response? Each thread is an event loop.
 * {@code stripes=one} has one place for all threads, as it was before ADR 13. {@code stripes=each}
 * has a place for each thread, or 16 stripes in the catalogue. {@code blocked} and {@code parked}
 * count how often the threads had to wait for a monitor or a lock.
 *
 * <pre>
 * for t in 1 2 8 16; do
 *   java -jar proxy-bench/target/benchmarks.jar ContentionBenchmark -t $t
 * done
 * </pre>
 */
@State(Scope.Benchmark)
public class ContentionBenchmark extends AbstractBenchmark {
  private static final int CONTENT_BYTES = 4096;

  private static ProxyConfig config(String log) throws IOException {
    return Objects.requireNonNull(
        Features.reader(new FileConfigSource())
            .readText("bench", "http_port 80\nhttp_access allow all\naccess_log " + log + "\n")
            .config());
  }

  private static Stripes stripes(String wanted, ThreadParams threads) {
    return wanted.equals("one") ? Stripes.ONE : new Stripes(threads.getThreadCount());
  }

  private static void enter(Stripes stripes, ThreadParams threads) {
    if (stripes != Stripes.ONE) {
      stripes.enter(threads.getThreadIndex());
    }
  }

  /** How often the calling thread waited in this iteration. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Waits {
    private long blockedBefore;
    private long parkedBefore;

    private static ThreadInfo thread() {
      return ManagementFactory.getThreadMXBean().getThreadInfo(Thread.currentThread().getId());
    }

    @Setup(Level.Iteration)
    public void begin() {
      blockedBefore = thread().getBlockedCount();
      parkedBefore = thread().getWaitedCount();
    }

    /** How often the thread was blocked by a monitor in this iteration. */
    public long blocked() {
      return thread().getBlockedCount() - blockedBefore;
    }

    /** How often the thread was parked, for a lock, in this iteration. */
    public long parked() {
      return thread().getWaitedCount() - parkedBefore;
    }
  }

  // Packed memory

  /** Blocks of stored responses. */
  @State(Scope.Benchmark)
  public static class Memory {
    /** So many that there is an arena for each stripe. */
    private static final long EXPECTED_BYTES = 64L << 30;

    private static final int HELD = 1 << 14;

    @Param({"one", "each"})
    String stripes;

    private Stripes numbers;
    private PackedAllocator allocator;
    private AtomicReferenceArray<ByteBuf> held;

    @Setup
    public void fill(ThreadParams threads) {
      numbers = stripes(stripes, threads);
      allocator = new PackedAllocator(PooledByteBufAllocator.DEFAULT, numbers, EXPECTED_BYTES);
      held = new AtomicReferenceArray<>(HELD);
      for (int i = 0; i < HELD; i++) {
        held.set(i, allocator.directBuffer(CONTENT_BYTES, CONTENT_BYTES));
      }
    }

    @TearDown
    public void release() {
      for (int i = 0; i < HELD; i++) {
        held.get(i).release();
      }
    }
  }

  /** One thread, which takes the part of an event loop that uses {@link Memory}. */
  @State(Scope.Thread)
  public static class MemoryLoop {
    private SplittableRandom random;

    @Setup
    public void begin(Memory memory, ThreadParams threads) {
      enter(memory.numbers, threads);
      random = new SplittableRandom(threads.getThreadIndex());
    }
  }

  /** Cuts a block, and gives back one that any thread has cut, as an eviction does. */
  @Benchmark
  public boolean allocator(Memory memory, MemoryLoop loop, Waits waits) {
    ByteBuf block = memory.allocator.directBuffer(CONTENT_BYTES, CONTENT_BYTES);
    return memory.held.getAndSet(loop.random.nextInt(Memory.HELD), block).release();
  }

  // A ledger

  /** A budget. */
  @State(Scope.Benchmark)
  public static class Ledger {
    private static final long LIMIT_BYTES = 1L << 30;

    @Param({"one", "each"})
    String stripes;

    private Stripes numbers;
    private MemoryLedger ledger;

    @Setup
    public void make(ThreadParams threads) {
      numbers = stripes(stripes, threads);
      ledger = new MemoryLedger(LIMIT_BYTES, numbers);
    }
  }

  /** One thread, which takes the part of an event loop that uses the ledger. */
  @State(Scope.Thread)
  public static class LedgerLoop {
    @Setup
    public void begin(Ledger ledger, ThreadParams threads) {
      enter(ledger.numbers, threads);
    }
  }

  /** Enters what a fetch reserves and strikes it out. */
  @Benchmark
  public boolean ledger(Ledger ledger, LedgerLoop loop, Waits waits) {
    boolean entered = ledger.ledger.tryReserve(CONTENT_BYTES);
    ledger.ledger.release(CONTENT_BYTES);
    return entered;
  }

  // The catalogue of a cache_dir

  /** The catalogue of a cache_dir. */
  @State(Scope.Benchmark)
  public static class Index {
    @Param({"one", "each"})
    String stripes;

    private CatalogueLoad catalogue;
    private Path temp;

    @Setup
    public void fill() throws IOException {
      temp = Files.createTempDirectory("loligo-contention");
      catalogue = new CatalogueLoad(temp, !stripes.equals("one"));
    }

    @TearDown
    public void close() throws IOException {
      catalogue.close();
      List<Path> files;
      try (Stream<Path> walk = Files.walk(temp)) {
        files = walk.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path file : files) {
        Files.delete(file);
      }
    }
  }

  /** One thread, which takes the part of an event loop; it changes only responses of its own. */
  @State(Scope.Thread)
  public static class IndexLoop {
    private SplittableRandom random;
    private CatalogueLoad.Changer changer;

    @Setup
    public void begin(Index index, ThreadParams threads) {
      random = new SplittableRandom(threads.getThreadIndex());
      int share = CatalogueLoad.OBJECTS / threads.getThreadCount();
      int from = threads.getThreadIndex() * share;
      changer = index.catalogue.changer(from, from + share);
    }
  }

  /** Looks for any response. */
  @Benchmark
  public int catalogueLook(Index index, IndexLoop loop, Waits waits) {
    return index.catalogue.look(loop.random.nextInt(CatalogueLoad.OBJECTS));
  }

  /** Replaces a response. */
  @Benchmark
  public boolean catalogueChange(Index index, IndexLoop loop, Waits waits) {
    return loop.changer.change();
  }

  // The access log

  /** A log for all loops, and one writer. */
  @State(Scope.Benchmark)
  public static class Log {
    private AccessLog log;

    @Setup
    public void open(ThreadParams threads) throws IOException {
      log =
          AccessLog.open(
              new LogSettings(config("stdio:/dev/null squid")), threads.getThreadCount(), () -> {});
    }

    @TearDown
    public void close() {
      log.close();
    }
  }

  /** One thread, which takes the part of an event loop that writes to the log. */
  @State(Scope.Thread)
  public static class LogLoop {
    private static final byte[] REQUEST =
        "GET http://bench.example/story.html HTTP/1.1\r\nHost: bench.example\r\n\r\n"
            .getBytes(StandardCharsets.US_ASCII);

    private ExchangeRecord record;
    private ExchangeSink sink;

    @Setup
    public void begin(Log log, ThreadParams threads) {
      sink = log.log.loop(threads.getThreadIndex());
      record = SampleExchange.hit(REQUEST, CONTENT_BYTES);
    }
  }

  /** Composes a line and puts it into the ring of the loop; a full ring drops it. */
  @Benchmark
  public void logLine(Log log, LogLoop loop, Waits waits) {
    loop.record.endMillis++;
    loop.sink.finished(loop.record);
  }

  // A hot stored response

  /** One stored response. */
  @State(Scope.Benchmark)
  public static class Hot {
    private static final String URL = "http://bench.example/hot";
    private static final int HOT_BYTES = 32 << 10;

    @Param({"one", "each"})
    String stripes;

    private final PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    private final Fields none = new Fields(1);
    private Stripes numbers;
    private TieredStore store;

    @Setup
    public void fill(ThreadParams threads) throws IOException {
      numbers = stripes(stripes, threads);
      ProxyConfig config = config("none");
      store =
          new TieredStore(
              new PackedAllocator(allocator, numbers, config.get(MemoryDirectives.CACHE_MEM)),
              MemorySettings.of(config),
              DiskSettings.NONE,
              new MemoryLedger(64 << 20, numbers),
              Runnable::run);
      EmbeddedChannel loop = new EmbeddedChannel();
      RequestHead asked = new RequestHead();
      byte[] get =
          ("GET " + URL + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
      new Http1RequestParser(ParseLimits.DEFAULT).parse(get, get.length, asked);
      ResponseHead answered = SampleAnswer.head(HOT_BYTES);
      long now = System.currentTimeMillis();
      Storability stored =
          Storability.of(
              asked,
              answered,
              URL,
              now,
              now,
              HOT_BYTES,
              new CacheSettings(config, DiskSettings.largestMaxSize(config)));
      InFlight fetch =
          store.begin(
              Objects.requireNonNull(CacheKeys.of(URL)), false, loop.eventLoop(), new NoWriter());
      assert fetch != null : "no memory";
      ByteBuf fields = allocator.directBuffer();
      fields.writeCharSequence(SampleAnswer.LINES + "\r\n", StandardCharsets.US_ASCII);
      fetch.head(answered.snapshot(), stored.meta(), true, fields, HOT_BYTES);
      fetch.content(allocator.directBuffer().writeZero(HOT_BYTES));
      fetch.end(null);
      loop.runPendingTasks();
      loop.finishAndReleaseAll();
    }

    @TearDown
    public void close() {
      store.close();
    }

    private Entry find(HotLoop loop) {
      Entry entry = store.find(loop.probe, none);
      assert entry != null : "it is stored";
      entry.hit();
      return entry;
    }
  }

  /** A loop whose clients all ask for it. */
  @State(Scope.Thread)
  public static class HotLoop {
    private KeyProbe probe;

    @Setup
    public void begin(Hot hot, ThreadParams threads) {
      enter(hot.numbers, threads);
      probe = new KeyProbe().append(Hot.URL).seal();
    }
  }

  /** Finds it, counts the hit and lets go of it. */
  @Benchmark
  public int hotEntry(Hot hot, HotLoop loop, Waits waits) {
    Entry entry = hot.find(loop);
    int length = entry.fieldsLength();
    entry.release();
    return length;
  }

  /** The same, and holds its content, as a hit does that is written from where it lies. */
  @Benchmark
  public boolean hotContent(Hot hot, HotLoop loop, Waits waits) {
    Entry entry = hot.find(loop);
    ByteBuf content = entry.retainedContent(0, Hot.HOT_BYTES);
    entry.release();
    return content.release();
  }
}
