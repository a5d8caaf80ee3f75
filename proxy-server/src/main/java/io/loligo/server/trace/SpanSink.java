package io.loligo.server.trace;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;

/**
 * Makes the spans of sampled exchanges, on the event loop of each: that takes some microseconds.
 * Thread-safe.
 */
public final class SpanSink implements ExchangeSink {
  private final SpanSender sender;

  /** Passes spans to {@code sender}. */
  public SpanSink(SpanSender sender) {
    this.sender = sender;
  }

  @Override
  public void finished(ExchangeRecord record) {
    TraceParent parent = record.request == null ? null : TraceParent.of(record.request.fields());
    if (parent != null && parent.sampled() && sender.hasRoom()) {
      sender.offer(SpanJson.spans(record, parent));
    }
  }
}
