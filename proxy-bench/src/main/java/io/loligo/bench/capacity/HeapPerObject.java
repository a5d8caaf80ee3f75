package io.loligo.bench.capacity;

import io.loligo.store.StoreStats;
import io.loligo.store.TieredStore;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Locale;

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

  private final int objects;
  private final int contentBytes;
  private final SmallResponses responses;

  private HeapPerObject(int objects, int contentBytes) {
    this.objects = objects;
    this.contentBytes = contentBytes;
    this.responses = new SmallResponses(contentBytes);
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
    TieredStore warmUp = responses.store(roomFor(WARM_UP_OBJECTS), Runnable::run);
    responses.fill(warmUp, 0, WARM_UP_OBJECTS);
    warmUp.close();
    long heapBefore = heap();
    long directBefore = responses.direct();
    TieredStore store = responses.store(roomFor(objects), Runnable::run);
    long start = System.nanoTime();
    responses.fill(store, 0, objects);
    double seconds = secondsSince(start);
    long heap = heap() - heapBefore;
    long direct = responses.direct() - directBefore;
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

  private long roomFor(int count) {
    return count * (ROOM_BYTES + contentBytes);
  }

  private static long heap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
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
