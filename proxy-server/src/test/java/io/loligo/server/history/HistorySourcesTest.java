package io.loligo.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.metrics.Concurrency;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.metrics.DiskTimes;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.metrics.SampleStore;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.SampleDisk;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.record.Stage;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.disk.medium.DiskWatch.DiskOperation;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class HistorySourcesTest {
  private final ProxyMetrics metrics = new ProxyMetrics(2);

  private static Series named(HistorySources sources, String name) {
    Series series = sources.series().named(name);
    assertThat(series).as(name).isNotNull();
    return series;
  }

  private static ExchangeRecord record(HitClass hitClass, long dnsNanos) {
    ExchangeRecord record = SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h");
    record.hitClass = hitClass;
    record.stage(Stage.DNS, dnsNanos);
    return record;
  }

  @Test
  void countersAndTimesOfAllLoopsGrow() {
    metrics.loop(0).finished(record(HitClass.MISS, 5_000));
    HistorySources sources = new HistorySources(metrics);
    Sampler sampler = new Sampler(sources);
    metrics.loop(0).finished(record(HitClass.MISS, 1_000_000));
    metrics.loop(1).finished(record(HitClass.REVALIDATED, 3_000_000));
    ExchangeRecord hit = SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h");
    hit.hitClass = HitClass.MEMORY_HIT;
    hit.tag = LogTag.TCP_MEM_HIT;
    metrics.loop(1).finished(hit);
    Interval sample = sampler.sample(1, 1000);
    assertThat(sample.sum(named(sources, "hits"))).isEqualTo(1);
    assertThat(sample.sum(named(sources, "client_sent_bytes"))).isEqualTo(3 * 311);
    assertThat(sample.sum(named(sources, "exchanges.miss"))).isEqualTo(1);
    assertThat(sample.sum(named(sources, "exchanges.revalidated"))).isEqualTo(1);
    assertThat(sample.sum(named(sources, "results.tcp_mem_hit"))).isEqualTo(1);
    for (HitClass one : HitClass.values()) {
      String name = "time." + one.name().toLowerCase(Locale.ROOT);
      boolean isUsed =
          List.of(HitClass.MISS, HitClass.REVALIDATED, HitClass.MEMORY_HIT).contains(one);
      assertThat(sample.count(named(sources, name))).as(name).isEqualTo(isUsed ? 1 : 0);
    }
    assertThat(sample.count(named(sources, "stage.total"))).isEqualTo(3);
    assertThat(sample.count(named(sources, "stage.dns"))).isEqualTo(2);
    assertThat(sample.meanNanos(named(sources, "stage.dns"))).isEqualTo(2_000_000);
    assertThat(sample.percentileNanos(named(sources, "stage.dns"), 50))
        .isBetween(960_000L, 1_040_000L);
    assertThat(sample.count(named(sources, "stage.disk_queue"))).isZero();
    assertThat(sampler.sample(2, 1000).count(named(sources, "stage.dns"))).isZero();
  }

  @Test
  void hasTheTimesOfTheDiskAndTheMeanOfWhatIsInProgress() {
    AtomicLong clock = new AtomicLong();
    DiskTimes disk = new DiskTimes(clock::get);
    Concurrency sampled = new Concurrency(metrics, disk, 0);
    HistorySources sources = new HistorySources(metrics);
    sources.diskTimes(disk);
    sources.concurrency(sampled);
    Sampler sampler = new Sampler(sources);
    disk.waited(4_000_000);
    disk.stored(5_000, 3_000_000, 0, 0);
    disk.began(DiskOperation.READ);
    clock.set(6_000_000);
    disk.ended(DiskOperation.READ, 1_000_000, 10);
    clock.set(10_000_000);
    sampled.sample(10_000_000);
    Interval sample = sampler.sample(1, 1000);
    assertThat(sample.meanNanos(named(sources, "disk_time.write_queue"))).isEqualTo(4_000_000);
    assertThat(sample.meanNanos(named(sources, "disk_time.read"))).isEqualTo(1_000_000);
    assertThat(sample.count(named(sources, "disk_time.write"))).isZero();
    assertThat(sample.meanNanos(named(sources, "disk_time.store_8k"))).isEqualTo(3_000_000);
    assertThat(sample.sum(named(sources, "disk_shared_writes"))).isEqualTo(1);
    Series reads = named(sources, "concurrency.disk_reads");
    assertThat(reads.isOfNumbers()).isTrue();
    assertThat(sample.count(reads)).isEqualTo(5);
    assertThat(sample.mean(reads, 1)).isEqualTo(3 / 5.0);
    assertThat(sample.percentileNanos(reads, 75)).isEqualTo(1);
    assertThat(named(sources, "disk_time.read").isOfNumbers()).isFalse();
    assertThat(sample.sum(named(sources, "concurrency_disk_reads_samples"))).isEqualTo(5);
    assertThat(sample.sum(named(sources, "concurrency_disk_reads_sum"))).isEqualTo(3);
    assertThat(sample.sum(named(sources, "concurrency_requests_samples"))).isEqualTo(1);
  }

  @Test
  void hasTheNumbersOfStoreDisksMemoryAndConnections() {
    metrics.ledger().add("cache", "", () -> 77);
    metrics.loop(1).connections().clientOpened();
    AtomicReference<DiskStats> disk =
        new AtomicReference<>(SampleDisk.of("/d", DiskStats.State.OFF, ""));
    HistorySources sources = new HistorySources(metrics);
    sources.store(SampleStore::stats);
    sources.disks(() -> List.of(disk.get()));
    Sampler sampler = new Sampler(sources);
    Interval sample = sampler.sample(1, 1000);
    assertThat(sample.maximum(named(sources, "memory_used_bytes.cache"))).isEqualTo(77);
    assertThat(sample.maximum(named(sources, "client_connections"))).isEqualTo(1);
    assertThat(sample.maximum(named(sources, "store_entries"))).isEqualTo(1);
    assertThat(sample.maximum(named(sources, "store_transit_used_bytes"))).isEqualTo(9);
    assertThat(sample.sum(named(sources, "store_insertions"))).as("nothing more").isZero();
    assertThat(sample.maximum(named(sources, "disk./d.used_bytes"))).isEqualTo(2);
    assertThat(sample.sum(named(sources, "disk./d.hits"))).as("nothing more").isZero();
    disk.set(DiskStats.of("/d", "squid.conf:7").hits(9).build());
    sample = sampler.sample(2, 1000);
    assertThat(sample.sum(named(sources, "disk./d.hits"))).isEqualTo(5);
    assertThat(sample.sum(named(sources, "disk./d.evictions"))).as("fell").isZero();
  }

  @Test
  void eachNumberOfTheMetricsHasASeriesWithAPlainName() {
    HistorySources sources = new HistorySources(metrics);
    int labels = 0;
    for (CounterFamily family : CounterFamily.values()) {
      labels += family.labelValues().size();
    }
    assertThat(sources.series().room(Series.Kind.COUNTER)).isGreaterThan(labels);
    assertThat(sources.series().room(Series.Kind.TIMES))
        .isEqualTo(HitClass.values().length + Stage.values().length);
    assertThat(sources.series().all())
        .allSatisfy(series -> assertThat(series.name()).matches("[a-z0-9_.]+"));
  }

  @Test
  void twoSeriesOfOneNameAreAMistake() {
    HistorySources sources = new HistorySources(metrics);
    assertThatThrownBy(() -> sources.counter("hits", () -> 0)).hasMessageContaining("hits");
  }
}
