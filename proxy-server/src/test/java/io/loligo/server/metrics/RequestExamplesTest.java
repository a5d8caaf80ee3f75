package io.loligo.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.SampleRecord;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class RequestExamplesTest {
  private static final long[] BOUNDS = {10, 20};

  private final RequestExamples examples = new RequestExamples(BOUNDS);
  private final ExchangeRecord record = SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h");

  private void set(long number, long nanos) {
    record.number = number;
    record.idPrefix = 0xabc;
    record.endMillis = number;
    examples.set(record, nanos);
  }

  @Test
  void eachBucketHasItsLastExchange() {
    set(1, 10);
    set(2, 11);
    set(3, 9);
    set(4, 21);
    assertThat(examples.get(0)).isEqualTo(new RequestExamples.Example("0000000000000abc-3", 9, 3));
    assertThat(examples.get(1).nanos()).isEqualTo(11);
    assertThat(examples.get(2).nanos()).isEqualTo(21);
  }

  @Test
  void anExchangeWithoutAnIdIsNone() {
    set(0, 5);
    assertThat(examples.get(0)).isNull();
  }

  @Test
  void aGivenIdIsTheIdUnlessItIsTooLongForAnExemplar() {
    record.givenId = "theirs";
    set(1, 5);
    assertThat(examples.get(0).requestId()).isEqualTo("theirs");
    record.givenId = "x".repeat(RequestExamples.MAX_ID_CHARS);
    set(1, 5);
    assertThat(examples.get(0).requestId()).hasSize(118);
    record.givenId = "x".repeat(RequestExamples.MAX_ID_CHARS + 1);
    set(1, 5);
    assertThat(examples.get(0)).isNull();
  }

  @Test
  void aReaderSeesNoMixtureOfTwoExchanges() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              for (long i = 1; !over.get(); i++) {
                record.givenId = i % 2 == 0 ? "g" + i % 10 : null;
                set(i % 10 + 1, i % 10);
              }
            });
    writer.start();
    try {
      int seen = 0;
      while (seen < 20_000) {
        RequestExamples.Example one = examples.get(0);
        if (one != null) {
          seen++;
          assertThat(one.endMillis()).isEqualTo(one.nanos() + 1);
          String own = "0000000000000abc-" + Long.toHexString(one.endMillis());
          assertThat(one.requestId()).isEqualTo(one.nanos() % 2 == 0 ? "g" + one.nanos() : own);
        }
      }
    } finally {
      over.set(true);
      writer.join();
    }
  }
}
