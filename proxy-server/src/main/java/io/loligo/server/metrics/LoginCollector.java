package io.loligo.server.metrics;

import io.loligo.server.login.LoginCount;
import io.loligo.server.login.LoginCounts;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The schemes of logins for Prometheus, one series for each. They come and go with the
 * configuration. Thread-safe: any thread.
 */
final class LoginCollector implements MultiCollector {
  private final Supplier<List<LoginCounts>> schemes;

  LoginCollector(Supplier<List<LoginCounts>> schemes) {
    this.schemes = schemes;
  }

  @Override
  public MetricSnapshots collect() {
    List<LoginCounts> all = schemes.get();
    List<MetricSnapshot> shown = new ArrayList<>();
    for (LoginCount count : LoginCount.values()) {
      shown.add(count.isGauge() ? gauge(count, all) : counter(count, all));
    }
    return new MetricSnapshots(shown);
  }

  private static MetricSnapshot counter(LoginCount count, List<LoginCounts> all) {
    CounterSnapshot.Builder family =
        CounterSnapshot.builder().name("loligo_login_" + count.key()).help(count.text());
    for (LoginCounts one : all) {
      family.dataPoint(
          CounterDataPointSnapshot.builder()
              .labels(Labels.of("scheme", one.scheme()))
              .value(one.value(count) * count.unit())
              .build());
    }
    return family.build();
  }

  private static MetricSnapshot gauge(LoginCount count, List<LoginCounts> all) {
    GaugeSnapshot.Builder family =
        GaugeSnapshot.builder().name("loligo_login_" + count.key()).help(count.text());
    for (LoginCounts one : all) {
      family.dataPoint(
          GaugeDataPointSnapshot.builder()
              .labels(Labels.of("scheme", one.scheme()))
              .value(one.value(count) * count.unit())
              .build());
    }
    return family.build();
  }
}
