package io.loligo.server.shaping;

import java.util.concurrent.atomic.AtomicInteger;

/** A bucket that counts what passed since the other nodes were told. Thread-safe: any thread. */
final class SharedBucket extends Bucket {
  private final AtomicInteger untold = new AtomicInteger();

  /** As that of a {@link Bucket}. */
  SharedBucket(Rate rate, long level, long nowNanos) {
    super(rate, level, nowNanos);
  }

  /** One more passed. */
  void passed() {
    untold.updateAndGet(before -> before == Integer.MAX_VALUE ? before : before + 1);
  }

  /** How many passed since they were told. */
  int untold() {
    return untold.get();
  }

  /** The other nodes were told of {@code count}. */
  void told(int count) {
    untold.addAndGet(-count);
  }
}
