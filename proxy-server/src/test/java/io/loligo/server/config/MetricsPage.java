package io.loligo.server.config;

import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.boot.Proxy;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All metrics of a process, as the page {@code docs/reference/metrics.md}. Immutable. */
final class MetricsPage {
  /** Metrics of the virtual machine that come and go. */
  private static final Pattern PASSING = Pattern.compile("jvm_gc_(pause|concurrent)");

  /**
   * Labels of families that have no series without a configuration, by the begin of their names.
   */
  private static final Map<String, String> LABELS =
      ofPairs(
          "loligo_login_", "scheme",
          "loligo_helper_", "helper",
          "loligo_peer_checks", "peer, result",
          "loligo_peer_", "peer",
          "loligo_pool_", "pool",
          "loligo_icap_", "service",
          "loligo_certificate_", "file, name, port",
          "loligo_stage_", "class, protocol, stage",
          "loligo_disk_operation_", "operation",
          "loligo_origin_misses", "cause, origin",
          "loligo_concurrency", "of");

  private static Map<String, String> ofPairs(String... pairs) {
    Map<String, String> map = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return Map.copyOf(map);
  }

  /** Units, by the end of a name. */
  private static final Map<String, String> UNITS =
      Map.of("seconds", "seconds", "bytes", "bytes", "milliseconds", "milliseconds", "ns", "ns");

  private final List<Metric> metrics;

  private record Metric(String name, String type, String unit, String labels, String text) {
    /** The names of its samples. */
    List<String> samples() {
      return type.equals("histogram") || type.equals("summary")
          ? List.of(name + "_bucket", name + "_sum", name + "_count", name)
          : List.of(name);
    }
  }

  private MetricsPage(List<Metric> metrics) {
    this.metrics = metrics;
  }

  /** Starts a process and reads its metrics. */
  static MetricsPage ofAProcess() {
    try {
      Path dir = Files.createTempDirectory("metrics");
      try (Proxy proxy = start(dir)) {
        List<Metric> all = new ArrayList<>();
        for (MetricSnapshot family : proxy.exportMetrics().families()) {
          if (!PASSING.matcher(family.getMetadata().getPrometheusName()).lookingAt()) {
            all.add(metric(family));
          }
        }
        all.sort(Comparator.comparing(Metric::name));
        return new MetricsPage(all);
      } finally {
        delete(dir);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Proxy start(Path dir) throws IOException {
    String text =
        """
        http_port 127.0.0.1:0
        loligo_admin_port 127.0.0.1:0
        loligo_event_loops 1
        access_log none
        cache_log %1$s/cache.log
        pid_filename none
        cache_mem 8 MB
        cache_dir rock %1$s/cache 16
        loligo_otlp http://127.0.0.1:9
        """
            .formatted(dir);
    return Proxy.start(
        Features.reader(new FileConfigSource()).readText("test.conf", text).config());
  }

  private static void delete(Path dir) throws IOException {
    try (Stream<Path> files = Files.walk(dir)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static Metric metric(MetricSnapshot family) {
    String name = family.getMetadata().getPrometheusName();
    String type = "gauge";
    if (family instanceof CounterSnapshot) {
      type = "counter";
      name = name.endsWith("_total") ? name : name + "_total";
    } else if (family instanceof HistogramSnapshot) {
      type = "histogram";
    } else if (family instanceof SummarySnapshot) {
      type = "summary";
    }
    String help = family.getMetadata().getHelp();
    return new Metric(name, type, unit(name), labels(name, family), help == null ? "" : help);
  }

  private static String unit(String name) {
    String measured = name.replaceFirst("_total$", "");
    return name.endsWith("_usage")
        ? "share"
        : UNITS.getOrDefault(measured.replaceFirst(".*_", ""), "");
  }

  private static String labels(String name, MetricSnapshot family) {
    Set<String> labels = new TreeSet<>();
    for (DataPointSnapshot point : family.getDataPoints()) {
      for (Label label : point.getLabels()) {
        labels.add(label.getName());
      }
    }
    return family.getDataPoints().isEmpty()
        ? LABELS.keySet().stream()
            .filter(name::startsWith)
            .max(Comparator.comparing(String::length))
            .map(LABELS::get)
            .orElse("")
        : String.join(", ", labels);
  }

  /** The names of all samples that a scrape may have. */
  Set<String> samples() {
    return metrics.stream().flatMap(one -> one.samples().stream()).collect(Collectors.toSet());
  }

  /** The page. */
  String markdown() {
    StringBuilder page =
        new StringBuilder(
            """
            # Metrics

            <!-- Generated by ReferencePagesTest from a running process. Do not edit. -->

            `/metrics` of the [admin port](../watching.md#the-admin-port) has these metrics for Prometheus. JMX has the same ones, other
            than histograms and those of helpers, logins, parents, pools and ICAP services, which have beans of their own.

            A counter only grows; it begins at 0 with the process. A histogram has the samples `_bucket`, `_sum` and `_count`. A metric without
            a unit is a number of things. Labels that name a parent, a helper or another part of the configuration have a series for each of them.

            """);
    table(page, "Loligo", one -> one.name().startsWith("loligo_"));
    table(page, "The virtual machine and the system", one -> !one.name().startsWith("loligo_"));
    page.append(
        """

        After a garbage collection, `jvm_gc_pause_seconds` (summary) and `jvm_gc_pause_seconds_max` (gauge) have its pauses by `action`,
        `cause` and `gc`. The collector decides which other metrics of `jvm_gc_` exist.
        """);
    return page.toString();
  }

  private void table(StringBuilder page, String title, Predicate<Metric> filter) {
    page.append("## ").append(title);
    page.append(
        "\n\n| metric | type | unit | labels | meaning |\n| --- | --- | --- | --- | --- |\n");
    metrics.stream().filter(filter).forEach(one -> row(page, one));
    page.append(title.equals("Loligo") ? "\n" : "");
  }

  private static void row(StringBuilder page, Metric one) {
    page.append("| `").append(one.name()).append("` | ").append(one.type());
    page.append(" | ").append(one.unit()).append(" | ").append(one.labels());
    page.append(" | ").append(one.text().replace("|", "\\|")).append(" |\n");
  }
}
