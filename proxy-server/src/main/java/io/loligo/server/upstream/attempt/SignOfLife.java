package io.loligo.server.upstream.attempt;

import io.loligo.server.upstream.ClusterNode;
import io.netty.channel.EventLoop;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a request for the first sign of life of a node of the cluster. Confined to the event
 * loop.
 *
 * <p>A loop that lags finds its timers before the bytes that came meanwhile: a limit that is found
 * late is waited for once more, for as long as it was late.
 */
final class SignOfLife implements Runnable {
  /** An expiry this late is the loop's doing. */
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final EventLoop loop;
  private final ClusterNode node;
  private final Runnable silent;
  private final long sentNanos;
  private long dueNanos;
  private boolean extended;

  /** Null: it is over. */
  private @Nullable ScheduledFuture<?> limit;

  /**
   * Waits from now on.
   *
   * @param silent called if there is none within the limit of {@code node}
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
    long lateNanos = loop.ticker().nanoTime() - dueNanos;
    if (lateNanos > LATE_NANOS && !extended) {
      extended = true;
      await(lateNanos);
      return;
    }
    limit = null;
    silent.run();
  }

  /** It came. */
  void came() {
    if (limit != null) {
      end();
      node.acknowledged(loop.ticker().nanoTime() - sentNanos);
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
