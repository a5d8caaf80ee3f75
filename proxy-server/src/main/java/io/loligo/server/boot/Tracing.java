package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.services.BackgroundFetches;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.time.TimeSource;
import io.loligo.server.trace.Collector;
import io.loligo.server.trace.SpanCounts;
import io.loligo.server.trace.SpanSender;
import io.loligo.server.trace.SpanSink;
import io.loligo.server.trace.TraceDirectives;
import java.net.URI;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Spans for a collector, while {@code loligo_otlp} names one. Thread-safe. */
final class Tracing implements Part {
  private final String version;
  private final TimeSource time;
  private final SpanCounts counts = new SpanCounts();
  private final SpanSink spans = new SpanSink(this::sender);

  /** Null: no collector is named. */
  private volatile @Nullable SpanSender sender;

  Tracing(ProxyConfig config, String version, TimeSource time) {
    this.version = version;
    this.time = time;
    sender = senderTo(collector(config));
  }

  private @Nullable SpanSender sender() {
    return sender;
  }

  private static @Nullable Collector collector(ProxyConfig config) {
    URI place = config.get(TraceDirectives.OTLP);
    return place == null
        ? null
        : new Collector(place, config.get(IdentityDirectives.VISIBLE_HOSTNAME));
  }

  private @Nullable SpanSender senderTo(@Nullable Collector collector) {
    return collector == null
        ? null
        : new SpanSender(
            collector, version, counts, time, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** A sink that calls {@code first}, and then makes spans, if {@code config} has a collector. */
  ExchangeSink behind(ExchangeSink first, ProxyConfig config) {
    return collector(config) == null ? first : first.then(spans);
  }

  /** The same for fetches without a client. */
  BackgroundFetches.Sink alone(ExchangeSink first, ProxyConfig config) {
    return collector(config) == null
        ? (record, trace) -> first.finished(record)
        : (record, trace) -> {
          first.finished(record);
          spans.ended(record, trace);
        };
  }

  @Override
  public void reconfigured(ProxyConfig before, ProxyConfig now) {
    Collector wanted = collector(now);
    if (!Objects.equals(collector(before), wanted)) {
      SpanSender old = sender;
      sender = senderTo(wanted);
      if (old != null) {
        old.close();
      }
    }
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.counter(
        "loligo.otlp.exchanges.sent",
        null,
        "Sampled exchanges, and fetches in the background, whose spans the collector has taken.",
        counts::sent);
    export.counter(
        "loligo.otlp.exchanges.dropped",
        null,
        "Sampled exchanges, and fetches in the background, whose spans were dropped: the collector"
            + " refused them, or did not take them in time.",
        counts::dropped);
    export.counter(
        "loligo.otlp.spans.rejected",
        null,
        "Spans that the collector rejected of requests that it took (partial success).",
        counts::rejectedSpans);
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.counter("otlp_exchanges_sent", counts::sent);
    sources.counter("otlp_exchanges_dropped", counts::dropped);
    sources.counter("otlp_spans_rejected", counts::rejectedSpans);
  }

  @Override
  public void close() {
    SpanSender last = sender;
    if (last != null) {
      last.close();
    }
  }
}
