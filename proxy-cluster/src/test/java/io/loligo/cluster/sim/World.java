package io.loligo.cluster.sim;

import io.loligo.cluster.Events;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Time, chance and the order of events of one simulation. Confined to one thread. */
public final class World {
  public static final long MILLI = 1_000_000;
  public static final long SECOND = 1_000 * MILLI;

  private final Events events = new Events();
  private final SplittableRandom random;
  private final boolean tracing;
  private final List<String> trace = new ArrayList<>();
  private long now;
  private long steps;
  private long digest;

  public World(long seed, boolean tracing) {
    random = new SplittableRandom(seed);
    this.tracing = tracing;
  }

  public long now() {
    return now;
  }

  public long steps() {
    return steps;
  }

  /** Differs if another event happened at any time. */
  public long digest() {
    return digest;
  }

  public List<String> trace() {
    return trace;
  }

  public void at(long nanos, Runnable action) {
    events.add(Math.max(now, nanos), action);
  }

  public void after(long nanos, Runnable action) {
    at(now + nanos, action);
  }

  /** From {@code from} to below {@code to}. */
  public long between(long from, long to) {
    return random.nextLong(from, to);
  }

  public int below(int bound) {
    return random.nextInt(bound);
  }

  /** Once in {@code n}. */
  public boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  public void tell(Supplier<String> line) {
    if (tracing) {
      trace.add(String.format("%9.3f %s", now / 1e6, line.get()));
    }
  }

  public void runUntil(long nanos) {
    while (!events.isEmpty() && events.firstNanos() <= nanos) {
      now = events.firstNanos();
      Runnable action = events.remove();
      steps++;
      digest = digest * 31 + now + events.removedOrder();
      action.run();
    }
    now = nanos;
  }
}
