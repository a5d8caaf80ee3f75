package io.loligo.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Heap per operation does not grow beyond what {@code allocation.txt} says. Times are of no
 * interest here. Where code was not compiled in time more is allocated: what is above is measured
 * once more and for longer.
 *
 * <p>{@code -Dloligo.allocation.write=true} writes the file anew.
 */
class AllocationTest {
  private static final Path BASELINE = Path.of("allocation.txt");

  /** Octets; of each operation some are allocated by other threads. */
  private static final double TOLERANCE = 16;

  private static final String BENCHMARKS =
      "\\.(HitPathBenchmark\\.hit|HeadParserBenchmark\\.loligo|WireBenchmark\\..*"
          + "|CacheBenchmark\\.(key|find|decide|storability)|LogBenchmark\\.line)$";

  @Test
  void heapOfAnOperationIsWhatItWas() throws RunnerException, IOException {
    if (Boolean.getBoolean("loligo.allocation.write")) {
      write(measure(BENCHMARKS, 5));
    }
    Map<String, Double> expected = read();
    Map<String, Double> measured = measure(BENCHMARKS, 1);
    assertThat(measured.keySet()).isNotEmpty().isEqualTo(expected.keySet());
    if (!above(expected, measured).isEmpty()) {
      measure(BENCHMARKS, 5).forEach((name, octets) -> measured.merge(name, octets, Math::min));
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

  private static Map<String, Double> measure(String benchmarks, int warmUpSeconds)
      throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(benchmarks)
            .param("contentBytes", "1024", "4096")
            .param("fields", "4", "32")
            .param("cut", "false")
            .param("format", "squid")
            .forks(1)
            .jvmArgs("-server") // and not those of this JVM
            .warmupIterations(1)
            .warmupTime(TimeValue.seconds(warmUpSeconds))
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(500))
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT);
    Collection<RunResult> results = new Runner(options.build()).run();
    Map<String, Double> octets = new TreeMap<>();
    for (RunResult result : results) {
      double each = result.getSecondaryResults().get("gc.alloc.rate.norm").getScore();
      octets.put(name(result.getParams()), (double) Math.round(each));
    }
    return octets;
  }

  /** {@code HitPathBenchmark.hit contentBytes=1024 fields=4}. */
  private static String name(BenchmarkParams params) {
    String method = params.getBenchmark();
    int simple = method.lastIndexOf('.', method.lastIndexOf('.') - 1) + 1;
    StringJoiner name = new StringJoiner(" ").add(method.substring(simple));
    for (String key : params.getParamsKeys()) {
      name.add(key + "=" + params.getParam(key));
    }
    return name.toString();
  }

  private static Map<String, Double> read() throws IOException {
    Map<String, Double> octets = new TreeMap<>();
    for (String line : Files.readAllLines(BASELINE)) {
      if (!line.startsWith("#")) {
        int tab = line.indexOf('\t');
        octets.put(line.substring(tab + 1), Double.valueOf(line.substring(0, tab)));
      }
    }
    return octets;
  }

  private static void write(Map<String, Double> octets) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("# Octets of heap per operation; see AllocationTest.");
    octets.forEach((name, each) -> lines.add(each.longValue() + "\t" + name));
    Files.write(BASELINE, lines);
  }
}
