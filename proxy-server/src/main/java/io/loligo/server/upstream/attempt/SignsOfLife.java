package io.loligo.server.upstream.attempt;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * All requests of one event loop that nodes of the cluster have. It looks at them each {@value
 * #TICK_MILLIS} ms while there are any: most of them are over before, so that a request costs no
 * timer of its own. Confined to the event loop.
 */
final class SignsOfLife implements Runnable {
  /** Interval of the looks. */
  static final int TICK_MILLIS = 10;

  private final EventLoop loop;
  private final List<Attempt> waiting = new ArrayList<>();
  private boolean running;
  private long dueNanos;

  /** None. */
  SignsOfLife(EventLoop loop) {
    this.loop = loop;
  }

  long nanos() {
    return loop.ticker().nanoTime();
  }

  /** {@code one} waits, and knows its place. */
  void add(Attempt one) {
    one.placed(waiting.size());
    waiting.add(one);
    if (!running) {
      running = true;
      plan(nanos());
    }
  }

  /** The one at {@code place} waits no more: the last one takes it. */
  void remove(int place) {
    Attempt last = waiting.remove(waiting.size() - 1);
    if (place < waiting.size()) {
      waiting.set(place, last);
      last.placed(place);
    }
  }

  private void plan(long nowNanos) {
    dueNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
    loop.schedule(this, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void run() {
    if (waiting.isEmpty()) {
      running = false;
      return;
    }
    long now = nanos();
    long lateNanos = now - dueNanos;
    // from the end: those that leave meanwhile give their places to later ones, which it has seen
    for (int i = waiting.size() - 1; i >= 0; i--) {
      if (i < waiting.size()) {
        waiting.get(i).look(now, lateNanos);
      }
    }
    plan(now);
  }
}
