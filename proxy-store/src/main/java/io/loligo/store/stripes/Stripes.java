package io.loligo.store.stripes;

import io.netty.util.concurrent.FastThreadLocal;
import java.util.concurrent.Executor;

/**
 * Numbers for the threads of a process. Data that many threads write has a place for each number,
 * so that no two event loops write the same cache line. Threads that have not {@linkplain #enter
 * entered} share the last few numbers. Thread-safe: any thread.
 */
public final class Stripes {
  /** One number for all threads: nothing is divided. */
  public static final Stripes ONE = new Stripes();

  /** Numbers for threads that have none of their own, mainly disk threads. */
  private static final int OTHERS = 3;

  private final FastThreadLocal<Integer> own = new FastThreadLocal<>();
  private final int entering;
  private final int count;

  private Stripes() {
    entering = 0;
    count = 1;
  }

  /** Numbers for {@code threads} threads that will enter, and some for all others. */
  public Stripes(int threads) {
    entering = threads;
    count = threads + OTHERS;
  }

  /** How many numbers there are. */
  public int count() {
    return count;
  }

  /** Gives the calling thread {@code number}, from 0, for its own. */
  public void enter(int number) {
    if (number < 0 || number >= entering) {
      throw new IllegalArgumentException(
          "number: " + number + " (expected: 0 to " + (entering - 1) + ")");
    }
    own.set(number);
  }

  /** Gives the only thread of each of {@code threads} a number, in their order. */
  public void enterAll(Iterable<? extends Executor> threads) {
    int next = 0;
    for (Executor thread : threads) {
      int number = next++;
      thread.execute(() -> enter(number));
    }
  }

  /** The number of the calling thread. No allocation. */
  public int own() {
    if (count == 1) {
      return 0;
    }
    Integer number = own.getIfExists();
    return number != null
        ? number
        : entering + (int) (Thread.currentThread().getId() % (count - entering));
  }
}
