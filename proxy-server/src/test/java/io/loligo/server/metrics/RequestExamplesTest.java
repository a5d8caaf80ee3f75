package io.loligo.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.RequestId;
import io.loligo.server.record.SampleRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** Runs something else at one moment: the moments are before and after each operation. */
  private static final class Interrupted extends RequestExamples.Cells {
    private static final Runnable NOTHING = () -> {};

    private int left;
    private Runnable other = NOTHING;

    Interrupted() {
      super(BOUNDS.length + 1);
    }

    /** Runs {@code task} once, at the {@code moment}th moment from now, from 0. */
    void at(int moment, Runnable task) {
      left = moment;
      other = task;
    }

    /** Whether there was no such moment. */
    boolean isOver() {
      boolean over = other != NOTHING;
      other = NOTHING;
      return over;
    }

    private void moment() {
      if (other != NOTHING && left-- == 0) {
        Runnable now = other;
        other = NOTHING;
        now.run();
      }
    }

    @Override
    long number(int at) {
      moment();
      long value = super.number(at);
      moment();
      return value;
    }

    @Override
    void number(int at, long value) {
      moment();
      super.number(at, value);
      moment();
    }

    @Override
    String given(int bucket) {
      moment();
      String id = super.given(bucket);
      moment();
      return id;
    }

    @Override
    void given(int bucket, String id) {
      moment();
      super.given(bucket, id);
      moment();
    }
  }

  private final Interrupted cells = new Interrupted();
  private final RequestExamples interrupted = new RequestExamples(BOUNDS, cells);

  /** All facts of an exchange follow from its number; those with an even one were given an id. */
  private void setInterrupted(long number) {
    record.number = number;
    record.idPrefix = 0xabc + number;
    record.endMillis = 1_000 + number;
    record.givenId = number % 2 == 0 ? "given" + number : null;
    interrupted.set(record, number);
  }

  private static RequestExamples.Example example(long number) {
    String own = RequestId.text(0xabc + number, number);
    return new RequestExamples.Example(
        number % 2 == 0 ? "given" + number : own, number, 1_000 + number);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void aReaderBetweenAnyTwoWritesSeesOneExchangeOrNone(long first) {
    List<RequestExamples.Example> seen = new ArrayList<>();
    int moment = 0;
    do {
      setInterrupted(first);
      cells.at(moment++, () -> seen.add(interrupted.get(0)));
      setInterrupted(first + 1);
    } while (!cells.isOver());
    assertThat(seen)
        .hasSizeGreaterThan(12)
        .contains(example(first), null, example(first + 1))
        .containsOnly(example(first), null, example(first + 1));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void aReaderThatAWriterInterruptsSeesOneExchangeOrNone(long first) {
    List<RequestExamples.Example> seen = new ArrayList<>();
    int moment = 0;
    do {
      setInterrupted(first);
      cells.at(moment++, () -> setInterrupted(first + 1));
      seen.add(interrupted.get(0));
    } while (!cells.isOver());
    assertThat(seen)
        .hasSizeGreaterThan(12)
        .contains(example(first), null, example(first + 1))
        .containsOnly(example(first), null, example(first + 1));
  }
}
