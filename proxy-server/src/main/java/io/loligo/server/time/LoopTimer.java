package io.loligo.server.time;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coarse timeouts of one event loop, counted in ticks that the loop ran. Confined to that loop.
 *
 * <p>A tick is {@value #TICK_MILLIS} ms of <em>active</em> time: a process that was suspended
 * (SIGSTOP, a paused machine) runs one late tick when it resumes, so no connection times out for
 * time in which nobody could have served it. Arming for later and cancelling write one number; the
 * timeout moves between slots when its old slot is reached, so a timer touched by every request
 * costs next to nothing. An owner that is finished calls {@link #forget}, because a slot is reached
 * only every {@value #SLOTS} ticks and keeps its linked timeouts until then.
 */
public final class LoopTimer {
  /** Resolution: a timeout fires up to two ticks late, never early. */
  public static final int TICK_MILLIS = 100;

  private static final int SLOTS = 512;
  private static final long NEVER = Long.MAX_VALUE;
  private static final Logger LOG = LoggerFactory.getLogger(LoopTimer.class);

  private final EventExecutor loop;
  private final TimeSource time;
  private final @Nullable Timeout[] slots = new Timeout[SLOTS];
  private final ArrayDeque<Timeout> due = new ArrayDeque<>();
  private final Runnable ticker = this::turn;
  private long tick;
  private boolean running;
  private int linked;

  // lateness of the last ticks
  private long dueNanos;
  private long lagNanos;
  private long lagNanosBefore;
  private long lagNanosFirst;

  /** A timer on {@code loop}, by its clock. */
  public LoopTimer(EventExecutor loop) {
    this(loop, TimeSource.SYSTEM);
  }

  /**
   * A timer on {@code loop}; ticks only while something is armed.
   *
   * @param time schedules the ticks
   */
  public LoopTimer(EventExecutor loop, TimeSource time) {
    this.loop = loop;
    this.time = time;
  }

  /** The loop that this timer belongs to. */
  public EventExecutor loop() {
    return loop;
  }

  /** An event that happens unless it is armed again or cancelled. Confined to its loop. */
  public abstract static class Timeout {
    private long deadlineTick = -1;
    // the tick when its slot is reached, -1 if it is in none
    private long slotTick = -1;
    private @Nullable Timeout next;
    private @Nullable Timeout previous;

    /** Called once on the loop when the time is over. */
    protected abstract void expired();

    /** Whether it will happen. */
    public final boolean armed() {
      return deadlineTick >= 0;
    }
  }

  /** Ticks of active time so far; stands still while nothing is armed. */
  public long tick() {
    return tick;
  }

  /** Arms {@code timeout} to happen in {@code millis} of active time; 0 or less disarms it. */
  public void arm(Timeout timeout, long millis) {
    armAt(timeout, deadline(millis));
  }

  /**
   * Arms {@code timeout} to happen at {@code deadlineTick} or when nothing is left of {@code pace},
   * which is owed, whichever comes first.
   *
   * @param pace null: none
   */
  public void arm(Timeout timeout, long deadlineTick, @Nullable Pace pace) {
    armAt(timeout, pace == null ? deadlineTick : Math.min(deadlineTick, pace.lateTick()));
  }

  /** The tick {@code millis} from now, for {@link #arm(Timeout, long, Pace)}; 0 or less: never. */
  public long deadline(long millis) {
    // one tick more: the current one is partly over
    return millis <= 0 ? NEVER : tick + (millis + TICK_MILLIS - 1) / TICK_MILLIS + 1;
  }

  private void armAt(Timeout timeout, long deadlineTick) {
    assert loop.inEventLoop();
    if (deadlineTick == NEVER) {
      cancel(timeout);
      return;
    }
    timeout.deadlineTick = Math.max(tick + 1, deadlineTick);
    if (timeout.slotTick > timeout.deadlineTick) {
      unlink(timeout);
    }
    if (timeout.slotTick < 0) {
      link(timeout);
    }
    if (!running) {
      running = true;
      lagNanosFirst = 0;
      lagNanosBefore = 0;
      lagNanos = 0;
      schedule();
    }
  }

  /** Disarms {@code timeout}. */
  public void cancel(Timeout timeout) {
    timeout.deadlineTick = -1;
  }

  /** Disarms {@code timeout} and keeps no reference to it. */
  public void forget(Timeout timeout) {
    cancel(timeout);
    if (timeout.slotTick >= 0) {
      unlink(timeout);
    }
  }

  /** Timeouts with a reference, armed or not. */
  int linked() {
    return linked;
  }

  private void link(Timeout timeout) {
    long slotTick = Math.min(timeout.deadlineTick, tick + SLOTS - 1);
    int slot = (int) (slotTick % SLOTS);
    Timeout head = slots[slot];
    timeout.next = head;
    if (head != null) {
      head.previous = timeout;
    }
    slots[slot] = timeout;
    timeout.slotTick = slotTick;
    linked++;
  }

  private void unlink(Timeout timeout) {
    if (timeout.previous != null) {
      timeout.previous.next = timeout.next;
    } else {
      slots[(int) (timeout.slotTick % SLOTS)] = timeout.next;
    }
    if (timeout.next != null) {
      timeout.next.previous = timeout.previous;
    }
    timeout.next = null;
    timeout.previous = null;
    timeout.slotTick = -1;
    linked--;
  }

  /**
   * The delay of the loop's work, in milliseconds: the least lateness of its last three ticks, so
   * that a single pause, of the process or by the collector, does not count.
   */
  public long lagMillis() {
    long least = Math.min(lagNanos, Math.min(lagNanosBefore, lagNanosFirst));
    return TimeUnit.NANOSECONDS.toMillis(least);
  }

  private void schedule() {
    dueNanos = loop.ticker().nanoTime() + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
    time.schedule(loop, ticker, TICK_MILLIS);
  }

  private void turn() {
    tick++;
    lagNanosFirst = lagNanosBefore;
    lagNanosBefore = lagNanos;
    lagNanos = loop.ticker().nanoTime() - dueNanos;
    int slot = (int) (tick % SLOTS);
    for (Timeout timeout = slots[slot]; timeout != null; timeout = slots[slot]) {
      unlink(timeout);
      if (timeout.deadlineTick > tick) {
        link(timeout);
      } else if (timeout.deadlineTick >= 0) {
        due.add(timeout);
      }
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
        try {
          timeout.expired();
        } catch (Throwable e) {
          LOG.error("A timeout failed: {}; next: report this defect, with the trace", timeout, e);
        }
      }
    }
  }
}
