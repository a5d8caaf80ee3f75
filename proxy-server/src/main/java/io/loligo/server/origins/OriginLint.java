package io.loligo.server.origins;

import io.loligo.server.record.ExchangeSink;
import io.loligo.server.traffic.Generations;
import io.loligo.server.traffic.KeyedHash;
import io.loligo.server.traffic.LoopSums;
import io.loligo.server.traffic.RecentResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The findings about origins of the last {@value #MINUTES} to {@value #MOST_MINUTES} minutes, of
 * all event loops. Thread-safe: any thread, except that each loop's sink is confined to the loop.
 *
 * <p>Each loop has tables of its own, some 110 KB of heap, and no lock. A hit costs one comparison.
 * The order of query parameters is compared over all loops.
 */
public final class OriginLint {
  /** Least minutes that the tables cover, except after the start. */
  public static final int MINUTES = 30;

  static final int MOST_MINUTES = 2 * MINUTES;

  private final LoopSums<LintSums> sums;
  private final Executor merging;
  private final RecentResult<OriginReport> result;

  /**
   * No findings yet.
   *
   * @param loops run tasks on each event loop
   * @param merging merges the tables of the loops
   * @param clock wall clock, milliseconds since the epoch
   * @param secret a random number
   */
  public OriginLint(
      List<? extends Executor> loops, Executor merging, LongSupplier clock, long secret) {
    this.merging = merging;
    QueryOrders orders = new QueryOrders(new KeyedHash(secret));
    sums =
        new LoopSums<>(
            loops, () -> new LintSums(secret, orders), LintSums::clear, MINUTES * 60_000L, clock);
    result = new RecentResult<>(clock, this::merged);
  }

  /**
   * Takes the finished exchanges of loop number {@code loop}, from 0, and fetches that ended
   * without one.
   */
  public ExchangeSink loop(int loop) {
    Generations<LintSums> own = sums.loop(loop);
    return record -> own.at(record.endMillis).add(record);
  }

  /**
   * The findings until now, at most a second old.
   *
   * @return completes on another thread; fails if an event loop has ended
   */
  public CompletableFuture<OriginReport> report() {
    return result.get();
  }

  private CompletableFuture<OriginReport> merged(long nowMillis) {
    return sums.copies(nowMillis, ReportMerge.Copy::of)
        .thenApplyAsync(
            copies -> {
              ReportMerge merge = new ReportMerge();
              copies.forEach(merge::add);
              return merge.report(nowMillis);
            },
            merging);
  }
}
