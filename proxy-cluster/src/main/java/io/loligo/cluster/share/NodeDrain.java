package io.loligo.cluster.share;

import io.loligo.cluster.Steps;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this node owns keys of a shared cache. It does not while an operator drains it, and while
 * it is behind with purges: an owner that is behind validates its stored responses, and no node
 * shares them. Confined to the steps, except for {@link #isAsked} and {@link #isBehind}.
 *
 * <p>A node is behind from its start until its store is trusted for the first time, and it has then
 * asked itself for responses, so that its code is loaded. Later a lag of milliseconds is usual, and
 * a change of owners costs more than it. So it is behind when it was without trust for {@link
 * #HOLD_NANOS}, and no more when it was trusted for as long.
 */
public final class NodeDrain {
  private static final Logger LOG = LoggerFactory.getLogger(NodeDrain.class);

  /** Time for which a store has no trust, or has it again, before its node draws conclusions. */
  public static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(3);

  private enum Phase {
    /** Its store was never trusted. */
    NEW,
    /** It asks itself. */
    ASKING,
    /** It has, and its store is not trusted. */
    ASKED,
    BEGUN
  }

  private final Steps steps;
  private final Consumer<Boolean> announced;
  private final Consumer<Runnable> asking;
  private volatile boolean asked;
  private volatile boolean behind = true;
  private Phase phase = Phase.NEW;

  /** Whether the store was trusted at the last change. */
  private boolean isTrusted;

  /** Whether the others were told that it drains. */
  private boolean told = true;

  /** Takes the change of {@link #behind} that is due back. */
  private Runnable change = () -> {};

  /** As below, without a wait before it owns keys. */
  public NodeDrain(Steps steps, Consumer<Boolean> announced) {
    this(steps, announced, Runnable::run);
  }

  /**
   * It drains, and is announced so.
   *
   * @param announced told each change
   * @param asking called once, before the node owns keys for the first time; runs what it is given
   *     on the steps when it is over
   */
  public NodeDrain(Steps steps, Consumer<Boolean> announced, Consumer<Runnable> asking) {
    this.steps = steps;
    this.announced = announced;
    this.asking = asking;
  }

  /** Whether an operator drains it. Any thread. */
  public boolean isAsked() {
    return asked;
  }

  /** Whether it is behind with purges. Any thread. */
  public boolean isBehind() {
    return behind;
  }

  /** An operator drains this node, or ends that. */
  public void ask(boolean drains) {
    asked = drains;
    tell();
  }

  /** Whether the store of this node is trusted; call it at each change. */
  public void trusted(boolean trusted) {
    isTrusted = trusted;
    change.run();
    change = () -> {};
    if (trusted != behind) {
      return;
    }
    switch (phase) {
      case NEW -> {
        phase = Phase.ASKING;
        asking.accept(this::askedItself);
      }
      case ASKING -> {}
      case ASKED -> begin();
      case BEGUN -> change = steps.schedule(() -> behind(!trusted), HOLD_NANOS);
    }
  }

  private void askedItself() {
    phase = Phase.ASKED;
    if (isTrusted) {
      begin();
    }
  }

  private void begin() {
    phase = Phase.BEGUN;
    behind = false;
    tell();
  }

  private void behind(boolean now) {
    behind = now;
    if (now) {
      LOG.warn(
          "this node has been behind with purges of the cluster for {} s, and owns no keys until"
              + " it has caught up; next: look at loligo_cluster_purge_lag, at its disks and its"
              + " CPU",
          TimeUnit.NANOSECONDS.toSeconds(HOLD_NANOS));
    } else {
      LOG.info("this node has caught up with purges of the cluster");
    }
    tell();
  }

  private void tell() {
    boolean now = asked || behind;
    if (now != told) {
      told = now;
      announced.accept(now);
    }
  }
}
