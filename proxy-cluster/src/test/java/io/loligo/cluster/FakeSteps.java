package io.loligo.cluster;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Steps that run when a test lets time pass, those of one moment in the order in which they were
 * added. Confined to one thread.
 */
public final class FakeSteps implements Steps {
  private record Step(long nanos, long order, Runnable action) {}

  private final PriorityQueue<Step> steps =
      new PriorityQueue<>(Comparator.comparingLong(Step::nanos).thenComparingLong(Step::order));
  private long now = 1_000;
  private long order;

  /** None waits. */
  public FakeSteps() {}

  /** Lets {@code nanos} pass; 0 runs the steps that are due. */
  public void pass(long nanos) {
    long until = now + nanos;
    while (!steps.isEmpty() && steps.peek().nanos() <= until) {
      Step step = steps.remove();
      now = step.nanos();
      step.action().run();
    }
    now = until;
  }

  /** Number of steps that wait. */
  public int waiting() {
    return steps.size();
  }

  @Override
  public long nanos() {
    return now;
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
