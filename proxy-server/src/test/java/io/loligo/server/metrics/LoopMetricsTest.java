package io.loligo.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Protocol;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.record.Stage;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LoopMetricsTest {
  private static ExchangeRecord miss() {
    return SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h");
  }

  private static ExchangeRecord hit() {
    ExchangeRecord record = miss();
    record.tag = LogTag.TCP_MEM_HIT;
    record.hitClass = HitClass.MEMORY_HIT;
    record.serverBytesIn = 0;
    return record;
  }

  private static long value(ProxyMetrics metrics, CounterFamily family, String label) {
    return metrics.value(family, family.labelValues().indexOf(label));
  }

  @Test
  void mergesLoops() {
    ProxyMetrics metrics = new ProxyMetrics(2);
    metrics.loop(0).finished(miss());
    metrics.loop(1).finished(hit());
    metrics.loop(1).finished(hit());
    assertThat(metrics.exchanges()).isEqualTo(3);
    assertThat(metrics.value(Counter.HITS)).isEqualTo(2);
    assertThat(metrics.value(Counter.CLIENT_BYTES_OUT)).isEqualTo(3 * 311);
    assertThat(metrics.value(Counter.HIT_BYTES_OUT)).isEqualTo(2 * 311);
    assertThat(metrics.value(Counter.SERVER_BYTES_IN)).isEqualTo(300);
    assertThat(value(metrics, CounterFamily.CLASS, "memory_hit")).isEqualTo(2);
    assertThat(value(metrics, CounterFamily.RESULT, "TCP_MISS")).isEqualTo(1);
    assertThat(value(metrics, CounterFamily.STATUS, "2xx")).isEqualTo(3);
    assertThat(value(metrics, CounterFamily.HIERARCHY, "HIER_DIRECT")).isEqualTo(3);
    assertThat(metrics.latency(Stage.TOTAL, HitClass.MEMORY_HIT).count()).isEqualTo(2);
    assertThat(metrics.latency(Stage.TOTAL, HitClass.MISS).maxNanos()).isEqualTo(1_900_000);
    assertThat(metrics.latency(Stage.DNS, HitClass.MISS).count()).isZero();
  }

  @Test
  void keepsTheProtocolsApart() {
    ProxyMetrics metrics = new ProxyMetrics(1);
    metrics.loop(0).finished(miss());
    metrics.loop(0).finished(SampleRecord.of("GET http://h/ HTTP/1.0", "Host: h"));
    ExchangeRecord tunnel = miss();
    tunnel.hitClass = HitClass.TUNNEL;
    metrics.loop(0).finished(tunnel);
    metrics.loop(0).finished(SampleRecord.withoutRequest());
    for (Protocol protocol : List.of(Protocol.HTTP_1_0, Protocol.HTTP_1_1)) {
      assertThat(metrics.latency(Stage.TOTAL, HitClass.MISS, protocol).count()).isEqualTo(1);
    }
    assertThat(metrics.latency(Stage.TOTAL, HitClass.MISS, Protocol.HTTP_2).count()).isZero();
    assertThat(metrics.latency(Stage.TOTAL, HitClass.MISS).count()).isEqualTo(2);
    assertThat(metrics.latency(Stage.TOTAL, HitClass.TUNNEL, Protocol.TUNNEL).count()).isEqualTo(1);
  }

  @Test
  void countsErrorsByReason() {
    ProxyMetrics metrics = new ProxyMetrics(1);
    ExchangeRecord record = SampleRecord.withoutRequest();
    metrics.loop(0).finished(record);
    record.status = 503;
    record.errorCode = "ERR_CONNECT_FAIL";
    metrics.loop(0).finished(record);
    record.errorCode = "ERR_OF_TOMORROW";
    record.status = 999;
    metrics.loop(0).finished(record);
    assertThat(value(metrics, CounterFamily.ERROR, "ERR_CONNECT_FAIL")).isEqualTo(1);
    assertThat(value(metrics, CounterFamily.ERROR, "other")).isEqualTo(1);
    assertThat(value(metrics, CounterFamily.STATUS, "none")).isEqualTo(1);
    assertThat(value(metrics, CounterFamily.STATUS, "5xx")).isEqualTo(2);
  }

  /** Pages of deny_info may have any name: only they count as other. */
  @Test
  void eachErrorOfTheProxyHasItsLabel() throws IOException {
    Pattern literal = Pattern.compile("\"(ERR_[A-Z_]+)\"");
    Set<String> named = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
        Matcher found = literal.matcher(Files.readString(file));
        found.results().forEach(one -> named.add(one.group(1)));
      }
    }
    List<String> labels = CounterFamily.ERROR.labelValues();
    assertThat(labels.subList(1, labels.size())).isEqualTo(List.copyOf(named));
  }

  @Test
  void countsAbortsTimeoutsAndCollapses() {
    ProxyMetrics metrics = new ProxyMetrics(1);
    ExchangeRecord record = miss();
    record.aborted = true;
    record.timedOut = true;
    record.collapsed = true;
    metrics.loop(0).finished(record);
    metrics.loop(0).finished(miss());
    assertThat(metrics.value(Counter.ABORTED)).isEqualTo(1);
    assertThat(metrics.value(Counter.TIMED_OUT)).isEqualTo(1);
    assertThat(metrics.value(Counter.COLLAPSED)).isEqualTo(1);
  }

  @Test
  void countsConnectionsOpenedOnOneLoop() {
    ProxyMetrics metrics = new ProxyMetrics(2);
    ConnectionCounters connections = metrics.loop(1).connections();
    connections.clientOpened();
    connections.clientOpened();
    connections.clientIdle();
    connections.clientBusy();
    connections.clientIdle();
    connections.clientClosed();
    connections.serverOpened();
    connections.serverIdle();
    connections.serverLeftPool();
    connections.serverReused();
    connections.serverMultiplexed();
    connections.serverIdle();
    connections.serverConnectFailed();
    connections.tunnelOpened();
    assertThat(metrics.value(ConnectionGauge.CLIENT_OPEN)).isEqualTo(1);
    assertThat(metrics.value(ConnectionGauge.CLIENT_IDLE)).isEqualTo(1);
    assertThat(metrics.value(ConnectionGauge.SERVER_OPEN)).isEqualTo(1);
    assertThat(metrics.value(ConnectionGauge.SERVER_IDLE)).isEqualTo(1);
    assertThat(metrics.value(ConnectionGauge.TUNNEL_OPEN)).isEqualTo(1);
    assertThat(metrics.value(Counter.CLIENT_CONNECTIONS)).isEqualTo(2);
    assertThat(metrics.value(Counter.SERVER_REUSED)).isEqualTo(1);
    assertThat(metrics.value(Counter.SERVER_HTTP2)).isEqualTo(1);
    connections.serverLeftPool();
    connections.serverClosed();
    connections.tunnelClosed();
    assertThat(metrics.value(ConnectionGauge.SERVER_OPEN)).isZero();
    assertThat(metrics.value(ConnectionGauge.SERVER_IDLE)).isZero();
    assertThat(metrics.value(ConnectionGauge.TUNNEL_OPEN)).isZero();
    assertThat(metrics.value(Counter.SERVER_CONNECT_FAILURES)).isEqualTo(1);
  }

  @Test
  void recordingAllocatesNothing() {
    LoopMetrics metrics = new ProxyMetrics(1).loop(0);
    ExchangeRecord record = hit();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 20; round++) {
      long before = threads.getThreadAllocatedBytes(thread);
      for (int i = 0; i < 1000; i++) {
        metrics.finished(record);
      }
      least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
    }
    // the measurement itself allocates a little
    assertThat(least).isLessThan(1000);
  }
}
