package io.loligo.bench.micro;

import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.KeyProbe;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.store.MemorySettings;
import io.loligo.store.Store;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.Entry;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.packing.PackedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What do a put and a get of one response cost in each medium, without a socket and with the page
 * What do a put and a get of one response cost in each medium, without a socket and with the page
 * cache warm? A put is a whole fetch. On disk, {@value #BATCH} of them are made before the next
 * ones begin: the pieces of a large response are written by then, while a small one stands in a
 * buffer. A get loads one of {@value #OBJECTS} and goes through all of its content. Hand-over to a
 * disk thread and back is part of what the disk costs.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar DiskTierBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
public class DiskTierBenchmark extends AbstractBenchmark {
  /** Where the response is. */
  public enum Medium {
    MEMORY,
    DISK
  }

  private static final int OBJECTS = 256;

  /** Puts between two waits for the disk; of the largest responses half of the queue. */
  private static final int BATCH = 64;

  /** Between two looks at the queue, which allocate: a microsecond for each put of a batch. */
  private static final long LOOK_NANOS = 20_000;

  private static final int READ_BYTES = 64 << 10;
  private static final int BLOCK_BYTES = 64 << 10;

  /** Content of a response. */
  @Param({"100", "1024", "4096", "16384", "65536", "262144"})
  int contentBytes;

  @Param Medium medium;

  private final PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final CacheKey[] keys = new CacheKey[OBJECTS];
  private final KeyProbe[] probes = new KeyProbe[OBJECTS];
  private final Fields none = new Fields(1);
  private final byte[] fields =
      ("Date: Sat, 21 Nov 2026 06:28:38 GMT\r\nContent-Type: text/plain\r\n"
              + "Cache-Control: max-age=31536000\r\nETag: \"1\"\r\nServer: origin\r\n\r\n")
          .getBytes(StandardCharsets.US_ASCII);
  private @Nullable Path directory;
  private TieredStore store;
  private StoredMeta meta;
  private int next;
  private volatile int bytes;

  @Setup
  public void assemble() throws IOException {
    DiskSettings disk = DiskSettings.NONE;
    // on disk: a memory that takes what arrives and soon has something else
    long cacheBytes = medium == Medium.MEMORY ? 128L << 20 : 4L << 20;
    if (medium == Medium.DISK) {
      directory = Files.createTempDirectory("loligo-bench");
      CacheDir dir =
          new CacheDir("rock", directory.toString(), 1L << 30, 0, -1, false, "benchmark");
      disk = DiskSettings.with(List.of(dir)).build();
    }
    meta = StoredMeta.builder(200).lifetimeSeconds(86_400).contentLength(contentBytes).build();
    store =
        new TieredStore(
            new PackedAllocator(allocator),
            new MemorySettings(cacheBytes, 1 << 20, 64 << 20, 64 << 10, 64 << 10),
            disk,
            new MemoryLedger(64 << 20),
            Runnable::run);
    store.open().join();
    for (int i = 0; i < OBJECTS; i++) {
      probes[i] = new KeyProbe().append("http://bench.example/" + i).seal();
      keys[i] = probes[i].toKey();
      fetch(keys[i]);
      if (i % BATCH == 0) {
        awaitWritten();
      }
    }
    awaitWritten();
  }

  private void fetch(CacheKey key) {
    InFlight fetch = store.begin(key, false, channel.eventLoop(), new NoWriter());
    assert fetch != null : "no memory";
    ResponseHead head = new ResponseHead();
    head.clear(new byte[0]);
    head.statusLine(11, 200, 0, 0);
    fetch.head(head, meta, true, allocator.directBuffer().writeBytes(fields), contentBytes);
    for (int left = contentBytes; left > 0; left -= BLOCK_BYTES) {
      int length = Math.min(left, BLOCK_BYTES);
      fetch.content(allocator.directBuffer(length, length).writerIndex(length));
    }
    fetch.end(null);
    channel.runPendingTasks();
  }

  private void awaitWritten() {
    while (medium == Medium.DISK && store.diskStats().get(0).queuedBytes() > 0) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public void put() {
    for (int i = 0; i < BATCH; i++) {
      next = (next + 1) % OBJECTS;
      fetch(keys[next]);
    }
    awaitWritten();
  }

  @Benchmark
  public int get() {
    next = (next + 1) % OBJECTS;
    return medium == Medium.MEMORY ? find(probes[next]) : load(keys[next]);
  }

  private int find(KeyProbe key) {
    Entry entry = store.find(key, none);
    if (entry == null) {
      throw new IllegalStateException("not in memory");
    }
    int sum = 0;
    for (long at = 0; at < contentBytes; ) {
      ByteBuf content = entry.retainedContent(at, READ_BYTES);
      at += content.readableBytes();
      sum += content.readableBytes();
      content.release();
    }
    entry.release();
    return sum;
  }

  private int load(CacheKey key) {
    bytes = -1;
    store.load(key, none, Wanted.CONTENT, ImmediateEventExecutor.INSTANCE, this::loaded);
    while (bytes < contentBytes) {
      Thread.onSpinWait();
    }
    return bytes;
  }

  private void loaded(@Nullable Entry entry, Store.LoadReport report) {
    if (entry == null) {
      throw new IllegalStateException("not on disk: " + report.outcome());
    }
    read(entry, 0);
  }

  private void read(Entry entry, int at) {
    if (at == contentBytes) {
      entry.release();
      bytes = at;
      return;
    }
    if (entry.isResident(at)) {
      ByteBuf content = entry.retainedContent(at, READ_BYTES);
      int length = content.readableBytes();
      content.release();
      read(entry, at + length);
      return;
    }
    entry.read(
        at,
        READ_BYTES,
        ImmediateEventExecutor.INSTANCE,
        content -> {
          assert content != null : "it is damaged";
          int length = content.readableBytes();
          content.release();
          read(entry, at + length);
        });
  }

  @TearDown
  public void close() throws IOException {
    channel.finishAndReleaseAll();
    store.close();
    if (directory != null) {
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
