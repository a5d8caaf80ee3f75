package io.loligo.server.trace;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes the spans of sampled exchanges and fetches, on the event loop of each: that takes some
 * microseconds. Thread-safe.
 */
public final class SpanSink implements ExchangeSink {
  private final Supplier<@Nullable SpanSender> sender;

  /** Passes spans to the present {@code sender}; null: there is none at this moment. */
  public SpanSink(Supplier<@Nullable SpanSender> sender) {
    this.sender = sender;
  }

  @Override
  public void finished(ExchangeRecord record) {
    TraceParent parent = record.request == null ? null : TraceParent.of(record.request.fields());
    SpanSender present = parent == null || !parent.sampled() ? null : sender.get();
    if (parent != null && present != null) {
      present.offer(SpanJson.spans(record, parent));
    }
  }

  /**
   * The same for a fetch in the background that has ended.
   *
   * @param record of the fetch, borrowed
   * @param trace null: its cause is not sampled
   */
  public void ended(ExchangeRecord record, @Nullable CausedTrace trace) {
    SpanSender present = trace == null ? null : sender.get();
    if (trace != null && present != null) {
      present.offer(SpanJson.background(record, trace));
    }
  }
}
