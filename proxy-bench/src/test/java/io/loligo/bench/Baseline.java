package io.loligo.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.DoubleUnaryOperator;
import java.util.regex.Pattern;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** A committed file of figures by benchmark, and which benchmarks those are. Immutable. */
final class Baseline {
  /** All of a miss, which takes longer to be compiled. */
  static final String MISSES = "\\.MissPathBenchmark\\.miss$";

  /** What a hit passes through, each step alone and all of them. */
  private static final String BENCHMARKS =
      "\\.(HitPathBenchmark\\.hit|HeadParserBenchmark\\.loligo|WireBenchmark\\..*"
          + "|CacheBenchmark\\.(key|find|decide|storability)|LogBenchmark\\.line"
          + "|MetricsBenchmark\\.hit)$";

  private final String name;
  private final Path file;
  private final String about;
  private final String format;
  private final DoubleUnaryOperator most;

  /** How figures by benchmark are taken. */
  interface Measure {
    /**
     * Returns figures by name.
     *
     * @param again names of figures that are measured for longer, so that disturbances are kept
     *     out; none: all are measured, quickly
     */
    Map<String, Double> take(Set<String> again) throws RunnerException;
  }

  /**
   * @param name of the file, without {@code .txt}
   * @param about the file's first line
   * @param format of a figure, for {@link String#format}
   * @param most what may be measured where the file has its argument
   */
  Baseline(String name, String about, String format, DoubleUnaryOperator most) {
    this.name = name;
    this.file = Path.of(name + ".txt");
    this.about = about;
    this.format = format;
    this.most = most;
  }

  /**
   * No figure is above what the file allows, nor missing, nor unknown to it. What is above is taken
   * once more; with {@code -Dloligo.NAME.write=true} the file is written anew before.
   */
  void assertHolds(Measure measure) throws RunnerException, IOException {
    if (Boolean.getBoolean("loligo." + name + ".write")) {
      write(measure.take(measure.take(Set.of()).keySet()));
    }
    Map<String, Double> expected = read();
    Map<String, Double> measured = measure.take(Set.of());
    assertThat(measured.keySet()).isNotEmpty().isEqualTo(expected.keySet());
    Set<String> again = above(expected, measured).keySet();
    if (!again.isEmpty()) {
      measure.take(again).forEach((of, figure) -> measured.merge(of, figure, Math::min));
    }
    assertThat(above(expected, measured).values()).isEmpty();
  }

  /** What is wrong with a figure, by its name. */
  private Map<String, String> above(Map<String, Double> expected, Map<String, Double> measured) {
    Map<String, String> above = new TreeMap<>();
    measured.forEach(
        (of, figure) -> {
          if (figure > most.applyAsDouble(expected.get(of))) {
            above.put(of, of + ": " + figure + " instead of " + expected.get(of));
          }
        });
    return above;
  }

  /** Of hits, on stored responses of these sizes. */
  static ChainedOptionsBuilder benchmarks(String... contentBytes) {
    return benchmarksNamed(BENCHMARKS, contentBytes);
  }

  /** {@code which}: a pattern of their names. */
  static ChainedOptionsBuilder benchmarksNamed(String which, String... contentBytes) {
    return options(which)
        .param("contentBytes", contentBytes)
        .param("fields", "4", "32")
        .param("cut", "false")
        .param("format", "squid");
  }

  /** The one benchmark of a {@link #name}. */
  static ChainedOptionsBuilder benchmark(String name) {
    String[] words = name.split(" ", -1);
    ChainedOptionsBuilder options = options("\\." + Pattern.quote(words[0]) + "$");
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      options.param(words[i].substring(0, equals), words[i].substring(equals + 1));
    }
    return options;
  }

  private static ChainedOptionsBuilder options(String which) {
    return new OptionsBuilder()
        .include(which)
        .jvmArgs( // and not those of this JVM
            "-server",
            "-Djmh.executor=CUSTOM",
            "-Djmh.executor.class=" + LoopThreads.class.getName())
        .shouldFailOnError(true)
        .verbosity(VerboseMode.SILENT);
  }

  /** {@code HitPathBenchmark.hit contentBytes=1024 fields=4}. */
  static String name(BenchmarkParams params) {
    String method = params.getBenchmark();
    int simple = method.lastIndexOf('.', method.lastIndexOf('.') - 1) + 1;
    StringJoiner name = new StringJoiner(" ").add(method.substring(simple));
    for (String key : params.getParamsKeys()) {
      name.add(key + "=" + params.getParam(key));
    }
    return name.toString();
  }

  private Map<String, Double> read() throws IOException {
    Map<String, Double> figures = new TreeMap<>();
    for (String line : Files.readAllLines(file)) {
      if (!line.startsWith("#")) {
        int tab = line.indexOf('\t');
        figures.put(line.substring(tab + 1), Double.valueOf(line.substring(0, tab)));
      }
    }
    return figures;
  }

  private void write(Map<String, Double> figures) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("# " + about);
    figures.forEach(
        (name, each) -> lines.add(String.format(Locale.ROOT, format, each) + "\t" + name));
    Files.write(file, lines);
  }
}
