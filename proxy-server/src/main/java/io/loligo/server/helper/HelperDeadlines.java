package io.loligo.server.helper;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The questions of a {@link Helper} without an answer, the next to time out first. Guarded by that
 * helper. Time is measured in ticks, and only while there are questions.
 */
final class HelperDeadlines {
  private final HelperTimer timer;
  private final Runnable onTick;
  private final long timeoutTicks;
  private final Set<HelperQuestion> pending = new LinkedHashSet<>();

  private boolean ticking;
  private long tick;

  /** {@code onTick} calls {@link #tick} with the lock. */
  HelperDeadlines(HelperTimer timer, long timeoutMillis, Runnable onTick) {
    this.timer = timer;
    this.onTick = onTick;
    timeoutTicks = (timeoutMillis + Helper.TICK_MILLIS - 1) / Helper.TICK_MILLIS + 1;
  }

  int size() {
    return pending.size();
  }

  void remove(HelperQuestion question) {
    pending.remove(question);
  }

  /** {@code question} has its time from now on. */
  void await(HelperQuestion question) {
    question.deadlineTick = tick + timeoutTicks;
    pending.remove(question);
    pending.add(question);
    if (!ticking) {
      ticking = true;
      timer.after(Helper.TICK_MILLIS, onTick);
    }
  }

  /** A tick has passed. {@link #expired} has the questions whose time is over; then {@link #go}. */
  void tick() {
    tick++;
  }

  /** The next question whose time is over; null: none. The caller removes it, or awaits it. */
  @Nullable HelperQuestion expired() {
    HelperQuestion oldest = pending.isEmpty() ? null : pending.iterator().next();
    return oldest == null || oldest.deadlineTick > tick ? null : oldest;
  }

  /** The next tick, if a question waits for it. */
  void go() {
    ticking = !pending.isEmpty();
    if (ticking) {
      timer.after(Helper.TICK_MILLIS, onTick);
    }
  }
}
