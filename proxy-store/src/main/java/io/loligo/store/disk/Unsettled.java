package io.loligo.store.disk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Changes under way of what stands under a hash: while one is, the slabs may have a first block
 * that the catalogue does not know, not yet or not any more, and that a rebuild would take up. A
 * removal counts when those are through that had begun before it looked; what begins later asks
 * whether it is still wanted. One that failed stays. Thread-safe: disk threads; event loops ask
 * {@link #isNone} only.
 */
final class Unsettled {
  /** What is done in a change. */
  interface Step<T> {
    T run() throws IOException;
  }

  /** One change. */
  static final class Change {
    private final long high;
    private final List<Waiter> waiters = new ArrayList<>();
    private boolean over;
    private Throwable failure;

    private Change(long high) {
      this.high = high;
    }

    private void tell(Waiter waiter) {
      synchronized (this) {
        if (!over) {
          waiters.add(waiter);
          return;
        }
      }
      waiter.through(failure);
    }

    private void end(Throwable why) {
      synchronized (this) {
        over = true;
        failure = why;
      }
      waiters.forEach(waiter -> waiter.through(why));
    }
  }

  /** Who waits for some changes. Thread-safe. */
  private static final class Waiter {
    private final AtomicInteger left;
    private final Consumer<Throwable> then;
    private volatile Throwable failure;

    Waiter(int changes, Consumer<Throwable> then) {
      this.left = new AtomicInteger(changes);
      this.then = then;
    }

    void through(Throwable why) {
      if (why != null) {
        failure = why;
      }
      if (left.decrementAndGet() == 0) {
        then.accept(failure);
      }
    }
  }

  private final ConcurrentHashMap<Long, List<Change>> changes = new ConcurrentHashMap<>();

  /** Runs {@code step}, a change of what stands under {@code high}. */
  <T> T change(long high, Step<T> step) throws IOException {
    Change mine = begin(high);
    Throwable failure = null;
    try {
      return step.run();
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      throw e;
    } finally {
      end(mine, failure);
    }
  }

  /** What stands under {@code high} is changed from now on, until {@link #end}. */
  Change begin(long high) {
    Change begun = new Change(high);
    changes.merge(high, List.of(begun), Unsettled::both);
    return begun;
  }

  /**
   * {@code change} is through.
   *
   * @param failure why it is not, or null
   */
  void end(Change change, Throwable failure) {
    if (failure == null) {
      changes.computeIfPresent(change.high, (ignored, all) -> without(all, change));
    }
    change.end(failure);
  }

  private static List<Change> both(List<Change> some, List<Change> others) {
    List<Change> all = new ArrayList<>(some);
    all.addAll(others);
    return all;
  }

  private static List<Change> without(List<Change> all, Change one) {
    List<Change> others = new ArrayList<>(all);
    others.remove(one);
    return others.isEmpty() ? null : others;
  }

  /** Whether nothing under {@code high} is being changed. Any thread, without lock. */
  boolean isNone(long high) {
    return !changes.containsKey(high);
  }

  /**
   * Tells {@code then} when all changes under {@code high} are through that are under way, with
   * what one of them failed with or null: now, or on the thread of the last. False where none is,
   * and it is not told.
   */
  boolean await(long high, Consumer<Throwable> then) {
    List<Change> running = changes.get(high);
    if (running == null) {
      return false;
    }
    Waiter waiter = new Waiter(running.size(), then);
    running.forEach(change -> change.tell(waiter));
    return true;
  }
}
