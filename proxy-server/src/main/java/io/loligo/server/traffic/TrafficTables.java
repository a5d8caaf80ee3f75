package io.loligo.server.traffic;

import io.loligo.server.record.ExchangeSink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

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

  private static final long GENERATION_MILLIS = MINUTES * 60_000L;

  /** A snapshot answers all that ask within this time. */
  private static final long SNAPSHOT_MILLIS = 1_000;

  private final List<? extends Executor> loops;
  private final List<Generations<TrafficSums>> sums = new ArrayList<>();
  private final Executor merging;
  private final LongSupplier clock;
  private volatile TrafficView view = TrafficView.WHOLE;

  /** Guarded by {@code this}. */
  private @Nullable CompletableFuture<Traffic> last;

  /** Guarded by {@code this}. */
  private long lastMillis;

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
    this.loops = loops;
    this.merging = merging;
    this.clock = clock;
    for (int i = 0; i < loops.size(); i++) {
      sums.add(
          new Generations<>(
              new TrafficSums(secret),
              new TrafficSums(secret),
              TrafficSums::clear,
              GENERATION_MILLIS,
              clock.getAsLong()));
    }
  }

  /** Takes the finished exchanges of loop number {@code loop}, from 0. */
  public ExchangeSink loop(int loop) {
    Generations<TrafficSums> own = sums.get(loop);
    return record -> own.at(record.endMillis).add(record);
  }

  /** Shows clients and URLs like {@code wanted} from now on. */
  public void show(TrafficView wanted) {
    view = wanted;
    synchronized (this) {
      last = null;
    }
  }

  /**
   * The traffic until now, at most a second old.
   *
   * @return completes on another thread; fails if an event loop has ended
   */
  public synchronized CompletableFuture<Traffic> snapshot() {
    long now = clock.getAsLong();
    long age = now - lastMillis;
    CompletableFuture<Traffic> known = last;
    if (known == null || age < 0 || age >= SNAPSHOT_MILLIS) {
      known = merged(now);
      last = known;
      lastMillis = now;
    }
    return known.copy();
  }

  private CompletableFuture<Traffic> merged(long nowMillis) {
    List<CompletableFuture<LoopCopy>> copies = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      Generations<TrafficSums> own = sums.get(i);
      copies.add(onLoop(loops.get(i), own, nowMillis));
    }
    return CompletableFuture.allOf(copies.toArray(CompletableFuture<?>[]::new))
        .thenApplyAsync(
            done -> {
              TrafficMerge merge = new TrafficMerge(view);
              copies.forEach(copy -> merge.add(copy.join()));
              return merge.traffic(nowMillis);
            },
            merging);
  }

  private static CompletableFuture<LoopCopy> onLoop(
      Executor loop, Generations<TrafficSums> own, long nowMillis) {
    try {
      return CompletableFuture.supplyAsync(
          () -> {
            own.at(nowMillis);
            return LoopCopy.of(own);
          },
          loop);
    } catch (RuntimeException ended) {
      return CompletableFuture.failedFuture(ended);
    }
  }
}
