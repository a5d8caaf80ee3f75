package io.loligo.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.SampleDisk;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.record.Stage;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.disk.medium.DiskWatch.DiskOperation;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MetricsExportTest {
  private static final Pattern SAMPLE =
      Pattern.compile(
          "([a-zA-Z_:][a-zA-Z0-9_:]*(?:\\{(?:[a-zA-Z_]+=\"(?:[^\"\\\\]|\\\\.)*\",?)*})?)"
              + " ([-+0-9.eE]+|NaN|[+-]Inf)");

  private final ProxyMetrics metrics = new ProxyMetrics(2);
  private MetricsExport export;

  @BeforeEach
  void exportMetrics() {
    export = new MetricsExport(metrics);
  }

  @AfterEach
  void close() {
    export.close();
  }

  /** Every sample by its name with labels; fails on a line that is none and no comment. */
  private Map<String, Double> scrape() {
    Map<String, Double> samples = new LinkedHashMap<>();
    for (String line : export.prometheusText().lines().toList()) {
      if (!line.startsWith("# HELP ") && !line.startsWith("# TYPE ")) {
        Matcher sample = SAMPLE.matcher(line);
        assertThat(sample.matches()).as(line).isTrue();
        String number = sample.group(2).replace("Inf", "Infinity");
        assertThat(samples.put(sample.group(1), Double.valueOf(number))).as(line).isNull();
      }
    }
    return samples;
  }

  @Test
  void countersAndGaugesCarryLoligosNames() {
    metrics.loop(0).finished(SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h"));
    metrics.loop(1).connections().clientOpened();
    assertThat(scrape())
        .containsEntry("loligo_exchanges_total{class=\"miss\"}", 1.0)
        .containsEntry("loligo_exchanges_total{class=\"memory_hit\"}", 0.0)
        .containsEntry("loligo_results_total{result=\"TCP_MISS\"}", 1.0)
        .containsEntry("loligo_client_sent_bytes_total", 311.0)
        .containsEntry("loligo_client_connections", 1.0);
  }

  @Test
  void everyDeclaredCounterIsExportedWithItsText() {
    String text = export.prometheusText();
    for (Counter counter : Counter.values()) {
      assertThat(text).contains(counter.text());
    }
    for (CounterFamily family : CounterFamily.values()) {
      assertThat(text).contains(family.text());
    }
  }

  @Test
  void stagesAreHistogramsInSeconds() {
    ExchangeRecord record = SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h");
    for (long millis : new long[] {2, 20, 200}) {
      record.stage(Stage.TOTAL, millis * 1_000_000);
      metrics.loop(0).finished(record);
    }
    String labels = "{class=\"miss\",protocol=\"1.1\",stage=\"total\"";
    Map<String, Double> samples = scrape();
    assertThat(samples)
        .containsEntry("loligo_stage_duration_seconds_count" + labels + "}", 3.0)
        .containsEntry("loligo_stage_duration_seconds_sum" + labels + "}", 0.222)
        .containsEntry("loligo_stage_duration_seconds_bucket" + labels + ",le=\"0.001\"}", 0.0)
        .containsEntry("loligo_stage_duration_seconds_bucket" + labels + ",le=\"0.0025\"}", 1.0)
        .containsEntry("loligo_stage_duration_seconds_bucket" + labels + ",le=\"0.025\"}", 2.0)
        .containsEntry("loligo_stage_duration_seconds_bucket" + labels + ",le=\"+Inf\"}", 3.0);
    assertThat(samples.keySet()).noneMatch(name -> name.contains("stage=\"dns\""));
  }

  @Test
  void exemplarsHaveTheIdsOfRequestsOnceOpenMetricsWasAskedFor() {
    ExchangeRecord record = SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h");
    record.number = 0x1f;
    record.idPrefix = 0xabc;
    record.endMillis = 1_700_000_000_500L;
    record.stage(Stage.TOTAL, 20_000_000);
    metrics.loop(0).finished(record);
    assertThat(export.openMetricsText()).doesNotContain("request_id").endsWith("# EOF\n");
    metrics.loop(1).finished(record);
    record.number = 0x20;
    record.endMillis++;
    metrics.loop(0).finished(record);
    assertThat(export.openMetricsText())
        .contains(
            "loligo_stage_duration_seconds_bucket{class=\"miss\",protocol=\"1.1\","
                + "stage=\"total\",le=\"0.025\"} 3"
                + " # {request_id=\"0000000000000abc-20\"} 0.02 1700000000.501\n")
        .doesNotContain("-1f")
        .doesNotContainPattern("_count\\{[^\n]* # ");
    assertThat(export.prometheusText()).doesNotContain("request_id");
  }

  @Test
  void timesOfTheDiskAndWhatIsInProgressAreHistograms() {
    AtomicLong clock = new AtomicLong();
    DiskTimes disk = new DiskTimes(clock::get);
    Concurrency sampled = new Concurrency(metrics, disk, 0);
    export.diskTimes(disk);
    export.concurrency(sampled);
    disk.began(DiskOperation.WRITE);
    clock.set(6_000_000);
    disk.ended(DiskOperation.WRITE, 2_000_000, 10);
    String time = "loligo_disk_operation_duration_seconds";
    assertThat(scrape())
        .containsEntry(time + "_sum{operation=\"write\"}", 0.002)
        .containsEntry(time + "_bucket{operation=\"write\",le=\"0.001\"}", 0.0)
        .containsEntry(time + "_bucket{operation=\"write\",le=\"0.0025\"}", 1.0)
        .doesNotContainKey(time + "_sum{operation=\"read\"}")
        .containsEntry("loligo_concurrency_sum{of=\"disk_writes\"}", 3.0)
        .containsEntry("loligo_concurrency_bucket{of=\"disk_writes\",le=\"0.0\"}", 0.0)
        .containsEntry("loligo_concurrency_bucket{of=\"disk_writes\",le=\"1.0\"}", 3.0)
        .containsEntry("loligo_concurrency_bucket{of=\"disk_reads\",le=\"0.0\"}", 3.0)
        .doesNotContainKey("loligo_concurrency_sum{of=\"requests\"}");
  }

  @Test
  void ledgerStoreAndOwnCountersAppear() {
    metrics.ledger().addProcess(PooledByteBufAllocator.DEFAULT).add("log", "queue", () -> 7);
    export.ledger(metrics.ledger());
    export.store(SampleStore::stats);
    export.counter("loligo.access.log.dropped", null, "Lines dropped.", () -> 12);
    assertThat(scrape())
        .containsEntry("loligo_memory_used_bytes{owner=\"log\"}", 7.0)
        .containsEntry("loligo_memory_limit_bytes{owner=\"log\"}", -1.0)
        .containsEntry("loligo_store_entries", 1.0)
        .containsEntry("loligo_store_memory_used_bytes", 2.0)
        .containsEntry("loligo_store_evictions_total", 6.0)
        .containsEntry("loligo_access_log_dropped_total", 12.0)
        .containsKey("loligo_memory_used_bytes{owner=\"heap\"}");
  }

  @Test
  void everyCacheDirShowsItsStateAndNumbers() {
    export.disks(
        () ->
            List.of(
                SampleDisk.of("/a", DiskStats.State.READY, ""),
                SampleDisk.of("/b", DiskStats.State.OFF, "no space")));
    System.gc();
    assertThat(scrape())
        .containsEntry("loligo_disk_state{path=\"/a\",state=\"ready\"}", 1.0)
        .containsEntry("loligo_disk_state{path=\"/b\",state=\"ready\"}", 0.0)
        .containsEntry("loligo_disk_state{path=\"/b\",state=\"off\"}", 1.0)
        .containsEntry("loligo_disk_capacity_bytes{path=\"/a\"}", 1.0)
        .containsEntry("loligo_disk_objects{path=\"/b\"}", 3.0)
        .containsEntry("loligo_disk_single_read_hits_total{path=\"/a\"}", 2.0)
        .containsEntry("loligo_disk_skipped_queue_full_total{path=\"/a\"}", 9.0)
        .containsEntry("loligo_disk_scrubbed_blocks_total{path=\"/a\"}", 16.0);
  }

  @Test
  void metersSurviveACollection() {
    export.gauge("loligo.some", null, "some", () -> 3);
    System.gc();
    assertThat(scrape()).containsEntry("loligo_some", 3.0);
  }

  @Test
  void jmxRegistryShowsTheSameNumbers() throws Exception {
    metrics.loop(0).finished(SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h"));
    ObjectName pattern = new ObjectName(MetricsExport.JMX_DOMAIN + ":name=loligoExchanges*miss,*");
    var names = ManagementFactory.getPlatformMBeanServer().queryNames(pattern, null);
    assertThat(names).hasSize(1);
    assertThat(
            ManagementFactory.getPlatformMBeanServer()
                .getAttribute(names.iterator().next(), "Count"))
        .isEqualTo(1L);
  }
}
