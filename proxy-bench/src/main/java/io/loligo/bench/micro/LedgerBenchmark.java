package io.loligo.bench.micro;

import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.stripes.Stripes;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * What does it cost to enter memory and to strike it out while other event loops do the same, with
 * one number for all and with a lease for each loop? And to ask whether memory is scarce, as each
 * read does?
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar LedgerBenchmark -t 1
 * java -jar proxy-bench/target/benchmarks.jar LedgerBenchmark -t 8
 * java -jar proxy-bench/target/benchmarks.jar LedgerBenchmark -t 16
 * </pre>
 */
@State(Scope.Benchmark)
public class LedgerBenchmark extends AbstractBenchmark {
  private static final long LIMIT_BYTES = 1L << 30;
  private static final int FLOOR_BYTES = 8 << 10;

  @Param({"one", "each"})
  String stripes;

  private Stripes numbers;
  private MemoryLedger ledger;

  @Setup
  public void make(ThreadParams threads) {
    numbers = LoopNumbers.of(stripes, threads);
    ledger = new MemoryLedger(LIMIT_BYTES, numbers);
  }

  /** An event loop. */
  @State(Scope.Thread)
  public static class Loop {
    @Setup
    public void begin(LedgerBenchmark shared, ThreadParams threads) {
      LoopNumbers.enter(shared.numbers, threads);
    }
  }

  @Benchmark
  @SuppressWarnings("UnusedVariable") // it gives the thread its number
  public boolean enterAndStrikeOut(Loop loop) {
    boolean entered = ledger.tryReserve(FLOOR_BYTES);
    ledger.release(FLOOR_BYTES);
    return entered;
  }

  @Benchmark
  @SuppressWarnings("UnusedVariable") // it gives the thread its number
  public int enterAskAndStrikeOut(Loop loop) {
    ledger.force(FLOOR_BYTES);
    int readable = ledger.readable(FLOOR_BYTES);
    ledger.release(FLOOR_BYTES);
    return readable;
  }
}
