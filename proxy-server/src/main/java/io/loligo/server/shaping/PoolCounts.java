package io.loligo.server.shaping;

import io.loligo.server.counts.Counts;
import io.loligo.server.counts.Tally;

/** The counts of one pool. Thread-safe: any thread. */
public final class PoolCounts implements Counts<PoolCount> {
  private final String name;
  private final Tally<PoolCount> counts = new Tally<>(PoolCount.class);

  /** Counts nothing yet; {@code name}: directive and pool. */
  public PoolCounts(String name) {
    this.name = name;
  }

  /** Directive and number or name of the pool. */
  @Override
  public String name() {
    return name;
  }

  @Override
  public long value(PoolCount count) {
    return counts.value(count);
  }

  void pass(long units) {
    counts.add(PoolCount.PASSED, units);
  }

  void waited() {
    counts.add(PoolCount.WAITS, 1);
  }

  /** A stream more waits, or one fewer: 1 or -1. */
  void waiting(int change) {
    counts.add(PoolCount.WAITING, change);
  }
}
