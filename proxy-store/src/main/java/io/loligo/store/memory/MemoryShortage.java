package io.loligo.store.memory;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failed allocations: counted, and logged at a readable rate. Thread-safe: any thread. */
public final class MemoryShortage {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryShortage.class);
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final AtomicLong count = new AtomicLong();
  private final LongSupplier nanos;
  private long toldNanos;
  private boolean told;

  /**
   * No failure so far.
   *
   * @param nanos monotonic clock, for the rate of the log
   */
  public MemoryShortage(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** {@code failure} ended {@code what}. */
  public void met(OutOfMemoryError failure, String what) {
    long times = count.incrementAndGet();
    if (isToTell()) {
      LOG.error(
          "out of memory, {} times so far: {} was ended: {}; next: lower cache_mem or"
              + " loligo_transit_memory, or start java with more (-XX:MaxDirectMemorySize, -Xmx)",
          times,
          what,
          failure.toString());
    }
  }

  private synchronized boolean isToTell() {
    long now = nanos.getAsLong();
    if (told && now - toldNanos < TELL_NANOS) {
      return false;
    }
    told = true;
    toldNanos = now;
    return true;
  }

  /** Their number so far. */
  public long count() {
    return count.get();
  }
}
