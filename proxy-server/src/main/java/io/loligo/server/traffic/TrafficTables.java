package io.loligo.server.traffic;

import io.loligo.server.record.ExchangeSink;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The traffic of the last {@value #MINUTES} to {@value #MOST_MINUTES} minutes, of all event loops.
 * Thread-safe: any thread, except that each loop's sink is confined to the loop.
 *
 * <p>Each loop has tables of its own, some 250 KB of heap, and no lock.
 */
public final class TrafficTables {
  /** Least minutes that the tables cover, except after the start. */
  public static final int MINUTES = 5;

  static final int MOST_MINUTES = 2 * MINUTES;

  private final LoopSums<TrafficSums> sums;
  private final Executor merging;
  private final RecentResult<Traffic> result;
  private volatile TrafficView view = TrafficView.WHOLE;

  /**
   * Empty tables.
   *
   * @param loops run tasks on each event loop
   * @param merging merges the tables of the loops
   * @param clock wall clock, milliseconds since the epoch
   * @param secret a random number
   */
  public TrafficTables(
      List<? extends Executor> loops, Executor merging, LongSupplier clock, long secret) {
    this.merging = merging;
    sums =
        new LoopSums<>(
            loops, () -> new TrafficSums(secret), TrafficSums::clear, MINUTES * 60_000L, clock);
    result = new RecentResult<>(clock, this::merged);
  }

  /** Takes the finished exchanges of loop number {@code loop}, from 0. */
  public ExchangeSink loop(int loop) {
    Generations<TrafficSums> own = sums.loop(loop);
    return record -> own.at(record.endMillis).add(record);
  }

  /** Shows clients and URLs like {@code wanted} from now on. */
  public void show(TrafficView wanted) {
    view = wanted;
    result.forget();
  }

  /**
   * The traffic until now, at most a second old.
   *
   * @return completes on another thread; fails if an event loop has ended
   */
  public CompletableFuture<Traffic> snapshot() {
    return result.get();
  }

  private CompletableFuture<Traffic> merged(long nowMillis) {
    return sums.copies(nowMillis, LoopCopy::of)
        .thenApplyAsync(
            copies -> {
              TrafficMerge merge = new TrafficMerge(view);
              copies.forEach(merge::add);
              return merge.traffic(nowMillis);
            },
            merging);
  }
}
