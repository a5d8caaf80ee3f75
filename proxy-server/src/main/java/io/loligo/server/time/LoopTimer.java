package io.loligo.server.time;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Coarse timeouts of one event loop, counted in ticks the loop really ran. Confined to that loop.
 *
 * <p>A tick is {@value #TICK_MILLIS} ms of <em>active</em> time: a process that was suspended
 * (SIGSTOP, a paused machine) runs one late tick when it resumes, so no connection times out for
 * time in which nobody could have served it. Arming again writes one number; a timeout moves
 * between slots only when its old slot comes round, so a timer touched by every request costs next
 * to nothing.
 */
public final class LoopTimer {
  /** Resolution: a timeout fires up to this much late, never early. */
  public static final int TICK_MILLIS = 100;

  private static final int SLOTS = 512;

  private final EventExecutor loop;
  private final Timeout[] slots = new Timeout[SLOTS];
  private final ArrayDeque<Timeout> due = new ArrayDeque<>();
  private long tick;
  private boolean running;
  private int linked;

  /** A timer on {@code loop}; ticks only while something is armed. */
  public LoopTimer(EventExecutor loop) {
    this.loop = loop;
  }

  /** Something that happens unless it is armed again or cancelled. Confined to its loop. */
  public abstract static class Timeout {
    private long deadlineTick = -1;
    private boolean linked;
    private Timeout next;

    /** Called once on the loop when the time is over. */
    protected abstract void expired();

    /** Whether it is going to happen. */
    public final boolean armed() {
      return deadlineTick >= 0;
    }
  }

  /** Arms {@code timeout} to happen in {@code millis} of active time; 0 or less disarms it. */
  public void arm(Timeout timeout, long millis) {
    assert loop.inEventLoop();
    if (millis <= 0) {
      cancel(timeout);
      return;
    }
    // one tick more: the current one is partly over
    timeout.deadlineTick = tick + (millis + TICK_MILLIS - 1) / TICK_MILLIS + 1;
    if (!timeout.linked) {
      link(timeout);
    }
    if (!running) {
      running = true;
      schedule();
    }
  }

  /** Disarms {@code timeout}. */
  public void cancel(Timeout timeout) {
    timeout.deadlineTick = -1;
  }

  private void link(Timeout timeout) {
    long slotTick = Math.min(timeout.deadlineTick, tick + SLOTS - 1);
    int slot = (int) (slotTick % SLOTS);
    timeout.next = slots[slot];
    slots[slot] = timeout;
    timeout.linked = true;
    linked++;
  }

  private void schedule() {
    loop.schedule(this::tick, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    tick++;
    int slot = (int) (tick % SLOTS);
    Timeout timeout = slots[slot];
    slots[slot] = null;
    while (timeout != null) {
      Timeout next = timeout.next;
      timeout.next = null;
      timeout.linked = false;
      linked--;
      if (timeout.deadlineTick > tick) {
        link(timeout);
      } else if (timeout.deadlineTick >= 0) {
        due.add(timeout);
      }
      timeout = next;
    }
    expireDue();
    if (linked > 0) {
      schedule();
    } else {
      running = false;
    }
  }

  private void expireDue() {
    for (Timeout timeout = due.poll(); timeout != null; timeout = due.poll()) {
      // one that expired before it in this tick may have armed or cancelled it
      if (timeout.deadlineTick >= 0 && timeout.deadlineTick <= tick) {
        timeout.deadlineTick = -1;
        timeout.expired();
      }
    }
  }
}
