package io.loligo.server.upstream.attempt;

import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All requests of one event loop that nodes of the cluster have. It looks at them each {@value
 * #TICK_MILLIS} ms while there are any: most of them are over before, so that a request costs no
 * timer of its own. Confined to the event loop.
 *
 * <p>A loop that lags finds its timers before the bytes that came meanwhile: a limit that is found
 * late is waited for once more, for as long as it was late.
 */
final class SignsOfLife implements Runnable {
  /** Interval of the looks; a limit is noticed so much later, at most. */
  static final int TICK_MILLIS = 10;

  /** A look this late is the loop's doing. */
  static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final EventLoop loop;
  private @Nullable SignOfLife first;

  /** The next one that the look in progress comes to. */
  private @Nullable SignOfLife following;

  private boolean running;
  private long dueNanos;

  /** None. */
  SignsOfLife(EventLoop loop) {
    this.loop = loop;
  }

  long nanos() {
    return loop.ticker().nanoTime();
  }

  void add(SignOfLife one) {
    one.next = first;
    if (first != null) {
      first.previous = one;
    }
    first = one;
    if (!running) {
      running = true;
      plan(nanos());
    }
  }

  void remove(SignOfLife one) {
    if (following == one) {
      following = one.next;
    }
    if (one.previous == null) {
      first = one.next;
    } else {
      one.previous.next = one.next;
    }
    if (one.next != null) {
      one.next.previous = one.previous;
    }
    one.next = null;
    one.previous = null;
  }

  private void plan(long nowNanos) {
    dueNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
    loop.schedule(this, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void run() {
    if (first == null) {
      running = false;
      return;
    }
    long now = nanos();
    long lateNanos = now - dueNanos;
    following = first;
    while (following != null) {
      SignOfLife one = following;
      following = one.next;
      one.look(now, lateNanos);
    }
    plan(now);
  }
}
