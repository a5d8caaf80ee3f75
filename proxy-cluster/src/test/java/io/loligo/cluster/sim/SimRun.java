package io.loligo.cluster.sim;

import io.loligo.cluster.Steps;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;

/** One run of a simulated node, as the code of the product sees it. Confined to one thread. */
public abstract class SimRun implements Steps, Group {
  private final NodeRun id;
  private final int configured;

  /** A run of a cluster with {@code configured} nodes. */
  protected SimRun(NodeRun id, int configured) {
    this.id = id;
    this.configured = configured;
  }

  /** Runs {@code step} after {@code delayNanos}, or later, unless the run is over by then. */
  protected abstract void later(long delayNanos, Runnable step);

  @Override
  public final void execute(Runnable step) {
    later(0, step);
  }

  @Override
  public final Runnable schedule(Runnable step, long delayNanos) {
    boolean[] cancelled = new boolean[1];
    later(
        delayNanos,
        () -> {
          if (!cancelled[0]) {
            step.run();
          }
        });
    return () -> cancelled[0] = true;
  }

  @Override
  public final NodeRun self() {
    return id;
  }

  @Override
  public final int configured() {
    return configured;
  }

  /** The simulation passes views and messages on itself. */
  @Override
  public final void start(Listener listener) {
    throw new UnsupportedOperationException();
  }

  @Override
  public final void announce(Member member) {
    throw new UnsupportedOperationException();
  }

  @Override
  public final void close() {
    throw new UnsupportedOperationException();
  }
}
