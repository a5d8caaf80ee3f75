package io.loligo.server.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The parents for Prometheus, one series for each. They come and go with the configuration.
 * Thread-safe: any thread.
 */
final class PeerCollector implements MultiCollector {
  private final Supplier<List<PeerNumbers>> peers;

  PeerCollector(Supplier<List<PeerNumbers>> peers) {
    this.peers = peers;
  }

  @Override
  public MetricSnapshots collect() {
    List<PeerNumbers> all = peers.get();
    return new MetricSnapshots(
        gauge("up", "1: requests are sent to the parent; 0: it is down.", all, n -> n.up() ? 1 : 0),
        gauge("connections", "Open connections to the parent.", all, PeerNumbers::connections),
        gauge(
            "round_trip_seconds",
            "Average time of the peer's replies to queries by ICP or HTCP; 0: none yet.",
            all,
            n -> n.roundTripMillis() / 1_000.0),
        checks(all));
  }

  private static MetricSnapshot gauge(
      String name, String text, List<PeerNumbers> all, ToDoubleFunction<PeerNumbers> value) {
    GaugeSnapshot.Builder family = GaugeSnapshot.builder().name("loligo_peer_" + name).help(text);
    for (PeerNumbers one : all) {
      family.dataPoint(
          GaugeDataPointSnapshot.builder()
              .labels(Labels.of("peer", one.name()))
              .value(value.applyAsDouble(one))
              .build());
    }
    return family.build();
  }

  private static MetricSnapshot checks(List<PeerNumbers> all) {
    CounterSnapshot.Builder family =
        CounterSnapshot.builder()
            .name("loligo_peer_checks")
            .help("Checks of the parent by monitorurl=, by result.");
    for (PeerNumbers one : all) {
      family.dataPoint(checks(one, "good", (double) one.goodChecks()));
      family.dataPoint(checks(one, "bad", (double) one.badChecks()));
    }
    return family.build();
  }

  private static CounterDataPointSnapshot checks(PeerNumbers one, String result, double value) {
    return CounterDataPointSnapshot.builder()
        .labels(Labels.of("peer", one.name(), "result", result))
        .value(value)
        .build();
  }
}
