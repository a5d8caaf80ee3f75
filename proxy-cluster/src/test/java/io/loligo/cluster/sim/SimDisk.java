package io.loligo.cluster.sim;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/** Completes writes in their order, unless it hangs; while it fails, it refuses them. */
public final class SimDisk {
  private record Write(Consumer<Boolean> then) {}

  private final World world;
  private final ArrayDeque<Write> writes = new ArrayDeque<>();
  private final long slowestNanos;
  private boolean hangs;
  private boolean fails;
  private boolean busy;
  private int life;

  public SimDisk(World world, long slowestNanos) {
    this.world = world;
    this.slowestNanos = slowestNanos;
  }

  public boolean isWell() {
    return !hangs && !fails;
  }

  public boolean fails() {
    return fails;
  }

  public void hang() {
    hangs = true;
  }

  public void fail() {
    fails = true;
  }

  public void recover() {
    hangs = false;
    fails = false;
    next();
  }

  /** Writes, then tells whether it worked. */
  public void write(Consumer<Boolean> then) {
    writes.add(new Write(then));
    next();
  }

  /** The machine stops: nothing that waits happens. */
  public void crash() {
    writes.clear();
    busy = false;
    life++;
  }

  private void next() {
    if (busy || hangs || writes.isEmpty()) {
      return;
    }
    busy = true;
    int begun = life;
    world.after(
        world.between(World.MILLI / 20, slowestNanos),
        () -> {
          if (begun != life) {
            return;
          }
          busy = false;
          if (!hangs) {
            writes.remove().then().accept(!fails);
          }
          next();
        });
  }
}
