package io.loligo.server.whatif;

import io.loligo.server.whatif.SizeForecast.Point;
import io.loligo.server.whatif.SizeForecast.Tier;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The curve of one tier, which reaches {@value #REACH} times its size. Not thread-safe. */
final class TierCurve {
  static final int REACH = 1 << Tier.DOUBLINGS_ABOVE;

  private static final int SMALLEST_BYTES = 1 << 10;

  private final TierSize tier;
  private long sizeBytes;

  /** Null while the tier never had a size. */
  private @Nullable MissRatioCurve curve;

  TierCurve(TierSize tier) {
    this.tier = tier;
  }

  /** Reads the present size. Returns whether the curve no longer fits it. */
  boolean look() {
    sizeBytes = tier.sizeBytes().getAsLong();
    if (curve == null || sizeBytes == 0) {
      return curve == null && sizeBytes > 0;
    }
    long made = curve.horizonBytes() / REACH;
    return sizeBytes / 4 >= made || made / 4 >= Math.max(sizeBytes, SMALLEST_BYTES);
  }

  /** Forgets everything; the curve fits the present size. */
  void begin() {
    curve =
        sizeBytes == 0
            ? null
            : new MissRatioCurve(
                Math.max(1, tier.largestObject()),
                tier.overheadBytes(),
                REACH * Math.max(sizeBytes, SMALLEST_BYTES));
  }

  /** Whether too few keys of the present traffic are left in the sample. */
  boolean isSparse() {
    return curve != null && curve.isSparse();
  }

  /** The limit of positions in the sample; 0: no key is. */
  long threshold() {
    return curve == null ? 0 : curve.threshold();
  }

  void sink(long limit) {
    if (curve != null) {
      curve.sink(limit);
    }
  }

  void seen(double requests, double bytes) {
    if (curve != null) {
      curve.seen(requests, bytes);
    }
  }

  void alwaysMissed(double requests, double bytes) {
    if (curve != null) {
      curve.alwaysMissed(requests, bytes);
    }
  }

  void request(long hash, long sent, int flags) {
    if (curve != null) {
      curve.request(hash, sent, flags);
    }
  }

  void halve() {
    if (curve != null) {
      curve.halve();
    }
  }

  /** The curve around the present size; null: the tier has none. */
  @Nullable Tier forecast(HitRatio measured) {
    if (curve == null || sizeBytes == 0) {
      return null;
    }
    List<Point> points = new ArrayList<>(Tier.POINTS);
    for (int i = 0; i < Tier.POINTS; i++) {
      double doublings = (double) (i - Tier.TODAY) / Tier.STEPS;
      long at = Math.round(sizeBytes * Math.pow(2, doublings));
      points.add(new Point(at, curve.at(at)));
    }
    return new Tier(tier.setting(), measured, List.copyOf(points));
  }
}
