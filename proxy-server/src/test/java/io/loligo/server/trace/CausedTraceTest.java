package io.loligo.server.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.SampleRecord;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CausedTraceTest {
  private static final String SAMPLED =
      "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03";

  private static ExchangeRecord exchange(String field, long number, long key) {
    ExchangeRecord record = SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h", field);
    record.idPrefix = 0xabc;
    record.number = number;
    record.keyHigh = key;
    record.keyLow = -key;
    return record;
  }

  private static CausedTrace of(ExchangeRecord record) {
    return CausedTrace.of(record.request.fields(), record);
  }

  @Test
  void isLinkedToTheSpanOfTheExchange() {
    ExchangeRecord record = exchange(SAMPLED, 1, 2);
    TraceParent parent = TraceParent.of(record.request.fields());
    CausedTrace trace = of(record);
    assertThat(trace.cause())
        .isEqualTo(
            new TraceParent(
                parent.traceHigh(), parent.traceLow(), Span.EXCHANGE.id(record), parent.flags()));
    assertThat(trace.sent())
        .isEqualTo(
            "00-" + trace.own().traceId() + "-" + TraceParent.digits(trace.own().spanId()) + "-01");
  }

  /** An exchange of several slices has several keys. */
  @Test
  void eachExchangeAndKeyHasATraceOfItsOwn() {
    Set<Long> ids = new HashSet<>();
    for (int number = 1; number <= 10; number++) {
      for (int key = 0; key < 10; key++) {
        TraceParent own = of(exchange(SAMPLED, number, key)).own();
        ids.addAll(Set.of(own.traceHigh(), own.traceLow(), own.spanId()));
      }
    }
    assertThat(ids).hasSize(300);
  }

  @Test
  void aCauseThatIsNotSampledBeginsNone() {
    assertThat(of(exchange("A: b", 1, 2))).isNull();
    assertThat(of(exchange(SAMPLED.replace("-03", "-02"), 1, 2))).isNull();
  }
}
