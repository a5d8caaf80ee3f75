package io.loligo.bench;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Time per operation does not grow beyond {@value #MARGIN} times what {@code times.txt} says, in
 * multiples of {@code YardstickBenchmark}; only where it is named, on a machine that does nothing
 * else. Whatever disturbs makes times longer: the quickest iteration counts, and what is above is
 * measured once more.
 *
 * <p>{@code -Dloligo.times.write=true} writes the file anew.
 */
class TimesCheck {
  private static final double MARGIN = 1.5;
  private static final Baseline BASELINE =
      new Baseline(
          "times",
          "Time per operation, in multiples of YardstickBenchmark; see TimesCheck.",
          "%.3f",
          times -> times * MARGIN);

  private static final String YARDSTICK = "YardstickBenchmark.work";

  @Test
  void timeOfAnOperationIsWhatItWas() throws RunnerException, IOException {
    BASELINE.assertHolds(TimesCheck::measure);
  }

  /** By benchmark, its quickest iteration over the yardstick's; of all, whatever {@code again}. */
  private static Map<String, Double> measure(Set<String> again) throws RunnerException {
    Map<String, Double> nanos = new TreeMap<>();
    for (RunResult result :
        new Runner(
                Baseline.benchmarks("1024", "4096")
                    .include(Baseline.MISSES)
                    .include("\\." + YARDSTICK + "$")
                    .forks(2)
                    .warmupIterations(again.isEmpty() ? 3 : 6)
                    .warmupTime(TimeValue.seconds(1))
                    .measurementIterations(5)
                    .measurementTime(TimeValue.milliseconds(500))
                    .build())
            .run()) {
      nanos.put(Baseline.name(result.getParams()), quickest(result));
    }
    double yardstick = nanos.remove(YARDSTICK);
    nanos.replaceAll((name, each) -> each / yardstick);
    return nanos;
  }

  private static double quickest(RunResult result) {
    double quickest = Double.MAX_VALUE;
    for (BenchmarkResult fork : result.getBenchmarkResults()) {
      for (IterationResult iteration : fork.getIterationResults()) {
        quickest = Math.min(quickest, iteration.getPrimaryResult().getScore());
      }
    }
    return quickest;
  }
}
