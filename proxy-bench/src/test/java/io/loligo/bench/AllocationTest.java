package io.loligo.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
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
      new Baseline("allocation.txt", "Octets of heap per operation; see AllocationTest.", "%.0f");

  /** Octets; of each operation some are allocated by other threads. */
  private static final double TOLERANCE = 16;

  @Test
  void heapOfAnOperationIsWhatItWas() throws RunnerException, IOException {
    if (Boolean.getBoolean("loligo.allocation.write")) {
      BASELINE.write(measure(5));
    }
    Map<String, Double> expected = BASELINE.read();
    Map<String, Double> measured = measure(1);
    assertThat(measured.keySet()).isNotEmpty().isEqualTo(expected.keySet());
    if (!above(expected, measured).isEmpty()) {
      measure(5).forEach((name, octets) -> measured.merge(name, octets, Math::min));
    }
    assertThat(above(expected, measured)).isEmpty();
  }

  private static List<String> above(Map<String, Double> expected, Map<String, Double> measured) {
    List<String> above = new ArrayList<>();
    measured.forEach(
        (name, octets) -> {
          if (octets > expected.get(name) + TOLERANCE) {
            above.add(name + ": " + octets + " B/op instead of " + expected.get(name));
          }
        });
    return above;
  }

  private static Map<String, Double> measure(int warmUpSeconds) throws RunnerException {
    Map<String, Double> octets = new TreeMap<>();
    for (RunResult result :
        new Runner(
                Baseline.benchmarks()
                    .forks(1)
                    .warmupIterations(1)
                    .warmupTime(TimeValue.seconds(warmUpSeconds))
                    .measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(500))
                    .addProfiler(GCProfiler.class)
                    .build())
            .run()) {
      double each = result.getSecondaryResults().get("gc.alloc.rate.norm").getScore();
      octets.put(Baseline.name(result.getParams()), (double) Math.round(each));
    }
    return octets;
  }
}
