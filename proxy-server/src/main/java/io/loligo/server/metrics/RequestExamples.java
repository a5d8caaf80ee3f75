package io.loligo.server.metrics;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.RequestId;
import java.util.concurrent.atomic.AtomicIntegerArray;
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

  private static final int FACTS = 4;
  private static final int NANOS = 0;
  private static final int MILLIS = 1;
  private static final int NUMBER = 2;
  private static final int PREFIX = 3;

  private final long[] boundsNanos;
  private final AtomicIntegerArray versions;
  private final AtomicLongArray facts;
  private final AtomicReferenceArray<@Nullable String> given;

  /**
   * One exchange.
   *
   * @param nanos its duration
   * @param endMillis the wall clock at its end, milliseconds since the epoch
   */
  record Example(String requestId, long nanos, long endMillis) {}

  RequestExamples(long[] boundsNanos) {
    this.boundsNanos = boundsNanos;
    int buckets = boundsNanos.length + 1;
    versions = new AtomicIntegerArray(buckets);
    facts = new AtomicLongArray(buckets * FACTS);
    given = new AtomicReferenceArray<>(buckets);
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
    int version = versions.getPlain(bucket);
    versions.lazySet(bucket, version + 1);
    int at = bucket * FACTS;
    facts.lazySet(at + NANOS, nanos);
    facts.lazySet(at + MILLIS, record.endMillis);
    facts.lazySet(at + NUMBER, record.number);
    facts.lazySet(at + PREFIX, record.idPrefix);
    given.lazySet(bucket, record.givenId);
    versions.lazySet(bucket, version + 2);
  }

  /** The last exchange in {@code bucket}; null: none, or it changes at this moment. Any thread. */
  @Nullable Example get(int bucket) {
    int version = versions.get(bucket);
    int at = bucket * FACTS;
    long nanos = facts.get(at + NANOS);
    long millis = facts.get(at + MILLIS);
    long number = facts.get(at + NUMBER);
    long prefix = facts.get(at + PREFIX);
    String id = given.get(bucket);
    if (version == 0 || (version & 1) != 0 || version != versions.get(bucket)) {
      return null;
    }
    String text = id == null ? RequestId.text(prefix, number) : id;
    return text.length() > MAX_ID_CHARS ? null : new Example(text, nanos, millis);
  }
}
