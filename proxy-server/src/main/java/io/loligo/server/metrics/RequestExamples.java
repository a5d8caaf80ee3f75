package io.loligo.server.metrics;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.RequestId;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The last exchange in each bucket of a histogram, for exemplars. One event loop writes, without a
 * lock or an allocation; any thread reads.
 *
 * <p>The version of a bucket is odd while its facts change. A reader takes facts only if the
 * version is even and has not changed meanwhile.
 */
final class RequestExamples {
  /** The longest id that an exemplar may have beside the name of its label, in characters. */
  static final int MAX_ID_CHARS = 128 - StageCollector.EXAMPLE_LABEL.length();

  private static final int NUMBERS = 5;
  private static final int VERSION = 0;
  private static final int NANOS = 1;
  private static final int MILLIS = 2;
  private static final int NUMBER = 3;
  private static final int PREFIX = 4;

  private final long[] boundsNanos;
  private final Cells cells;

  /**
   * The memory of all buckets: a write is seen after those before it. Not final: a test runs a
   * reader between any two writes, and a writer between any two reads.
   */
  static class Cells {
    private final AtomicLongArray numbers;
    private final AtomicReferenceArray<@Nullable String> given;

    Cells(int buckets) {
      numbers = new AtomicLongArray(buckets * NUMBERS);
      given = new AtomicReferenceArray<>(buckets);
    }

    long number(int at) {
      return numbers.get(at);
    }

    void number(int at, long value) {
      numbers.lazySet(at, value);
    }

    @Nullable String given(int bucket) {
      return given.get(bucket);
    }

    void given(int bucket, @Nullable String id) {
      given.lazySet(bucket, id);
    }
  }

  /**
   * One exchange.
   *
   * @param nanos its duration
   * @param endMillis the wall clock at its end, milliseconds since the epoch
   */
  record Example(String requestId, long nanos, long endMillis) {}

  RequestExamples(long[] boundsNanos) {
    this(boundsNanos, new Cells(boundsNanos.length + 1));
  }

  RequestExamples(long[] boundsNanos, Cells cells) {
    this.boundsNanos = boundsNanos;
    this.cells = cells;
  }

  int buckets() {
    return boundsNanos.length + 1;
  }

  /** For the owner: {@code record} took {@code nanos}. */
  void set(ExchangeRecord record, long nanos) {
    if (record.number == 0 && record.givenId == null) {
      return;
    }
    int bucket = 0;
    while (bucket < boundsNanos.length && nanos > boundsNanos[bucket]) {
      bucket++;
    }
    int at = bucket * NUMBERS;
    long version = cells.number(at + VERSION);
    cells.number(at + VERSION, version + 1);
    cells.number(at + NANOS, nanos);
    cells.number(at + MILLIS, record.endMillis);
    cells.number(at + NUMBER, record.number);
    cells.number(at + PREFIX, record.idPrefix);
    cells.given(bucket, record.givenId);
    cells.number(at + VERSION, version + 2);
  }

  /** The last exchange in {@code bucket}; null: none, or it changes at this moment. Any thread. */
  @Nullable Example get(int bucket) {
    int at = bucket * NUMBERS;
    long version = cells.number(at + VERSION);
    long nanos = cells.number(at + NANOS);
    long millis = cells.number(at + MILLIS);
    long number = cells.number(at + NUMBER);
    long prefix = cells.number(at + PREFIX);
    String id = cells.given(bucket);
    if (version == 0 || (version & 1) != 0 || version != cells.number(at + VERSION)) {
      return null;
    }
    String text = id == null ? RequestId.text(prefix, number) : id;
    return text.length() > MAX_ID_CHARS ? null : new Example(text, nanos, millis);
  }
}
