package io.loligo.server.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Fields;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.SampleRecord;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** W3C Trace Context, sections 3.2 and 4.3. */
class TraceParentTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";
  private static final String SAMPLED = "00-" + TRACE + "-" + SPAN + "-01";

  private static Fields fields(String... lines) {
    return SampleRecord.of("GET http://h/ HTTP/1.1", lines).request.fields();
  }

  private static TraceParent of(String value) {
    return TraceParent.of(fields("traceparent: " + value));
  }

  @Test
  void readsTheFourParts() {
    TraceParent read = of(SAMPLED);
    assertThat(read.traceId()).isEqualTo(TRACE);
    assertThat(read.spanId()).isEqualTo(0xb7ad6b7169203331L);
    assertThat(read.sampled()).isTrue();
    assertThat(of("00-" + TRACE + "-" + SPAN + "-00").sampled()).isFalse();
    assertThat(of("00-" + TRACE + "-" + SPAN + "-02").sampled()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cc-" + TRACE + "-" + SPAN + "-01",
        "cc-" + TRACE + "-" + SPAN + "-01-what-the-future-will-be-like",
        "01-" + TRACE + "-" + SPAN + "-ff-"
      })
  void readsLaterVersionsAsFarAsTheyAreKnown(String value) {
    assertThat(of(value).sampled()).isTrue();
    assertThat(of(value).sentBy(1)).startsWith("00-" + TRACE + "-0000000000000001-0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "ff-" + TRACE + "-" + SPAN + "-01",
        "00-" + TRACE + "-" + SPAN + "-01-more",
        "00-" + TRACE + "-" + SPAN + "-01.",
        "cc-" + TRACE + "-" + SPAN + "-01.more",
        "00-" + TRACE + "-" + SPAN + "-1",
        "00-" + TRACE + "-" + SPAN,
        "00-0AF7651916CD43DD8448EB211C80319C-" + SPAN + "-01",
        "0x-" + TRACE + "-" + SPAN + "-01",
        "00-" + TRACE + "-" + SPAN + "-0g",
        "00-00000000000000000000000000000000-" + SPAN + "-01",
        "00-" + TRACE + "-0000000000000000-01",
        "00_" + TRACE + "-" + SPAN + "-01",
        "00-" + TRACE + "_" + SPAN + "-01",
        "00-" + TRACE + "-" + SPAN + "_01",
        SAMPLED + ", " + SAMPLED
      })
  void refusesEverythingElse(String value) {
    assertThat(of(value)).isNull();
  }

  @Test
  void severalFieldsAreNone() {
    assertThat(TraceParent.of(fields("traceparent: " + SAMPLED, "Traceparent: " + SAMPLED)))
        .isNull();
    assertThat(TraceParent.of(fields("a: b"))).isNull();
    assertThat(TraceParent.of(fields("TraceParent: " + SAMPLED))).isNotNull();
  }

  @Test
  void sendsOnlyKnownFlags() {
    assertThat(of("00-" + TRACE + "-" + SPAN + "-ff").sentBy(255))
        .isEqualTo("00-" + TRACE + "-00000000000000ff-03");
  }

  @Test
  void spansOfAllExchangesHaveDifferentIds() {
    Set<Long> ids = new HashSet<>();
    ExchangeRecord record = new ExchangeRecord();
    record.idPrefix = 0x5f3a9c01d2e47b88L;
    for (int loop = 0; loop < 4; loop++, record.idPrefix++) {
      for (record.number = 1; record.number <= 1000; record.number++) {
        for (Span span : Span.values()) {
          ids.add(span.id(record));
        }
      }
    }
    assertThat(ids).hasSize(4 * 1000 * Span.values().length);
  }
}
