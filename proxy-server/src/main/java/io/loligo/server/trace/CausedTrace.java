package io.loligo.server.trace;

import io.loligo.core.message.Fields;
import io.loligo.server.record.ExchangeRecord;
import org.jspecify.annotations.Nullable;

/**
 * The trace of a fetch in the background. The exchange that caused it does not wait for it, and may
 * end first: so it begins a trace of its own, with a link to that exchange, as OpenTelemetry
 * recommends for work that a request starts and leaves. Immutable.
 *
 * @param own the new trace, and the span of the fetch, its root
 * @param cause the trace of the exchange, and its span
 */
public record CausedTrace(TraceParent own, TraceParent cause) {
  /**
   * A trace that {@code cause}, whose request has {@code fields}, borrowed, begins; null: its
   * caller does not record it. Ids follow from those of the exchange and its key, as in {@link
   * Span}: an exchange of several slices may cause several fetches.
   */
  public static @Nullable CausedTrace of(Fields fields, ExchangeRecord cause) {
    TraceParent parent = TraceParent.of(fields);
    if (parent == null || !parent.sampled()) {
      return null;
    }
    long exchange = Span.EXCHANGE.id(cause);
    long high = Span.mixed(exchange ^ cause.keyHigh);
    long low = Span.mixed(high ^ cause.keyLow);
    TraceParent own = new TraceParent(high, low, Span.mixed(low + exchange), TraceParent.SAMPLED);
    return new CausedTrace(
        own, new TraceParent(parent.traceHigh(), parent.traceLow(), exchange, parent.flags()));
  }

  /** The value of traceparent for the next hop: a new string. */
  public String sent() {
    return own.sentBy(own.spanId());
  }
}
