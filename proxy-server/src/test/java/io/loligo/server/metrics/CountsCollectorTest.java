package io.loligo.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.helper.HelperCount;
import io.loligo.server.helper.HelperNumbers;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Counts of things, as Prometheus sees them. */
class CountsCollectorTest {
  /** Sorted by name. */
  private final MetricSnapshots collected =
      new CountsCollector<>(
              "helper",
              "program",
              List.of(HelperCount.REPLY_NANOS, HelperCount.QUEUED),
              () ->
                  List.of(
                      new HelperNumbers(
                          "check",
                          Map.of(HelperCount.REPLY_NANOS, 2_500_000_000L, HelperCount.QUEUED, 3L))))
          .collect();

  @Test
  void timesAreInSeconds() {
    CounterSnapshot time = (CounterSnapshot) collected.get(1);
    assertThat(time.getMetadata().getName()).isEqualTo("loligo_helper_reply_seconds");
    assertThat(time.getDataPoints()).singleElement().extracting("value").isEqualTo(2.5);
  }

  @Test
  void whatFallsIsAGaugeWithTheNameOfItsThing() {
    GaugeSnapshot queued = (GaugeSnapshot) collected.get(0);
    assertThat(queued.getMetadata().getName()).isEqualTo("loligo_helper_queued");
    assertThat(queued.getMetadata().getHelp()).isEqualTo(HelperCount.QUEUED.text());
    assertThat(queued.getDataPoints()).singleElement().extracting("value").isEqualTo(3.0);
    assertThat(queued.getDataPoints().get(0).getLabels().get("program")).isEqualTo("check");
  }
}
