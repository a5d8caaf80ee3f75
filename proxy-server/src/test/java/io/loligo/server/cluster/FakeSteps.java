package io.loligo.server.cluster;

import io.loligo.cluster.Steps;
import io.loligo.server.time.TimeSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * Steps that run when a test lets time pass, those of one moment in the order in which they were
 * added; and their clock. Confined to one thread.
 */
final class FakeSteps implements Steps, TimeSource {
  private record Step(long nanos, long order, Runnable action) {}

  private final PriorityQueue<Step> steps =
      new PriorityQueue<>(Comparator.comparingLong(Step::nanos).thenComparingLong(Step::order));
  private long now = 1_000;
  private long order;

  /** Lets {@code nanos} pass; 0 runs the steps that are due. */
  void pass(long nanos) {
    long until = now + nanos;
    while (!steps.isEmpty() && steps.peek().nanos() <= until) {
      Step step = steps.remove();
      now = step.nanos();
      step.action().run();
    }
    now = until;
  }

  /** Number of steps that wait. */
  int waiting() {
    return steps.size();
  }

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public long millis() {
    return TimeUnit.NANOSECONDS.toMillis(now);
  }

  @Override
  public void execute(Runnable step) {
    schedule(step, 0);
  }

  @Override
  public Runnable schedule(Runnable action, long delayNanos) {
    Step step = new Step(now + delayNanos, order++, action);
    steps.add(step);
    return () -> steps.remove(step);
  }
}
