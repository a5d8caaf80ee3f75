package io.loligo.store.disk.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Removals that are written, and confirmed once they are on the disk. Removals that arrive while a
 * force is running wait together for the next one. Thread-safe: disk threads, one of which forces
 * for all.
 */
public final class Confirmations {
  /** Forces everything written before to the disk. */
  public interface Force {
    void force() throws IOException;
  }

  private record Waiter(int count, IntConsumer then) {}

  private final Queue<Waiter> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger work = new AtomicInteger();
  private final Force disk;
  private final Consumer<Throwable> broken;

  /**
   * @param broken told that the disk has failed
   */
  public Confirmations(Force disk, Consumer<Throwable> broken) {
    this.disk = disk;
    this.broken = broken;
  }

  /** Tells {@code then} the {@code count} once all is on the disk, or -1 if that failed. Blocks. */
  public void add(int count, IntConsumer then) {
    waiting.add(new Waiter(count, then));
    if (work.getAndIncrement() == 0) {
      int done;
      do {
        done = work.get();
        forceAndTell();
      } while (work.addAndGet(-done) != 0);
    }
  }

  private void forceAndTell() {
    List<Waiter> batch = new ArrayList<>();
    for (Waiter waiter = waiting.poll(); waiter != null; waiter = waiting.poll()) {
      batch.add(waiter);
    }
    if (batch.isEmpty()) {
      return;
    }
    boolean forced = false;
    try {
      disk.force();
      forced = true;
    } catch (IOException | RuntimeException e) {
      broken.accept(e);
    }
    for (Waiter waiter : batch) {
      waiter.then.accept(forced ? waiter.count : -1);
    }
  }
}
