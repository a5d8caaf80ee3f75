package io.loligo.bench.capacity;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.loligo.bench.capacity.SafepointLog.Pause;
import io.loligo.store.StoreStats;
import io.loligo.store.TieredStore;
import io.loligo.store.memory.PacedExecutor;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * How long does the JVM stop while a full memory tier stores responses? Fills a store without disks
 * with small responses, then stores further ones at a steady rate, each of which evicts another
 * one. Beside each it makes garbage, so that one takes as much heap as a miss of the proxy. Prints
 * the pauses of the JVM by its own log, how late a store was by its schedule, and the CPU time of
 * the whole process for each store; at the end a full collection.
 *
 * <pre>
 * java -XX:+UseParallelGC -Xmn16m -XX:MaxDirectMemorySize=2g \
 *   -cp proxy-bench/target/benchmarks.jar \
 *   io.loligo.bench.capacity.StorePauses [OBJECTS [SECONDS [RATE]]]
 * </pre>
 */
public final class StorePauses {
  private static final int OBJECTS = 1_000_000;
  private static final int SECONDS = 20;
  private static final int RATE = 30_000;
  private static final int CONTENT_BYTES = 150;
  private static final int WARM_UP_OBJECTS = 50_000;
  private static final long WARM_UP_BYTES = 100L << 20;
  private static final int WARM_UP_SECONDS = 3;

  /** Of {@code cache_mem}, for evictions that come late. */
  private static final long HEADROOM_BYTES = 4 << 20;

  /** Of a miss of the proxy, as {@code MissPathBenchmark} measures it. */
  private static final int HEAP_OF_A_MISS = 4_400;

  private static final long MAINTENANCE_MILLIS = 2;
  private static final int STEPS_PER_SECOND = 1_000;
  private static final long STEP_NANOS = 1_000_000;

  private final int objects;
  private final int seconds;
  private final int perStep;
  private final SmallResponses responses = new SmallResponses(CONTENT_BYTES);
  private volatile byte[] garbage = new byte[0];

  private StorePauses(int objects, int seconds, int rate) {
    this.objects = objects;
    this.seconds = seconds;
    this.perStep = rate / STEPS_PER_SECOND;
  }

  /** Takes a number of responses, the seconds measured, and the responses stored in a second. */
  public static void main(String[] args) throws IOException {
    int objects = args.length > 0 ? Integer.parseInt(args[0]) : OBJECTS;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : SECONDS;
    int rate = args.length > 2 ? Integer.parseInt(args[2]) : RATE;
    ScheduledExecutorService maintenance = Executors.newSingleThreadScheduledExecutor();
    new StorePauses(objects, seconds, rate).run(maintenance);
    maintenance.shutdown();
  }

  private void run(ScheduledExecutorService maintenance) throws IOException {
    PacedExecutor paced =
        new PacedExecutor(
            task -> maintenance.schedule(task, MAINTENANCE_MILLIS, TimeUnit.MILLISECONDS));
    TieredStore store = responses.store(bytesFor(paced) + HEADROOM_BYTES, paced);
    long ownHeap = allocated();
    responses.fill(store, 0, objects);
    ownHeap = (allocated() - ownHeap) / objects;
    int garbageBytes = (int) Math.max(0, HEAP_OF_A_MISS - ownHeap);
    int first = objects;
    churn(store, first, WARM_UP_SECONDS, garbageBytes);
    first += WARM_UP_SECONDS * STEPS_PER_SECOND * perStep;

    SafepointLog log = SafepointLog.begin();
    long evictions = store.stats().evictions();
    long cpu = cpuNanos();
    long[] late = churn(store, first, seconds, garbageBytes);
    cpu = cpuNanos() - cpu;
    List<Pause> pauses = log.end();
    long stores = (long) late.length * perStep;
    row("JVM", System.getProperty("java.version") + " " + flags());
    row("responses in memory", store.stats().entries());
    row("responses stored", stores);
    row("responses evicted", store.stats().evictions() - evictions);
    row("heap of a store, bytes", ownHeap);
    row("garbage beside it, bytes", garbage.length);
    row("CPU of a store, us", number(cpu / 1e3 / stores));
    pauses.stream()
        .collect(Collectors.groupingBy(Pause::cause, TreeMap::new, Collectors.toList()))
        .forEach(StorePauses::pauses);
    pauses("all", pauses);
    times("lateness of a store", late);
    row("resident, MB", residentMegabytes());
    log = SafepointLog.begin();
    System.gc();
    pauses("a full collection", log.end());
    store.close();
  }

  /** {@code cache_mem} for all responses, by the weight of some. */
  private long bytesFor(Executor maintenance) throws IOException {
    TieredStore some = responses.store(WARM_UP_BYTES, maintenance);
    responses.fill(some, 0, WARM_UP_OBJECTS);
    StoreStats stats = some.stats();
    some.close();
    return stats.weighedBytes() * objects / stats.entries();
  }

  /**
   * Stores responses from the one with number {@code first} on. Returns for each step how many
   * nanoseconds it ended after it was to begin.
   */
  private long[] churn(TieredStore store, int first, int seconds, int garbageBytes) {
    long[] late = new long[seconds * STEPS_PER_SECOND];
    long start = System.nanoTime();
    for (int step = 0; step < late.length; step++) {
      long due = start + step * STEP_NANOS;
      for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
        LockSupport.parkNanos(wait);
      }
      for (int i = 0; i < perStep; i++) {
        responses.fill(store, first + step * perStep + i, 1);
        garbage = new byte[garbageBytes];
      }
      late[step] = System.nanoTime() - due;
    }
    return late;
  }

  private static void pauses(String cause, List<Pause> pauses) {
    times("stops, " + cause, pauses.stream().mapToLong(Pause::nanos).toArray());
  }

  private static void times(String what, long[] nanos) {
    Arrays.sort(nanos);
    int count = nanos.length;
    row(
        what,
        count == 0
            ? "none"
            : String.format(
                Locale.ROOT,
                "%d; longest %.2f ms, p99 %.2f, median %.2f, sum %.1f",
                count,
                nanos[count - 1] / 1e6,
                nanos[count - 1 - count / 100] / 1e6,
                nanos[count / 2] / 1e6,
                Arrays.stream(nanos).sum() / 1e6));
  }

  private static long allocated() {
    return ManagementFactory.getPlatformMXBean(ThreadMXBean.class).getCurrentThreadAllocatedBytes();
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }

  private static String flags() {
    return String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments());
  }

  private static long residentMegabytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) >> 10;
      }
    }
    return 0;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private static void row(String what, Object value) {
    System.out.println("| " + what + " | " + value + " |");
  }
}
