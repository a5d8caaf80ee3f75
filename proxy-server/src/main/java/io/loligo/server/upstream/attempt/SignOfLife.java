package io.loligo.server.upstream.attempt;

import io.loligo.server.upstream.ClusterNode;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The signs that one request has of a node of the cluster: its first sign of life, its response as
 * long as the node is in routing, then the content. Confined to the event loop.
 *
 * <pre>
 * ASKED         a sign of life is awaited, up to the limit of the node
 * ACKNOWLEDGED  the response is awaited, as long as the node is in routing
 * CONTENT       so is the content; a node out of routing is left after {@link #SILENT_NANOS}
 * OVER
 * </pre>
 */
final class SignOfLife {
  /** Between two looks whether a node that has acknowledged is still in routing. */
  static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * A node out of routing that sends no byte of the content for so long has gone. A node in routing
   * may wait for its origin as long as {@code read_timeout} allows.
   */
  static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private enum Phase {
    ASKED,
    ACKNOWLEDGED,
    CONTENT,
    OVER
  }

  private final SignsOfLife all;
  private final ClusterNode node;
  private final Runnable silent;
  private final long sentNanos;
  private Phase phase = Phase.ASKED;
  private long dueNanos;
  private boolean extended;

  /** Whether bytes of the content are awaited. */
  private boolean reading;

  /** When bytes of the content came, or began to be awaited; as of the last look. */
  private long heardNanos;

  private boolean heard;

  // neighbours in the list of all
  @Nullable SignOfLife next;
  @Nullable SignOfLife previous;

  /**
   * Waits from now on.
   *
   * @param silent called once if there is none within the limit of {@code node}, or if that goes
   *     out
   */
  SignOfLife(SignsOfLife all, ClusterNode node, Runnable silent) {
    this.all = all;
    this.node = node;
    this.silent = silent;
    sentNanos = all.nanos();
    dueNanos = sentNanos + node.limitNanos();
    all.add(this);
  }

  /** Looks, {@code lateNanos} later than planned. */
  void look(long nowNanos, long lateNanos) {
    if (nowNanos - dueNanos < 0) {
      return;
    }
    boolean late = lateNanos > SignsOfLife.LATE_NANOS;
    if (late) {
      heardNanos += lateNanos;
    }
    if (phase == Phase.ASKED) {
      if (late && !extended) {
        extended = true;
        dueNanos = nowNanos + (nowNanos - dueNanos);
        return;
      }
    } else if (!isGone(nowNanos)) {
      dueNanos = nowNanos + LOOK_NANOS;
      return;
    }
    silent.run();
  }

  private boolean isGone(long nowNanos) {
    if (phase == Phase.ACKNOWLEDGED) {
      return node.isOut();
    }
    if (heard || !reading) {
      heard = false;
      heardNanos = nowNanos;
    }
    return nowNanos - heardNanos >= SILENT_NANOS && node.isOut();
  }

  /** It came. Returns whether it is the first. */
  boolean came() {
    boolean first = phase == Phase.ASKED;
    if (first) {
      long now = all.nanos();
      phase = Phase.ACKNOWLEDGED;
      dueNanos = now + LOOK_NANOS;
      node.acknowledged(now - sentNanos);
    }
    return first;
  }

  /** The head of the response came. */
  void responded() {
    came();
    phase = Phase.CONTENT;
    heard = true;
  }

  /** Whether the head of the response has come. */
  boolean hasResponded() {
    return phase == Phase.CONTENT;
  }

  /** Bytes of the content are awaited. */
  void reads() {
    heard |= !reading;
    reading = true;
  }

  /** Bytes of the content came. */
  void heard() {
    heard = true;
  }

  /** No bytes of the content are awaited: nobody takes them at present. */
  void rests() {
    reading = false;
  }

  /** Nothing is awaited any more. */
  void end() {
    if (phase != Phase.OVER) {
      phase = Phase.OVER;
      all.remove(this);
    }
  }
}
