package io.loligo.bench;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Heap per operation does not grow beyond what {@code allocation.txt} says. Times are of no
 * interest here. Where code was not compiled in time more is allocated: what is above is measured
 * once more and for longer.
 *
 * <p>{@code -Dloligo.allocation.write=true} writes the file anew.
 */
class AllocationTest {
  private static final Baseline BASELINE =
      new Baseline(
          "allocation",
          "Bytes of heap per operation; see AllocationTest.",
          "%.0f",
          AllocationTest::most);

  /** Other threads allocate for each operation, too: a few bytes, or a part of a miss. */
  private static double most(double bytes) {
    return bytes < 1000 ? bytes + 16 : bytes * 1.1;
  }

  @Test
  void heapOfAnOperationIsWhatItWas() throws RunnerException, IOException {
    BASELINE.assertHolds(AllocationTest::measure);
  }

  private static Map<String, Double> measure(Set<String> again) throws RunnerException {
    Map<String, Double> bytes = new TreeMap<>();
    if (again.isEmpty()) {
      measure(Baseline.benchmarks("4096"), 1, bytes);
      measure(Baseline.benchmarksNamed(Baseline.MISSES, "4096"), 5, bytes);
    }
    for (String name : again) {
      measure(Baseline.benchmark(name), 10, bytes);
    }
    return bytes;
  }

  private static void measure(
      ChainedOptionsBuilder benchmarks, int warmUpSeconds, Map<String, Double> bytes)
      throws RunnerException {
    for (RunResult result :
        new Runner(
                benchmarks
                    .forks(1)
                    .warmupIterations(1)
                    .warmupTime(TimeValue.seconds(warmUpSeconds))
                    .measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(500))
                    .addProfiler(GCProfiler.class)
                    .build())
            .run()) {
      double each = result.getSecondaryResults().get("gc.alloc.rate.norm").getScore();
      bytes.put(Baseline.name(result.getParams()), (double) Math.round(each));
    }
  }
}
