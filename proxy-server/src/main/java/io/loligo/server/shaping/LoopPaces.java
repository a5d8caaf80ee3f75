package io.loligo.server.shaping;

import io.loligo.server.time.LoopClock;
import io.loligo.server.time.LoopTimer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** The bytes of one event loop that wait for pools. Confined to that loop. */
public final class LoopPaces {
  private final LoopTimer timer;
  private final LoopClock clock;
  private final Set<PacedBytes> waiting = Collections.newSetFromMap(new IdentityHashMap<>());
  private boolean over;

  /** Nothing waits. */
  public LoopPaces(LoopTimer timer, LoopClock clock) {
    this.timer = timer;
    this.clock = clock;
  }

  long nanos() {
    return clock.nanos();
  }

  boolean isOver() {
    return over;
  }

  void await(PacedBytes bytes, long millis) {
    waiting.add(bytes);
    timer.arm(bytes, millis);
  }

  void forget(PacedBytes bytes) {
    waiting.remove(bytes);
    timer.forget(bytes);
  }

  /** The process ends: nothing waits any more. */
  public void end() {
    over = true;
    List<PacedBytes> last = new ArrayList<>(waiting);
    last.forEach(PacedBytes::pump);
  }
}
