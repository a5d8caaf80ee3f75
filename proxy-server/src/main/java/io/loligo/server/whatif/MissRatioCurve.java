package io.loligo.server.whatif;

/**
 * The hit ratio of an LRU cache as a function of its size in bytes, from samples of the keys. Not
 * thread-safe.
 *
 * <p><b>Two samples.</b> Small caches hold few objects, so a sample with a near horizon holds a
 * large share of their keys, perhaps all, and is exact there. A second sample of the same number of
 * keys reaches to the far horizon with a smaller share. Beyond the near horizon, the curve goes on
 * from the near sample's misses there, in the proportion that the far sample shows: what the far
 * sample has too many of, it has on both sides of the proportion.
 *
 * <p><b>Ratio.</b> Misses come from the samples, the number of all requests from {@link #seen},
 * which is exact. The most popular keys cause many hits and few misses, so it matters little
 * whether a sample holds one of them (the correction of SHARDS-adj has the same effect).
 *
 * <p><b>Memory.</b> At most {@value #MOST_BYTES} bytes, all allocated at construction.
 */
public final class MissRatioCurve {
  /** Most bytes that a curve takes. */
  public static final int MOST_BYTES = 320 << 10;

  private static final int NEAR_PART = 32;

  private final long largestObject;
  private final SampledMisses near;
  private final SampledMisses far;
  private double seenRequests;
  private double seenBytes;

  /**
   * A curve that has seen nothing.
   *
   * @param largestObject most bytes of a response that the cache stores, at least 1; a request for
   *     a larger one is a miss
   * @param horizonBytes largest size of the cache of interest, in bytes, at least {@value
   *     #NEAR_PART}
   */
  public MissRatioCurve(long largestObject, long horizonBytes) {
    if (largestObject < 1 || horizonBytes < NEAR_PART) {
      throw new IllegalArgumentException(
          "bytes: " + largestObject + ", " + horizonBytes + " (expected: >= 1, >= 32)");
    }
    this.largestObject = Math.min(largestObject, Integer.MAX_VALUE);
    near = new SampledMisses(horizonBytes / NEAR_PART);
    far = new SampledMisses(horizonBytes);
  }

  /** Where a key stands, from 0: {@link #request} ignores it from {@link #threshold} on. */
  public static long position(long hash) {
    return SampledMisses.position(hash);
  }

  /** The limit of positions in the samples, from 1 to 2^63 - 1. It only sinks. */
  public long threshold() {
    return Math.max(near.threshold(), far.threshold());
  }

  /** Shares of the keys that are in the samples, above 0 and at most 1: near, far. */
  double[] rates() {
    return new double[] {near.rate(), far.rate()};
  }

  /** Counts requests, in a sample or not, and the bytes of their responses. */
  public void seen(long requests, long bytes) {
    seenRequests += requests;
    seenBytes += bytes;
  }

  /**
   * Takes one request, later than all before. It leaves no trace if its key is in no sample.
   *
   * @param hash hash of the key, all bits uniform
   * @param size bytes of the response, at least 0; it replaces the size that the key had
   */
  public void request(long hash, long size) {
    boolean stored = size <= largestObject;
    near.request(hash, size, stored);
    far.request(hash, size, stored);
  }

  /** Halves the weight of all requests so far. */
  public void halve() {
    near.halve();
    far.halve();
    seenRequests /= 2;
    seenBytes /= 2;
  }

  /** The hit ratio of a cache of so many bytes, from 1 to the horizon. */
  public HitRatio at(long cacheBytes) {
    long step = Math.min(cacheBytes, near.horizonBytes());
    double requests = near.requestsMissed(step);
    double bytes = near.bytesMissed(step);
    if (cacheBytes > step) {
      requests *= share(far.requestsMissed(cacheBytes), far.requestsMissed(step));
      bytes *= share(far.bytesMissed(cacheBytes), far.bytesMissed(step));
    }
    return new HitRatio(hits(requests, seenRequests), hits(bytes, seenBytes));
  }

  private static double share(double part, double whole) {
    return whole == 0 ? 0 : part / whole;
  }

  private static double hits(double missed, double seen) {
    return seen == 0 ? 0 : Math.max(0, Math.min(1, 1 - missed / seen));
  }
}
