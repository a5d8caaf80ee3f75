package io.loligo.server.shaping;

import java.util.concurrent.atomic.LongAdder;

/** The counts of one pool. Thread-safe: any thread. */
public final class PoolCounts {
  private final String name;
  private final LongAdder passed = new LongAdder();
  private final LongAdder waits = new LongAdder();
  private final LongAdder waiting = new LongAdder();

  /** Counts nothing yet; {@code name}: directive and pool. */
  public PoolCounts(String name) {
    this.name = name;
  }

  /** Directive and number or name of the pool. */
  public String name() {
    return name;
  }

  /** Bytes, or requests, that were let pass. */
  public long passed() {
    return passed.sum();
  }

  /** Times that bytes had to wait, or requests that were refused. */
  public long waits() {
    return waits.sum();
  }

  /** Streams whose bytes wait now; of rates of requests, none. */
  public long waiting() {
    return waiting.sum();
  }

  void pass(long units) {
    passed.add(units);
  }

  void waited() {
    waits.increment();
  }

  /** A stream more waits, or one fewer: 1 or -1. */
  void waiting(int change) {
    waiting.add(change);
  }
}
