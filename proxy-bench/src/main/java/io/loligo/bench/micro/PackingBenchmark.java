package io.loligo.bench.micro;

import io.loligo.store.packing.PackedAllocator;
import io.loligo.store.stripes.Stripes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * What does memory for a stored response cost while other event loops do the same: a block is cut
 * and another given back, the loop's own or anybody's, as eviction has it? With one arena for all,
 * and with one for each loop.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar PackingBenchmark -t 1
 * java -jar proxy-bench/target/benchmarks.jar PackingBenchmark -t 8
 * java -jar proxy-bench/target/benchmarks.jar PackingBenchmark -t 16
 * </pre>
 */
@State(Scope.Benchmark)
public class PackingBenchmark extends AbstractBenchmark {
  /** So many that there is an arena for each stripe. */
  private static final long EXPECTED_BYTES = 64L << 30;

  private static final int HELD = 256;
  private static final int HELD_BY_ALL = 1 << 14;

  /** Content of a response with its fields. */
  @Param("4396")
  int bytes;

  @Param({"one", "each"})
  String stripes;

  private Stripes numbers;
  private PackedAllocator allocator;
  private AtomicReferenceArray<ByteBuf> all;

  @Setup
  public void make(ThreadParams threads) {
    numbers = LoopNumbers.of(stripes, threads);
    allocator = new PackedAllocator(PooledByteBufAllocator.DEFAULT, numbers, EXPECTED_BYTES);
    all = new AtomicReferenceArray<>(HELD_BY_ALL);
    for (int i = 0; i < HELD_BY_ALL; i++) {
      all.set(i, allocator.directBuffer(bytes, bytes));
    }
  }

  @TearDown
  public void release() {
    for (int i = 0; i < HELD_BY_ALL; i++) {
      all.get(i).release();
    }
  }

  /** An event loop, and what it holds. */
  @State(Scope.Thread)
  public static class Loop {
    private final ByteBuf[] held = new ByteBuf[HELD];
    private SplittableRandom random;
    private int next;

    @Setup
    public void begin(PackingBenchmark shared, ThreadParams threads) {
      LoopNumbers.enter(shared.numbers, threads);
      random = new SplittableRandom(threads.getThreadIndex());
      for (int i = 0; i < HELD; i++) {
        held[i] = shared.allocator.directBuffer(shared.bytes, shared.bytes);
      }
    }

    @TearDown
    public void end() {
      for (ByteBuf one : held) {
        one.release();
      }
    }
  }

  @Benchmark
  public void own(Loop loop, Blackhole used) {
    int place = loop.next++ & HELD - 1;
    loop.held[place].release();
    loop.held[place] = allocator.directBuffer(bytes, bytes);
    used.consume(loop.held[place]);
  }

  @Benchmark
  public boolean anybodys(Loop loop) {
    int place = loop.random.nextInt(HELD_BY_ALL);
    return all.getAndSet(place, allocator.directBuffer(bytes, bytes)).release();
  }
}
