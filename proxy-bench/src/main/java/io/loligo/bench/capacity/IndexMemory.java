package io.loligo.bench.capacity;

import io.loligo.bench.micro.NoWriter;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.store.MemorySettings;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.CacheDir;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.load.LoadOutcome;
import io.loligo.store.load.Wanted;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.packing.PackedAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * How much memory does a response on disk cost, outside the map of heads? Fills one directory with
 * tiny responses through the whole store, and compares heap (after a collection) and direct memory
 * with what they were before there was a store: index, lists of the segments, what the admission
 * remembers, buffers and a memory tier of 1 MB, all together. Then it closes the directory and
 * opens it again, first with the older checkpoint, which is empty, so that all footers are read,
 * and then with the newer one, and loads a sample each time.
 *
 * <pre>
 * java FLAGS -cp proxy-bench/target/benchmarks.jar io.loligo.bench.capacity.IndexMemory DIR [OBJECTS]
 * </pre>
 *
 * <p>The flags stand in {@code proxy-bench/README.md}. DIR must be empty; for 10 million objects it
 * takes 9.5 GB and is removed at the end.
 */
public final class IndexMemory {
  private static final int OBJECTS = 10_000_000;
  private static final int MEAN_BYTES = 1350;
  private static final int CONTENT_BYTES = 8;
  private static final int SAMPLE = 10_000;
  private static final long MEMORY_TIER_BYTES = 1 << 20;
  private static final long QUEUE_BYTES = 1 << 20;
  private static final int CHECK_EVERY = 256;
  private static final int CHECKPOINT_HEADER_BYTES = 64;
  private static final double MOST_BYTES_PER_OBJECT = 100;

  private static final StoredMeta META =
      StoredMeta.builder(200).lifetimeSeconds(86_400).contentLength(CONTENT_BYTES).build();

  private final Path directory;
  private final int objects;
  private final PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final DefaultEventExecutor loop = new DefaultEventExecutor();

  @SuppressWarnings("NullAway.Init") // set by open, before any use
  private TieredStore store;

  private IndexMemory(Path directory, int objects) {
    this.directory = directory;
    this.objects = objects;
  }

  /** Takes a directory and, if wanted, a number of objects. Exits 1 where the bound is broken. */
  public static void main(String[] args) throws IOException {
    System.setProperty("chronicle.analytics.disable", "true");
    IndexMemory run =
        new IndexMemory(Path.of(args[0]), args.length > 1 ? Integer.parseInt(args[1]) : OBJECTS);
    boolean good = run.run();
    run.loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    if (!good) {
      System.exit(1);
    }
  }

  private boolean run() throws IOException {
    row("machine", Runtime.getRuntime().availableProcessors() + " processors");
    row("JVM", System.getProperty("java.vm.name") + " " + System.getProperty("java.version"));
    warmUp();
    long before = memory();
    row("before the store, bytes", before);
    double seconds = open();
    row("empty directory opened, s", seconds);
    row("with the empty directory, bytes", memory() - before);
    seconds = fill();
    row("filled, s", seconds);
    DiskStats stats = store.diskStats().get(0);
    row("objects", stats.objects());
    row("bytes of slabs they take", stats.usedBytes());
    row("evicted or skipped", stats.evictions() + stats.skippedQueueFull() + stats.skippedOther());
    long after = memory();
    double each = (double) (after - before) / stats.objects();
    row("full, bytes", after - before);
    row("bytes of memory for each object", each);
    boolean good = stats.objects() >= 0.99 * objects && each <= MOST_BYTES_PER_OBJECT;
    good &= sampled("while it is open");
    row("closed, s", close());
    spoilNewestCheckpoint();
    row("opened from footers, s", open());
    good &= sampled("from footers");
    row("bytes of memory for each object", (double) (memory() - before) / held());
    row("closed, s", close());
    row("opened from a checkpoint, s", open());
    good &= sampled("from a checkpoint");
    row("bytes of memory for each object", (double) (memory() - before) / held());
    close();
    removeFiles(directory);
    return good;
  }

  /** Loads Chronicle Map and what else is there once for all, so that it is not counted. */
  private void warmUp() throws IOException {
    Path small = directory.resolve("warm-up");
    store = store(small, 16 << 20, 13 << 10);
    store.open().join();
    put(0);
    settle();
    close();
    removeFiles(small);
    Files.delete(small);
  }

  private TieredStore store(Path path, long bytes, long meanBytes) throws IOException {
    CacheDir dir = new CacheDir("rock", path.toString(), bytes, 0, -1, false, "command line");
    return new TieredStore(
        new PackedAllocator(allocator),
        new MemorySettings(MEMORY_TIER_BYTES, 512 << 10, 16 << 20, 64 << 10, 64 << 10),
        DiskSettings.with(List.of(dir))
            .meanObjectBytes(meanBytes)
            .threads(2)
            .writeQueueBytes(QUEUE_BYTES)
            .build(),
        new MemoryLedger(16 << 20),
        Runnable::run);
  }

  private double open() throws IOException {
    long start = System.nanoTime();
    // the sum of the map's records, half as many again as objects of the mean size, and slabs
    long bytes = (long) (objects * (double) MEAN_BYTES * 0.70) + (16 << 20);
    store = store(directory, bytes, MEAN_BYTES);
    store.open().join();
    return secondsSince(start);
  }

  private double close() {
    long start = System.nanoTime();
    store.close();
    return secondsSince(start);
  }

  private static double secondsSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  private double fill() {
    long start = System.nanoTime();
    for (int i = 0; i < objects; i++) {
      put(i);
      if (i % CHECK_EVERY == 0) {
        while (store.diskStats().get(0).queuedBytes() > QUEUE_BYTES / 2) {
          LockSupport.parkNanos(100_000);
        }
      }
    }
    settle();
    return secondsSince(start);
  }

  private void settle() {
    while (store.diskStats().get(0).queuedBytes() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static CacheKey key(int number) {
    return Objects.requireNonNull(CacheKeys.of("http://origin.example/" + number));
  }

  private void put(int number) {
    InFlight fetch = store.begin(key(number), false, channel.eventLoop(), new NoWriter());
    assert fetch != null : "no memory";
    ResponseHead head = new ResponseHead();
    head.clear(new byte[0]);
    head.statusLine(11, 200, 0, 0);
    fetch.head(head, META, true, text("A: b\r\n\r\n"), CONTENT_BYTES);
    fetch.content(allocator.directBuffer(CONTENT_BYTES, CONTENT_BYTES).writeLong(number));
    fetch.end(null);
    channel.runPendingTasks();
  }

  private ByteBuf text(String text) {
    return allocator.directBuffer().writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  private long held() {
    return store.diskStats().get(0).objects();
  }

  /** Loads objects from all over; whether nearly all are there, each as it was put. */
  private boolean sampled(String when) {
    int found = 0;
    int step = Math.max(1, objects / SAMPLE);
    int asked = 0;
    for (int i = 0; i < objects; i += step) {
      asked++;
      found += isThere(i) ? 1 : 0;
    }
    row("found " + when, found + " of " + asked);
    return found >= 0.99 * asked;
  }

  private boolean isThere(int number) {
    CompletableFuture<Boolean> there = new CompletableFuture<>();
    loop.execute(
        () ->
            store.load(
                key(number),
                new Fields(1),
                Wanted.CONTENT,
                loop,
                (entry, report) -> {
                  boolean same = false;
                  if (entry != null) {
                    ByteBuf content = entry.retainedContent(0, CONTENT_BYTES);
                    same = content.readLong() == number;
                    content.release();
                    entry.release();
                    if (!same) {
                      there.completeExceptionally(new IllegalStateException("wrong content"));
                    }
                  }
                  there.complete(same && report.outcome() == LoadOutcome.FOUND);
                }));
    return there.join();
  }

  /** Bytes of heap that are reachable, and of direct memory, Netty's own included. */
  private static long memory() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    long bytes = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      if (pool.getName().equals("direct")) {
        bytes += pool.getMemoryUsed();
      }
    }
    return bytes + Math.max(0, PlatformDependent.usedDirectMemory());
  }

  /** So that the other one counts. */
  private void spoilNewestCheckpoint() throws IOException {
    Path one = directory.resolve("checkpoint.0");
    Path other = directory.resolve("checkpoint.1");
    int order = Files.getLastModifiedTime(one).compareTo(Files.getLastModifiedTime(other));
    try (FileChannel newest = FileChannel.open(order > 0 ? one : other, StandardOpenOption.WRITE)) {
      newest.write(ByteBuffer.allocate(CHECKPOINT_HEADER_BYTES), 0);
    }
  }

  private static void removeFiles(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  private static void row(String what, Object value) {
    Object shown = value instanceof Double number ? String.format("%.1f", number) : value;
    System.out.println("| " + what + " | " + shown + " |");
  }
}
