package io.loligo.server.traffic;

import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A result that answers all who ask within a second, so that many readers cost as much as one.
 * Thread-safe: any thread.
 *
 * @param <R> the result
 */
public final class RecentResult<R> {
  private static final long MILLIS = 1_000;

  private final LongSupplier clock;
  private final LongFunction<CompletableFuture<R>> maker;

  /** Guarded by {@code this}. */
  private @Nullable CompletableFuture<R> last;

  /** Guarded by {@code this}. */
  private long lastMillis;

  /**
   * None yet.
   *
   * @param clock wall clock, milliseconds since the epoch
   * @param maker begins to make a result for a moment of the clock; does not block
   */
  public RecentResult(LongSupplier clock, LongFunction<CompletableFuture<R>> maker) {
    this.clock = clock;
    this.maker = maker;
  }

  /** The result, at most a second old. */
  public synchronized CompletableFuture<R> get() {
    long now = clock.getAsLong();
    long age = now - lastMillis;
    CompletableFuture<R> known = last;
    if (known == null || age < 0 || age >= MILLIS) {
      known = maker.apply(now);
      last = known;
      lastMillis = now;
    }
    return known.copy();
  }

  /** The next one is made anew. */
  public synchronized void forget() {
    last = null;
  }
}
