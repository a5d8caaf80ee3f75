package io.loligo.bench.capacity;

import io.loligo.bench.micro.NoWriter;
import io.loligo.core.caching.CacheKey;
import io.loligo.core.caching.CacheKeys;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.ResponseHead;
import io.loligo.store.MemorySettings;
import io.loligo.store.StoreStats;
import io.loligo.store.TieredStore;
import io.loligo.store.disk.DiskSettings;
import io.loligo.store.inflight.InFlight;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;

/**
 * How much memory does a small response in memory cost? Stores responses with different URLs and
 * entity tags in a store without disks, and compares the heap that is reachable and the direct
 * memory with the figures before there was a store. Fails above {@value #MOST_HEAP_BYTES} bytes of
 * heap for each response, or if one of them is not stored.
 *
 * <pre>
 * java -Xmx6g -XX:MaxDirectMemorySize=8g -cp proxy-bench/target/benchmarks.jar \
 *   io.loligo.bench.capacity.HeapPerObject [OBJECTS [CONTENT_BYTES]]
 * </pre>
 *
 * <p>The flags are for 10 million responses; one million needs a tenth.
 */
public final class HeapPerObject {
  private static final int OBJECTS = 1_000_000;
  private static final int CONTENT_BYTES = 150;
  private static final int WARM_UP_OBJECTS = 20_000;
  private static final double MOST_HEAP_BYTES = 150;

  /** Of {@code cache_mem}, for each response beside its content; ample. */
  private static final long ROOM_BYTES = 1_500;

  private static final long TRANSIT_BYTES = 16 << 20;
  private static final String FIELDS =
      "Content-Type: text/html; charset=utf-8\r\nCache-Control: max-age=86400\r\n"
          + "Last-Modified: Fri, 27 Nov 2026 10:00:00 GMT\r\n\r\n";

  private final int objects;
  private final int contentBytes;
  private final PooledByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
  private final EmbeddedChannel channel = new EmbeddedChannel();

  private HeapPerObject(int objects, int contentBytes) {
    this.objects = objects;
    this.contentBytes = contentBytes;
  }

  /** Takes a number of responses and the size of their content. Exits 1 if it fails. */
  public static void main(String[] args) throws IOException {
    int objects = args.length > 0 ? Integer.parseInt(args[0]) : OBJECTS;
    int contentBytes = args.length > 1 ? Integer.parseInt(args[1]) : CONTENT_BYTES;
    if (!new HeapPerObject(objects, contentBytes).run()) {
      System.exit(1);
    }
  }

  private boolean run() throws IOException {
    TieredStore warmUp = store(WARM_UP_OBJECTS);
    fill(warmUp, WARM_UP_OBJECTS);
    warmUp.close();
    long heapBefore = heap();
    long directBefore = direct();
    TieredStore store = store(objects);
    long start = System.nanoTime();
    fill(store, objects);
    double seconds = secondsSince(start);
    long heap = heap() - heapBefore;
    long direct = direct() - directBefore;
    start = System.nanoTime();
    System.gc();
    double collection = secondsSince(start);
    StoreStats stats = store.stats();
    double heapEach = (double) heap / objects;
    row("JVM", System.getProperty("java.vm.name") + " " + System.getProperty("java.version"));
    row("responses stored", stats.entries() + " of " + objects);
    row("content of each, bytes", contentBytes);
    row("live heap of each, bytes", number(heapEach));
    row("direct memory of each, bytes", number((double) direct / objects));
    row("of these in the store's ledger", number((double) stats.memoryBytes() / objects));
    row("microseconds to store one", number(seconds * 1e6 / objects));
    row("a full collection, s", number(collection));
    store.close();
    return stats.entries() == objects && heapEach <= MOST_HEAP_BYTES;
  }

  private TieredStore store(int room) throws IOException {
    long bytes = room * (ROOM_BYTES + contentBytes) + TRANSIT_BYTES;
    Stripes stripes = new Stripes(1);
    return new TieredStore(
        new PackedAllocator(allocator, stripes, bytes),
        new MemorySettings(bytes, 512 << 10, TRANSIT_BYTES, 64 << 10, 64 << 10),
        DiskSettings.NONE,
        new MemoryLedger(TRANSIT_BYTES, stripes),
        Runnable::run);
  }

  private void fill(TieredStore store, int count) {
    ResponseHead head = new ResponseHead();
    head.clear(new byte[0]);
    head.statusLine(11, 200, 0, 0);
    for (int i = 0; i < count; i++) {
      InFlight fetch = store.begin(key(i), false, channel.eventLoop(), new NoWriter());
      assert fetch != null : "no memory";
      fetch.head(head, meta(i), true, text(FIELDS), contentBytes);
      fetch.content(allocator.directBuffer(contentBytes, contentBytes).writeZero(contentBytes));
      fetch.end(null);
      channel.runPendingTasks();
    }
  }

  private static CacheKey key(int number) {
    return Objects.requireNonNull(CacheKeys.of("http://origin.example/pictures/" + number));
  }

  private StoredMeta meta(int number) {
    long now = System.currentTimeMillis();
    return StoredMeta.builder(200)
        .requestTimeMillis(now)
        .responseTimeMillis(now)
        .dateMillis(now)
        .lastModifiedMillis(now)
        .lifetimeSeconds(86_400)
        .etag(("\"" + Integer.toHexString(number) + "-96\"").getBytes(StandardCharsets.US_ASCII))
        .contentLength(contentBytes)
        .build();
  }

  private ByteBuf text(String text) {
    return allocator.directBuffer().writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static long heap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Direct memory that the allocator has taken from the system. */
  private long direct() {
    return allocator.metric().usedDirectMemory();
  }

  private static double secondsSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static void row(String what, Object value) {
    System.out.println("| " + what + " | " + value + " |");
  }
}
