package io.loligo.server.whatif;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The hit ratios that other sizes of the cache would have. Immutable.
 *
 * @param since the oldest request that counts
 * @param sampledRequests number of requests of sampled keys since then
 * @param memory the tier in memory; null: it has no size
 * @param disk the tiers in memory and on disk together; null: no {@code cache_dir} is in use
 */
public record SizeForecast(
    Instant since, long sampledRequests, @Nullable Tier memory, @Nullable Tier disk) {
  /**
   * A point of a curve.
   *
   * @param sizeBytes size of the cache
   */
  public record Point(long sizeBytes, HitRatio ratio) {}

  /**
   * One tier.
   *
   * @param setting the directive of its size
   * @param measured the hit ratio of the proxy, over the same requests
   * @param curve {@value Tier#POINTS} points, each of twice the size of the one before, from an
   *     eighth of today's size to four times that
   */
  public record Tier(String setting, HitRatio measured, List<Point> curve) {
    /** Number of points below the present size. */
    static final int TODAY = 3;

    static final int POINTS = TODAY + 3;

    /** The point at the present size. */
    public Point today() {
      return curve.get(TODAY);
    }

    /** The point at half of the present size. */
    public Point halved() {
      return curve.get(TODAY - 1);
    }

    /** The point at twice the present size. */
    public Point doubled() {
      return curve.get(TODAY + 1);
    }

    /** Percentage points of hit ratio beyond today's, to a tenth. */
    public double points(Point other) {
      return tenth(other.ratio().requests() - today().ratio().requests());
    }

    /** The same of the byte hit ratio. */
    public double bytePoints(Point other) {
      return tenth(other.ratio().bytes() - today().ratio().bytes());
    }

    /** A line for people: {@code doubling cache_mem: +6.1 points of hit ratio; halving: -5.0}. */
    public String text() {
      return String.format(
          Locale.ROOT,
          "doubling %s: %+.1f points of hit ratio; halving: %+.1f",
          setting,
          points(doubled()),
          points(halved()));
    }

    private static double tenth(double share) {
      return Math.round(share * 1000) / 10d;
    }
  }
}
