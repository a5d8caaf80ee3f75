package io.loligo.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MetricsOnDemandTest {
  private final AtomicInteger made = new AtomicInteger();
  private final MetricsOnDemand metrics =
      new MetricsOnDemand(
          () -> {
            made.incrementAndGet();
            return new MetricsExport(new ProxyMetrics(1));
          });

  @Test
  void nothingIsMadeForNobody() {
    metrics.close();
    assertThat(made).hasValue(0);
  }

  @Test
  void theExportIsMadeOnce() {
    MetricsExport first = metrics.get();
    assertThat(metrics.get()).isSameAs(first);
    metrics.close();
    assertThat(made).hasValue(1);
    assertThat(first.registry().isClosed()).isTrue();
  }

  @Test
  void nothingIsMadeAfterTheEnd() {
    metrics.close();
    assertThatThrownBy(metrics::get).isInstanceOf(IllegalStateException.class);
    assertThat(made).hasValue(0);
  }
}
