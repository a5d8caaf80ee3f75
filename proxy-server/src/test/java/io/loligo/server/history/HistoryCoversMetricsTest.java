package io.loligo.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.boot.Features;
import io.loligo.server.boot.FileConfigSource;
import io.loligo.server.boot.Proxy;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each counter and gauge of the metrics of a process is in its history. */
class HistoryCoversMetricsTest {
  private static final int HISTORY_BYTES = 1 << 20;

  /** Metrics without a series: the begin of their name, and the reason. */
  private static final Map<String, String> LEFT_OUT =
      Map.ofEntries(
          Map.entry("loligo_origin_misses", "names of origins are not in the history"),
          Map.entry("loligo_certificate_expiry", "tells the future, not the past"),
          Map.entry("loligo_memory_limit", "a setting"),
          Map.entry("loligo_descriptors_limit", "a setting"),
          Map.entry("loligo_store_memory_limit", "a setting"),
          Map.entry("loligo_store_transit_limit", "a setting"),
          Map.entry("loligo_store_weight_limit", "a setting"),
          Map.entry("loligo_disk_state", "/disk has it, with its reason"),
          Map.entry("jvm_", "of the virtual machine: memory_used_bytes, gc_pauses are there"),
          Map.entry("process_files", "descriptors_used"),
          Map.entry("process_cpu_usage", "process_cpu_time_microseconds"),
          Map.entry("process_start_time", "of the machine"),
          Map.entry("process_uptime", "of the machine"),
          Map.entry("system_", "of the machine"));

  private static final Pattern DISK = Pattern.compile("disk_(?!late)(.*)");

  @TempDir Path dir;

  private Proxy start() throws IOException {
    String text =
        """
        http_port 127.0.0.1:0
        loligo_admin_port 127.0.0.1:0
        loligo_event_loops 1
        access_log none
        pid_filename none
        cache_mem 8 MB
        cache_dir rock %1$s/cache 16
        loligo_otlp http://127.0.0.1:9
        cache_peer 127.0.0.1 parent 9 0 no-query name=parent
        external_acl_type checked children-max=1 children-startup=0 %%SRC /bin/cat
        auth_param basic program /bin/cat
        auth_param basic children 1 startup=0
        delay_pools 1
        delay_class 1 1
        delay_parameters 1 1000/1000
        delay_access 1 allow all
        icap_enable on
        icap_service scan reqmod_precache icap://127.0.0.1:9/scan bypass=on
        """
            .formatted(dir);
    return Proxy.start(
        Features.reader(new FileConfigSource()).readText("test.conf", text).config());
  }

  /** The name of the series of a metric, or the begin of the names if it has labels. */
  private static String series(String metric) {
    String name =
        metric
            .replaceFirst("^loligo_", "")
            .replaceFirst("_total$", "")
            .replaceFirst("_(seconds|ns)$", "_microseconds");
    return DISK.matcher(name).matches() ? "disk." + metric : name;
  }

  private static boolean isThere(List<Series> all, String metric) {
    String wanted = series(metric);
    for (Series one : all) {
      String name = one.name();
      if (name.equals(wanted)
          || name.startsWith(wanted + '.')
          || (wanted.startsWith("disk.")
              && name.startsWith("disk.")
              && metric.endsWith("_disk_" + name.replaceFirst(".*[.]", "")))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isLeftOut(String metric) {
    return LEFT_OUT.keySet().stream().anyMatch(metric::startsWith);
  }

  @Test
  void eachCounterAndGaugeHasASeries() throws IOException {
    try (Proxy proxy = start()) {
      History history = proxy.keepHistory(HISTORY_BYTES, null).history();
      List<String> missing = new ArrayList<>();
      List<String> unneeded = new ArrayList<>(LEFT_OUT.keySet());
      int compared = 0;
      for (MetricSnapshot family : proxy.exportMetrics().families()) {
        String metric = family.getMetadata().getPrometheusName();
        unneeded.removeIf(metric::startsWith);
        if (family instanceof CounterSnapshot || family instanceof GaugeSnapshot) {
          compared++;
          if (!isLeftOut(metric) && !isThere(history.series(), metric)) {
            missing.add(metric);
          }
        }
      }
      assertThat(compared).isGreaterThan(150);
      assertThat(missing).as("without a series in the history").isEmpty();
      assertThat(unneeded).as("left out, but no metric").isEmpty();
      System.err.println(
          "rooms "
              + history.list().room(Series.Kind.COUNTER)
              + " "
              + history.list().room(Series.Kind.GAUGE)
              + " "
              + history.list().room(Series.Kind.TIMES)
              + " of "
              + history.series().size());
      assertThat(history.list().room(Series.Kind.COUNTER))
          .isBetween(1_000, HistoryTest.MOST_COUNTERS);
      assertThat(history.list().room(Series.Kind.GAUGE)).isBetween(300, HistoryTest.MOST_GAUGES);
      assertThat(history.list().room(Series.Kind.TIMES)).isBetween(20, HistoryTest.MOST_TIMES);
    }
  }
}
