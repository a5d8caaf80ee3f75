package io.loligo.server.metrics;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.function.Supplier;

/**
 * The certificates of TLS ports for Prometheus: {@value #NAME}. They come and go with the
 * configuration. Thread-safe: any thread.
 */
final class CertificateCollector implements Collector {
  static final String NAME = "loligo_certificate_expiry_seconds";

  private static final String TEXT =
      "Seconds until a certificate of a TLS port expires; negative: it has expired, and stays in"
          + " use because no other could be read.";

  private final Supplier<List<CertificateExpiry>> certificates;

  CertificateCollector(Supplier<List<CertificateExpiry>> certificates) {
    this.certificates = certificates;
  }

  @Override
  public MetricSnapshot collect() {
    GaugeSnapshot.Builder family = GaugeSnapshot.builder().name(NAME).help(TEXT);
    for (CertificateExpiry one : certificates.get()) {
      family.dataPoint(
          GaugeDataPointSnapshot.builder()
              .labels(Labels.of("file", one.file(), "name", one.name(), "port", one.port()))
              .value((double) one.seconds())
              .build());
    }
    return family.build();
  }
}
