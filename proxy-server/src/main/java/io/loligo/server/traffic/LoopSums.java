package io.loligo.server.traffic;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Sums of each event loop, in generations. Thread-safe, except that the sums of a loop are confined
 * to it.
 *
 * @param <S> the sums of one generation
 */
public final class LoopSums<S> {
  private final List<? extends Executor> loops;
  private final List<Generations<S>> sums = new ArrayList<>();

  /**
   * Empty sums.
   *
   * @param loops run tasks on each event loop
   * @param empty makes empty sums
   * @param clear empties sums
   * @param millis length of a generation
   * @param clock wall clock, milliseconds since the epoch
   */
  public LoopSums(
      List<? extends Executor> loops,
      Supplier<S> empty,
      Consumer<S> clear,
      long millis,
      LongSupplier clock) {
    this.loops = loops;
    for (int i = 0; i < loops.size(); i++) {
      sums.add(new Generations<>(empty.get(), empty.get(), clear, millis, clock.getAsLong()));
    }
  }

  /** Those of loop number {@code loop}, from 0. */
  public Generations<S> loop(int loop) {
    return sums.get(loop);
  }

  /**
   * Copies the sums of all loops as they are now.
   *
   * @param nowMillis wall clock
   * @param copy copies the sums of a loop, on the loop
   * @return completes on the last loop; fails if a loop has ended
   */
  public <C> CompletableFuture<List<C>> copies(long nowMillis, Function<Generations<S>, C> copy) {
    List<CompletableFuture<C>> copies = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      Generations<S> own = sums.get(i);
      copies.add(
          onLoop(
              loops.get(i),
              () -> {
                own.at(nowMillis); // forgets what is too old
                return copy.apply(own);
              }));
    }
    return CompletableFuture.allOf(copies.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> copies.stream().map(CompletableFuture::join).toList());
  }

  private static <C> CompletableFuture<C> onLoop(Executor loop, Supplier<C> copy) {
    try {
      return CompletableFuture.supplyAsync(copy, loop);
    } catch (RuntimeException ended) {
      return CompletableFuture.failedFuture(ended);
    }
  }
}
