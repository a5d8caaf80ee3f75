package io.loligo.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/** A committed file of figures by benchmark, and which benchmarks those are. */
final class Baseline {
  /** What a request passes through, each step alone and all of them. */
  private static final String BENCHMARKS =
      "\\.(HitPathBenchmark\\.hit|HeadParserBenchmark\\.loligo|WireBenchmark\\..*"
          + "|CacheBenchmark\\.(key|find|decide|storability)|LogBenchmark\\.line"
          + "|MetricsBenchmark\\.hit)$";

  private final Path file;
  private final String about;
  private final String format;

  /**
   * @param about the file's first line
   * @param format of a figure, for {@link String#format}
   */
  Baseline(String file, String about, String format) {
    this.file = Path.of(file);
    this.about = about;
    this.format = format;
  }

  static ChainedOptionsBuilder benchmarks() {
    return new OptionsBuilder()
        .include(BENCHMARKS)
        .param("contentBytes", "1024", "4096")
        .param("fields", "4", "32")
        .param("cut", "false")
        .param("format", "squid")
        .jvmArgs("-server") // and not those of this JVM
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

  Map<String, Double> read() throws IOException {
    Map<String, Double> figures = new TreeMap<>();
    for (String line : Files.readAllLines(file)) {
      if (!line.startsWith("#")) {
        int tab = line.indexOf('\t');
        figures.put(line.substring(tab + 1), Double.valueOf(line.substring(0, tab)));
      }
    }
    return figures;
  }

  void write(Map<String, Double> figures) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("# " + about);
    figures.forEach(
        (name, each) -> lines.add(String.format(Locale.ROOT, format, each) + "\t" + name));
    Files.write(file, lines);
  }
}
