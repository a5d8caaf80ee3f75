package io.loligo.server.boot;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;

/**
 * All that takes the finished exchanges of an event loop, in this order. Confined to the loop.
 *
 * <p>Each sink has a call of its own, where the JIT compiler sees one class only and compiles it
 * into this method. A chain of {@link ExchangeSink#then} has one call for all of them.
 *
 * @param metrics counters and histograms
 * @param traffic tables of clients and origins; other nodes are no clients
 * @param findings about origins
 * @param sizes samples for forecasts of cache sizes
 * @param decisions the last decisions for each key
 * @param log the access log
 */
record LoopSinks(
    ExchangeSink metrics,
    ExchangeSink traffic,
    ExchangeSink findings,
    ExchangeSink sizes,
    ExchangeSink decisions,
    ExchangeSink log)
    implements ExchangeSink {
  @Override
  public void finished(ExchangeRecord record) {
    metrics.finished(record);
    if (!record.ofNode) {
      traffic.finished(record);
    }
    findings.finished(record);
    sizes.finished(record);
    decisions.finished(record);
    log.finished(record);
  }
}
