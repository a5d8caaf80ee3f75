package io.loligo.server.whatif;

import io.loligo.server.whatif.SizeForecast.Point;
import io.loligo.server.whatif.SizeForecast.Tier;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The trials of one tier, one for each point of its curve. Not thread-safe. */
final class TierCurve {
  /** Of a response that a model can have: with its overhead, it is an {@code int}. */
  private static final int MOST_BYTES = 1 << 30;

  private final String setting;
  private final LongSupplier largestObject;
  private final IntUnaryOperator storedBytes;
  private final LongSupplier size;
  private final Supplier<int[]> heapBytes;
  private final TierModel.Maker maker;
  private long sizeBytes;
  private List<SizeTrial> trials = List.of();

  /**
   * A tier without a size until {@link #look}.
   *
   * @param setting the directive of the size
   * @param largestObject gives the bytes of the largest response that it stores
   * @param storedBytes gives the bytes that a response takes, of those that are sent to a client
   * @param size gives the present size; 0: there is none
   * @param heapBytes gives the heap of the model of each size
   */
  TierCurve(
      String setting,
      LongSupplier largestObject,
      IntUnaryOperator storedBytes,
      LongSupplier size,
      Supplier<int[]> heapBytes,
      TierModel.Maker maker) {
    this.setting = setting;
    this.largestObject = () -> Math.min(largestObject.getAsLong(), MOST_BYTES);
    this.storedBytes = storedBytes;
    this.size = size;
    this.heapBytes = heapBytes;
    this.maker = maker;
  }

  /** Reads the present size. Returns whether it has changed: {@link #begin} is due. */
  boolean look() {
    long before = sizeBytes;
    sizeBytes = size.getAsLong();
    return sizeBytes != before;
  }

  /** Whether the tier has a size. */
  boolean exists() {
    return sizeBytes > 0;
  }

  /** Forgets everything; the trials are around the present size. */
  void begin() {
    List<SizeTrial> fresh = new ArrayList<>();
    int[] heap = heapBytes.get();
    for (int i = 0; exists() && i < Tier.POINTS; i++) {
      long bytes = i < Tier.TODAY ? sizeBytes >> (Tier.TODAY - i) : sizeBytes << (i - Tier.TODAY);
      fresh.add(new SizeTrial(maker, bytes, heap[i]));
    }
    trials = List.copyOf(fresh);
  }

  /** Whether too few keys of the present traffic are left in the samples. */
  boolean isSparse() {
    return exists() && trials.get(Tier.POINTS - 1).isSparse();
  }

  /** The limit of positions in the samples; 0: no key is. */
  long threshold() {
    long threshold = 0;
    for (SizeTrial trial : trials) {
      threshold = Math.max(threshold, trial.threshold());
    }
    return threshold;
  }

  /** Lowers {@link #threshold} to at most {@code limit}. */
  void sink(long limit) {
    trials.forEach(trial -> trial.sink(limit));
  }

  /**
   * Takes a sampled request.
   *
   * @param flags of {@link LoopSample}
   * @param hit whether it was a hit of this tier
   */
  void request(long hash, long sent, int flags, boolean hit) {
    int size = TierModel.UNKNOWN;
    if ((flags & LoopSample.WHOLE) != 0) {
      size =
          sent > largestObject.getAsLong()
              ? TierModel.TOO_LARGE
              : storedBytes.applyAsInt((int) sent);
    }
    boolean usable = (flags & LoopSample.USABLE) != 0;
    boolean held = (flags & LoopSample.HELD) != 0;
    for (SizeTrial trial : trials) {
      trial.request(hash, sent, size, usable, held, hit);
    }
  }

  /** A second has passed. */
  void second() {
    trials.forEach(SizeTrial::second);
  }

  /** Halves the weight of all requests so far. */
  void halve() {
    trials.forEach(SizeTrial::halve);
  }

  /**
   * The curve around the present size; null: the tier has none.
   *
   * @param measured the hits of the proxy
   * @param all requests that count
   * @param misses of the proxy, in this tier, that a cache might have answered
   */
  @Nullable Tier forecast(HitRatio measured, Load all, Load misses) {
    if (trials.isEmpty()) {
      return null;
    }
    List<Point> points = new ArrayList<>(Tier.POINTS);
    for (SizeTrial trial : trials) {
      Load more = trial.more(misses);
      HitRatio ratio =
          new HitRatio(
              sum(measured.requests(), more.requests(), all.requests()),
              sum(measured.bytes(), more.bytes(), all.bytes()));
      points.add(new Point(trial.sizeBytes(), ratio));
    }
    return new Tier(setting, measured, List.copyOf(points));
  }

  private static double sum(double measured, double more, double all) {
    return all == 0 ? 0 : Math.max(0, Math.min(1, measured + more / all));
  }
}
