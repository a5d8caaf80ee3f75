package io.loligo.server.traffic;

import java.util.List;
import java.util.function.Consumer;

/**
 * Two sums of the same kind for the last minutes: the newer one takes everything, and both together
 * reach back for one to two times the length of a generation. Not thread-safe.
 *
 * @param <T> the sums
 */
public final class Generations<T> {
  private final Consumer<T> clear;
  private final long millis;
  private T newer;
  private T older;
  private long newerSince;
  private long olderSince;

  /**
   * Begins with two empty ones.
   *
   * @param clear empties one
   * @param millis length of a generation
   * @param nowMillis wall clock
   */
  public Generations(T newer, T older, Consumer<T> clear, long millis, long nowMillis) {
    this.newer = newer;
    this.older = older;
    this.clear = clear;
    this.millis = millis;
    newerSince = nowMillis;
    olderSince = nowMillis;
  }

  /** The one that takes what happens now, by the wall clock. */
  public T at(long nowMillis) {
    long age = nowMillis - newerSince;
    if (age >= millis) {
      turn(nowMillis, age);
    } else if (age < 0) {
      newerSince = nowMillis; // the clock was set back
      olderSince = Math.min(olderSince, nowMillis);
    }
    return newer;
  }

  private void turn(long nowMillis, long age) {
    T oldest = older;
    older = newer;
    newer = oldest;
    clear.accept(newer);
    olderSince = newerSince;
    newerSince = nowMillis;
    if (age >= 2 * millis) {
      clear.accept(older);
      olderSince = nowMillis;
    }
  }

  /** Both, the newer one first. */
  public List<T> both() {
    return List.of(newer, older);
  }

  /** Wall clock at the begin of the older one, in milliseconds since the epoch. */
  public long sinceMillis() {
    return olderSince;
  }
}
