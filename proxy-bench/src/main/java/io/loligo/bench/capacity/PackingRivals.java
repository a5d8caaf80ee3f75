package io.loligo.bench.capacity;

import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.function.ToIntFunction;

/**
 * Does {@link PackedAllocator} win against Netty's allocators, in memory for each stored object and
 * in time for a put with its eviction? Event loops' threads hold buffers up to a limit, and replace
 * them at random until each has been replaced {@value #TURNS} times.
 *
 * <p>Memory is what the allocator under test took from the system, and the heap that is reachable,
 * over the bytes asked for. Time is of one buffer made, written once in each page and released. The
 * rivals take turns in {@value #ROUNDS} rounds; rows show the median of time, the most of memory.
 *
 * <pre>
 * java -Xmx1g -XX:MaxDirectMemorySize=2g -cp proxy-bench/target/benchmarks.jar \
 *   io.loligo.bench.capacity.PackingRivals [MEGABYTES [THREADS]]
 * </pre>
 */
public final class PackingRivals {
  private static final int ROUNDS = 3;
  private static final int TURNS = 15;
  private static final int PAGE_BYTES = 4096;
  private static final int MEAN_BYTES = 11 << 10;

  /** Head and key of a stored response, as in ADR 6. */
  private static final int HEAD_BYTES = 418;

  private enum Rival {
    PACKED(true, false),
    PACKED_ON_ADAPTIVE(true, true),
    POOLED(false, false),
    ADAPTIVE(false, true);

    private final boolean packed;
    private final boolean adaptive;

    Rival(boolean packed, boolean adaptive) {
      this.packed = packed;
      this.adaptive = adaptive;
    }
  }

  private enum Sizes {
    /** 4,396 bytes, all of them. */
    EQUAL(random -> 4_396),
    EXPONENTIAL(random -> HEAD_BYTES + (int) exponential(random, MEAN_BYTES)),
    LOGNORMAL(random -> HEAD_BYTES + (int) (4096 * Math.exp(random.nextGaussian()))),
    /** Images, pages, downloads and the rest, as in PolyMix-4. */
    POLYGRAPH(Sizes::polygraph);

    @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
    private final ToIntFunction<Gauss> bytes;

    Sizes(ToIntFunction<Gauss> bytes) {
      this.bytes = bytes;
    }

    private static double exponential(Gauss random, double mean) {
      return -mean * Math.log(1 - random.uniform());
    }

    private static int polygraph(Gauss random) {
      double kind = random.uniform();
      double bytes =
          kind < 0.65
              ? exponential(random, 4_500)
              : kind < 0.80
                  ? exponential(random, 8_500)
                  : kind < 0.995 ? 23_000 * Math.exp(0.4 * random.nextGaussian()) : 300_000;
      return HEAD_BYTES + (int) bytes;
    }
  }

  /** A seed's numbers. Confined to one thread. */
  private static final class Gauss {
    private final SplittableRandom random;

    Gauss(long seed) {
      random = new SplittableRandom(seed);
    }

    double uniform() {
      return random.nextDouble();
    }

    int below(int bound) {
      return random.nextInt(bound);
    }

    /** Box and Muller. */
    double nextGaussian() {
      double radius = Math.sqrt(-2 * Math.log(1 - random.nextDouble()));
      return radius * Math.cos(2 * Math.PI * random.nextDouble());
    }
  }

  /** What one run found. */
  private record Found(long objects, long asked, long direct, long heap, double nanos) {}

  private final long heldBytes;
  private final int threads;

  private PackingRivals(long heldBytes, int threads) {
    this.heldBytes = heldBytes;
    this.threads = threads;
  }

  /** Takes megabytes to hold and a number of threads. */
  public static void main(String[] args) throws Exception {
    long megabytes = args.length > 0 ? Long.parseLong(args[0]) : 128;
    int threads = args.length > 1 ? Integer.parseInt(args[1]) : 1;
    System.out.printf(
        "%s %s, %d processors, %d MB held by %d threads%n%n",
        System.getProperty("java.vm.name"),
        System.getProperty("java.version"),
        Runtime.getRuntime().availableProcessors(),
        megabytes,
        threads);
    System.out.println("| sizes | rival | memory / asked | extra bytes an object | ns a put |");
    System.out.println("| --- | --- | --- | --- | --- |");
    for (Sizes sizes : Sizes.values()) {
      new PackingRivals(megabytes << 20, threads).compare(sizes);
    }
  }

  private void compare(Sizes sizes) throws Exception {
    List<List<Found>> found = new ArrayList<>();
    for (int i = 0; i < Rival.values().length; i++) {
      found.add(new ArrayList<>());
    }
    for (int round = 0; round < ROUNDS; round++) {
      for (Rival rival : Rival.values()) {
        found.get(rival.ordinal()).add(run(rival, sizes));
      }
    }
    for (Rival rival : Rival.values()) {
      List<Found> rounds = found.get(rival.ordinal());
      double[] nanos = rounds.stream().mapToDouble(Found::nanos).sorted().toArray();
      Found most = rounds.stream().max((a, b) -> Long.compare(total(a), total(b))).orElseThrow();
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %.3f | %.0f | %.0f |%n",
          sizes.name().toLowerCase(Locale.ROOT),
          rival.name().toLowerCase(Locale.ROOT).replace('_', ' '),
          (double) total(most) / most.asked(),
          (double) (total(most) - most.asked()) / most.objects(),
          nanos[nanos.length / 2]);
    }
  }

  private static long total(Found found) {
    return found.direct() + found.heap();
  }

  private Found run(Rival rival, Sizes sizes) throws Exception {
    ByteBufAllocator below =
        rival.adaptive ? new AdaptiveByteBufAllocator(true) : new PooledByteBufAllocator(true);
    Stripes stripes = new Stripes(threads);
    ByteBufAllocator allocator =
        rival.packed ? new PackedAllocator(below, stripes, heldBytes) : below;
    long heapBefore = heap();
    List<Holder> holders = new ArrayList<>();
    List<FutureTask<Double>> runs = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Holder holder = new Holder(allocator, sizes, heldBytes / threads, i);
      holders.add(holder);
      int number = i;
      runs.add(
          start(
              () -> {
                stripes.enter(number);
                return holder.churn();
              }));
    }
    double nanos = 0;
    for (FutureTask<Double> run : runs) {
      nanos += run.get() / threads;
    }
    long direct = ((ByteBufAllocatorMetricProvider) below).metric().usedDirectMemory();
    long heap = heap() - heapBefore;
    long objects = 0;
    long asked = 0;
    for (Holder holder : holders) {
      objects += holder.count;
      asked += holder.asked;
      holder.release();
    }
    return new Found(objects, asked, direct, heap, nanos);
  }

  private static FutureTask<Double> start(Callable<Double> work) {
    FutureTask<Double> task = new FutureTask<>(work);
    new FastThreadLocalThread(task, "loop").start();
    return task;
  }

  private static long heap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Buffers of one thread. Read by another one when that has ended. */
  private static final class Holder {
    private final ByteBufAllocator allocator;
    private final Sizes sizes;
    private final long limitBytes;
    private final Gauss random;
    private ByteBuf[] held = new ByteBuf[1024];
    private int count;
    private long asked;

    Holder(ByteBufAllocator allocator, Sizes sizes, long limitBytes, long seed) {
      this.allocator = allocator;
      this.sizes = sizes;
      this.limitBytes = limitBytes;
      this.random = new Gauss(seed);
    }

    /** Nanoseconds for each put behind the first turns, in which memory fills up. */
    double churn() {
      while (asked < limitBytes) {
        put();
      }
      replace(TURNS / 3 * count);
      int puts = TURNS * 2 / 3 * count;
      long start = System.nanoTime();
      replace(puts);
      return (double) (System.nanoTime() - start) / puts;
    }

    private void replace(int puts) {
      for (int i = 0; i < puts; i++) {
        put();
        while (asked > limitBytes) {
          evict();
        }
      }
    }

    private void put() {
      int left = sizes.bytes.applyAsInt(random);
      do {
        int bytes = Math.min(left, PackedAllocator.LIMIT_BYTES);
        ByteBuf block = allocator.directBuffer(bytes, bytes);
        for (int at = 0; at < bytes; at += PAGE_BYTES) {
          block.setByte(at, 1);
        }
        add(block);
        left -= bytes;
      } while (left > 0);
    }

    private void add(ByteBuf block) {
      if (count == held.length) {
        held = Arrays.copyOf(held, count * 2);
      }
      held[count++] = block;
      asked += block.capacity();
    }

    private void evict() {
      int one = random.below(count);
      ByteBuf block = held[one];
      held[one] = held[--count];
      held[count] = null;
      asked -= block.capacity();
      block.release();
    }

    void release() {
      for (int i = 0; i < count; i++) {
        held[i].release();
      }
    }
  }
}
