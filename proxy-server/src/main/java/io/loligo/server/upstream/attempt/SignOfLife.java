package io.loligo.server.upstream.attempt;

import io.loligo.server.upstream.ClusterNode;
import io.netty.channel.EventLoop;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a request for the first sign of life of a node of the cluster, and then for its
 * response as long as the node is in routing. Confined to the event loop.
 *
 * <p>A loop that lags finds its timers before the bytes that came meanwhile: a limit that is found
 * late is waited for once more, for as long as it was late.
 */
final class SignOfLife implements Runnable {
  /** An expiry this late is the loop's doing. */
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Interval of the looks whether a node that has acknowledged is still in routing. */
  private static final long LOOK_MILLIS = 100;

  private final EventLoop loop;
  private final ClusterNode node;
  private final Runnable silent;
  private final long sentNanos;
  private long dueNanos;
  private boolean extended;
  private boolean acknowledged;

  /** Null: it is over. */
  private @Nullable ScheduledFuture<?> limit;

  /**
   * Waits from now on.
   *
   * @param silent called if there is none within the limit of {@code node}, or if that goes out
   */
  SignOfLife(EventLoop loop, ClusterNode node, Runnable silent) {
    this.loop = loop;
    this.node = node;
    this.silent = silent;
    sentNanos = loop.ticker().nanoTime();
    await(node.limitNanos());
  }

  private void await(long nanos) {
    dueNanos = loop.ticker().nanoTime() + nanos;
    limit = loop.schedule(this, nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void run() {
    if (acknowledged) {
      look();
      return;
    }
    long lateNanos = loop.ticker().nanoTime() - dueNanos;
    if (lateNanos > LATE_NANOS && !extended) {
      extended = true;
      await(lateNanos);
      return;
    }
    limit = null;
    silent.run();
  }

  private void look() {
    if (node.isOut()) {
      limit = null;
      silent.run();
    } else {
      limit = loop.schedule(this, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** It came. The response is awaited until {@link #end}. */
  void came() {
    if (limit != null && !acknowledged) {
      end();
      acknowledged = true;
      node.acknowledged(loop.ticker().nanoTime() - sentNanos);
      limit = loop.schedule(this, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** It is not awaited any more. */
  void end() {
    if (limit != null) {
      limit.cancel(false);
      limit = null;
    }
  }
}
