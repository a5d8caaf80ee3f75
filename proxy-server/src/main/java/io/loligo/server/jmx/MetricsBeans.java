package io.loligo.server.jmx;

import io.loligo.server.metrics.Concurrency;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.metrics.DiskTimes;
import io.loligo.server.metrics.LatencySnapshot;
import io.loligo.server.metrics.MemoryOwners;
import io.loligo.server.metrics.PeerCount;
import io.loligo.server.metrics.PeerNumbers;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Protocol;
import io.loligo.server.record.Stage;
import io.loligo.store.disk.medium.DiskWatch.DiskOperation;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The beans that show {@link ProxyMetrics}. Thread-safe: any thread. */
final class MetricsBeans {
  private MetricsBeans() {}

  record Classes(ProxyMetrics metrics) implements ClassesMXBean {
    @Override
    public long getExchanges() {
      return metrics.exchanges();
    }

    @Override
    public long getHits() {
      return metrics.value(Counter.HITS);
    }

    @Override
    public double getHitRatio() {
      return ratio(getHits(), getExchanges());
    }

    @Override
    public double getByteHitRatio() {
      return ratio(metrics.value(Counter.HIT_BYTES_OUT), getClientSentBytes());
    }

    @Override
    public Map<String, Long> getByClass() {
      return family(CounterFamily.CLASS);
    }

    @Override
    public Map<String, Long> getByResult() {
      return family(CounterFamily.RESULT);
    }

    @Override
    public Map<String, Long> getByStatus() {
      return family(CounterFamily.STATUS);
    }

    @Override
    public Map<String, Long> getErrors() {
      return family(CounterFamily.ERROR);
    }

    @Override
    public long getClientReceivedBytes() {
      return metrics.value(Counter.CLIENT_BYTES_IN);
    }

    @Override
    public long getClientSentBytes() {
      return metrics.value(Counter.CLIENT_BYTES_OUT);
    }

    @Override
    public long getServerReceivedBytes() {
      return metrics.value(Counter.SERVER_BYTES_IN);
    }

    @Override
    public long getServerSentBytes() {
      return metrics.value(Counter.SERVER_BYTES_OUT);
    }

    private Map<String, Long> family(CounterFamily family) {
      Map<String, Long> values = new TreeMap<>();
      for (int i = 0; i < family.labelValues().size(); i++) {
        values.put(family.labelValues().get(i), metrics.value(family, i));
      }
      return values;
    }

    private static double ratio(long part, long whole) {
      return whole == 0 ? 0 : part / (double) whole;
    }
  }

  record Stages(ProxyMetrics metrics) implements StagesMXBean {
    @Override
    public Map<String, StageTimes> getTimes() {
      Map<String, StageTimes> times = new TreeMap<>();
      for (Stage stage : Stage.values()) {
        for (HitClass hitClass : HitClass.values()) {
          LatencySnapshot latency = metrics.latency(stage, hitClass);
          if (latency.count() > 0) {
            times.put(
                stage.text() + "/" + hitClass.name().toLowerCase(Locale.ROOT),
                StageTimes.of(latency));
          }
        }
      }
      return times;
    }

    @Override
    public Map<String, StageTimes> getProtocolTimes() {
      Map<String, StageTimes> times = new TreeMap<>();
      for (Protocol protocol : Protocol.values()) {
        LatencySnapshot latency = new LatencySnapshot();
        metrics.addLatency(protocol, latency);
        if (latency.count() > 0) {
          times.put(protocol.text(), StageTimes.of(latency));
        }
      }
      return times;
    }

    @Override
    public StageTimes times(String stage, String hitClass) {
      return StageTimes.of(metrics.latency(stage(stage), hitClass(hitClass)));
    }

    private static Stage stage(String name) {
      for (Stage stage : Stage.values()) {
        if (stage.text().equalsIgnoreCase(name)) {
          return stage;
        }
      }
      throw unknown(name, Stream.of(Stage.values()).map(Stage::text));
    }

    private static HitClass hitClass(String name) {
      for (HitClass hitClass : HitClass.values()) {
        if (hitClass.name().equalsIgnoreCase(name)) {
          return hitClass;
        }
      }
      throw unknown(
          name, Stream.of(HitClass.values()).map(one -> one.name().toLowerCase(Locale.ROOT)));
    }

    private static IllegalArgumentException unknown(String name, Stream<String> known) {
      return new IllegalArgumentException(
          name + " (expected: one of " + known.collect(Collectors.joining(", ")) + ")");
    }
  }

  record Sampled(ProxyMetrics metrics, Concurrency sampled) implements ConcurrencyMXBean {
    @Override
    public long getRequests() {
      return metrics.value(ConnectionGauge.REQUEST_OPEN);
    }

    @Override
    public long getForwarded() {
      return metrics.value(ConnectionGauge.FORWARDED_OPEN);
    }

    @Override
    public Map<String, SampledNumbers> getSamples() {
      Map<String, SampledNumbers> samples = new TreeMap<>();
      for (Concurrency.Of of : Concurrency.Of.values()) {
        LatencySnapshot numbers = new LatencySnapshot();
        sampled.addTo(numbers, of);
        samples.put(of.name().toLowerCase(Locale.ROOT), SampledNumbers.of(numbers));
      }
      return samples;
    }
  }

  record FileWork(DiskTimes disk) implements DiskTimesMXBean {
    @Override
    public Map<String, StageTimes> getTimes() {
      Map<String, StageTimes> times = new TreeMap<>();
      for (DiskTimes.Part part : DiskTimes.Part.values()) {
        LatencySnapshot latency = new LatencySnapshot();
        disk.addTo(latency, part);
        times.put(part.name().toLowerCase(Locale.ROOT), StageTimes.of(latency));
      }
      return times;
    }

    @Override
    public int getReading() {
      return disk.inProgress(DiskOperation.READ);
    }

    @Override
    public int getWriting() {
      return disk.inProgress(DiskOperation.WRITE);
    }
  }

  record Connections(ProxyMetrics metrics) implements ConnectionsMXBean {
    @Override
    public long getClientOpen() {
      return metrics.value(ConnectionGauge.CLIENT_OPEN);
    }

    @Override
    public long getClientIdle() {
      return metrics.value(ConnectionGauge.CLIENT_IDLE);
    }

    @Override
    public long getServerOpen() {
      return metrics.value(ConnectionGauge.SERVER_OPEN);
    }

    @Override
    public long getServerIdle() {
      return metrics.value(ConnectionGauge.SERVER_IDLE);
    }

    @Override
    public long getTunnels() {
      return metrics.value(ConnectionGauge.TUNNEL_OPEN);
    }

    @Override
    public long getClientAccepted() {
      return metrics.value(Counter.CLIENT_CONNECTIONS);
    }

    @Override
    public long getServerConnected() {
      return metrics.value(Counter.SERVER_CONNECTIONS);
    }

    @Override
    public long getServerReused() {
      return metrics.value(Counter.SERVER_REUSED);
    }

    @Override
    public long getServerHttp2() {
      return metrics.value(Counter.SERVER_HTTP2);
    }

    @Override
    public long getServerConnectFailed() {
      return metrics.value(Counter.SERVER_CONNECT_FAILURES);
    }
  }

  record Ledger(MemoryOwners ledger) implements MemoryLedgerMXBean {
    @Override
    public Map<String, Long> getUsedBytes() {
      Map<String, Long> used = new TreeMap<>();
      ledger.owners().forEach(o -> used.put(o.name(), o.usedBytes().getAsLong()));
      return used;
    }

    @Override
    public Map<String, Long> getLimitBytes() {
      Map<String, Long> limits = new TreeMap<>();
      ledger.owners().forEach(o -> limits.put(o.name(), o.limitBytes().getAsLong()));
      return limits;
    }

    @Override
    public Map<String, String> getOwners() {
      Map<String, String> owners = new TreeMap<>();
      ledger.owners().forEach(o -> owners.put(o.name(), o.text()));
      return owners;
    }
  }

  record Parents(Supplier<List<PeerNumbers>> peers) implements ParentsMXBean {
    private <T> Map<String, T> facts(Function<PeerNumbers, T> fact) {
      Map<String, T> all = new TreeMap<>();
      peers.get().forEach(one -> all.put(one.name(), fact.apply(one)));
      return all;
    }

    @Override
    public Map<String, Boolean> getUp() {
      return facts(PeerNumbers::up);
    }

    @Override
    public Map<String, Integer> getConnections() {
      return facts(PeerNumbers::connections);
    }

    @Override
    public Map<String, Integer> getFailures() {
      return facts(PeerNumbers::failures);
    }

    @Override
    public Map<String, Long> getGoodChecks() {
      return facts(PeerNumbers::goodChecks);
    }

    @Override
    public Map<String, Long> getBadChecks() {
      return facts(PeerNumbers::badChecks);
    }

    @Override
    public Map<String, String> getLastCheck() {
      return facts(PeerNumbers::lastCheck);
    }

    @Override
    public Map<String, Integer> getTurnPercent() {
      return facts(PeerNumbers::turnPercent);
    }

    @Override
    public Map<String, Integer> getRoundTripMillis() {
      return facts(PeerNumbers::roundTripMillis);
    }

    @Override
    public Map<String, Map<String, Long>> getTraffic() {
      return CountsBeans.numbers(PeerCount.values(), peers.get());
    }

    @Override
    public Map<String, String> getTexts() {
      return CountsBeans.texts(PeerCount.values());
    }
  }

  record Misses(ProxyMetrics metrics) implements MissesMXBean {
    @Override
    public Map<String, Map<String, Long>> getOrigins() {
      return metrics.originMisses();
    }
  }
}
