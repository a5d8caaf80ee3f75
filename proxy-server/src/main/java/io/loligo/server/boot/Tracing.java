package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.exchange.settings.IdentityDirectives;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.trace.SpanSender;
import io.loligo.server.trace.SpanSink;
import io.loligo.server.trace.TraceDirectives;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Spans for a collector, if {@code loligo_otlp} names one. Thread-safe. */
final class Tracing implements Part {
  private final @Nullable SpanSender sender;

  Tracing(ProxyConfig config, String version) {
    URI collector = config.get(TraceDirectives.OTLP);
    sender =
        collector == null
            ? null
            : new SpanSender(collector, config.get(IdentityDirectives.VISIBLE_HOSTNAME), version);
  }

  /** A sink that calls {@code first}, and then makes spans, if a collector wants them. */
  ExchangeSink behind(ExchangeSink first) {
    return sender == null ? first : first.then(new SpanSink(sender));
  }

  @Override
  public void open() {
    if (sender != null) {
      sender.start();
    }
  }

  @Override
  public void showMeters(MetricsExport export) {
    if (sender != null) {
      export.counter(
          "loligo.otlp.exchanges.sent",
          null,
          "Sampled exchanges whose spans the collector has taken.",
          sender::sent);
      export.counter(
          "loligo.otlp.exchanges.dropped",
          null,
          "Sampled exchanges whose spans were dropped: the collector did not take them in time.",
          sender::dropped);
    }
  }

  @Override
  public void showHistory(HistorySources sources) {
    if (sender != null) {
      sources.counter("otlp_exchanges_sent", sender::sent);
      sources.counter("otlp_exchanges_dropped", sender::dropped);
    }
  }

  @Override
  public void close() {
    if (sender != null) {
      sender.close();
    }
  }
}
