package io.loligo.server.whatif;

/**
 * The hit ratio of an LRU cache as a function of its size in bytes, from samples of the keys. Not
 * thread-safe.
 *
 * <p><b>Two samples.</b> Small caches hold few objects, so a sample with a near horizon holds a
 * large share of their keys, perhaps all, and is exact there. A second sample reaches to the far
 * horizon with a smaller share. Beyond the near horizon, the curve goes on from the near sample's
 * misses there, in the proportion that the far sample shows: what the far sample has too many of,
 * it has on both sides of the proportion.
 *
 * <p><b>Ratio.</b> Misses come from the samples, except for those that no cache avoids ({@link
 * #alwaysMissed}); these and the number of all requests are exact. The most popular keys cause many
 * hits and few misses, so it matters little whether a sample holds one of them (the correction of
 * SHARDS-adj has the same effect).
 *
 * <p><b>Memory.</b> {@value #MOST_BYTES} bytes at most, all allocated at construction.
 */
final class MissRatioCurve {
  /** Most bytes that a curve takes. */
  static final int MOST_BYTES = 440 << 10;

  /** The size of the response is the number of bytes sent. */
  static final int WHOLE = 1;

  /** A cache that holds the response can answer with it; otherwise see {@link #alwaysMissed}. */
  static final int USABLE = 1 << 1;

  /** The proxy's own cache holds the response. */
  static final int HELD = 1 << 2;

  private static final int NEAR_PART = 16;
  private static final int NEAR_KEYS = 4096;
  private static final int FAR_KEYS = 8192;

  private final int overheadBytes;
  private final SampledMisses near;
  private final SampledMisses far;
  private double seenRequests;
  private double seenBytes;
  private double missedRequests;
  private double missedBytes;

  /**
   * A curve that has seen nothing.
   *
   * @param largestObject most bytes of a response that the cache stores, at least 1; a request for
   *     a larger one is a miss
   * @param overheadBytes of the cache for each response
   * @param horizonBytes largest size of the cache of interest, in bytes, at least {@value
   *     #NEAR_PART}
   */
  MissRatioCurve(long largestObject, int overheadBytes, long horizonBytes) {
    if (largestObject < 1 || horizonBytes < NEAR_PART) {
      throw new IllegalArgumentException(
          "bytes: " + largestObject + ", " + horizonBytes + " (expected: >= 1, >= 16)");
    }
    this.overheadBytes = overheadBytes;
    long largest = Math.min(largestObject, Integer.MAX_VALUE - overheadBytes) + overheadBytes;
    near = new SampledMisses(NEAR_KEYS, largest, horizonBytes / NEAR_PART);
    far = new SampledMisses(FAR_KEYS, largest, horizonBytes);
  }

  /** Where a key stands, from 0: {@link #request} ignores it from {@link #threshold} on. */
  static long position(long hash) {
    return SampledMisses.position(hash);
  }

  /** The limit of positions in the samples, from 1 to 2^63 - 1. It only sinks. */
  long threshold() {
    return Math.max(near.threshold(), far.threshold());
  }

  /** Lowers {@link #threshold} to at most {@code limit}. */
  void sink(long limit) {
    near.sink(limit);
    far.sink(limit);
  }

  /** Whether the threshold has sunk so far that few keys are left of the present traffic. */
  boolean isSparse() {
    return far.rate() < 1 && far.keys() < FAR_KEYS / 16;
  }

  /** Shares of the keys that are in the samples, above 0 and at most 1: near, far. */
  double[] rates() {
    return new double[] {near.rate(), far.rate()};
  }

  /** Counts requests, in a sample or not, and the bytes of their responses. */
  void seen(double requests, double bytes) {
    seenRequests += requests;
    seenBytes += bytes;
  }

  /** Counts those among the seen ones that miss in a cache of any size. */
  void alwaysMissed(double requests, double bytes) {
    missedRequests += requests;
    missedBytes += bytes;
  }

  /**
   * Takes one request, later than all before. It leaves no trace if its key is in no sample.
   *
   * @param hash hash of the key, all bits uniform
   * @param sent bytes of the response
   * @param flags any of {@link #WHOLE}, {@link #USABLE} and {@link #HELD}. Without WHOLE, the
   *     response keeps the size that it has in the cache; one that the curve does not know is
   *     stored only with HELD, and is as large as the mean
   */
  void request(long hash, long sent, int flags) {
    long size = (flags & WHOLE) == 0 ? SampledMisses.UNKNOWN : sent + overheadBytes;
    boolean usable = (flags & USABLE) != 0;
    boolean held = (flags & HELD) != 0;
    near.request(hash, sent, size, usable, held);
    far.request(hash, sent, size, usable, held);
  }

  /** Halves the weight of all requests so far. */
  void halve() {
    near.halve();
    far.halve();
    seenRequests /= 2;
    seenBytes /= 2;
    missedRequests /= 2;
    missedBytes /= 2;
  }

  /** The largest size that it can answer for, in bytes. */
  long horizonBytes() {
    return far.horizonBytes();
  }

  /** The hit ratio of a cache of so many bytes; above the horizon, that of the horizon. */
  HitRatio at(long cacheBytes) {
    long size = Math.min(cacheBytes, far.horizonBytes());
    long step = Math.min(size, near.horizonBytes());
    double requests = near.requestsMissed(step);
    double bytes = near.bytesMissed(step);
    if (size > step) {
      requests *= share(far.requestsMissed(size), far.requestsMissed(step));
      bytes *= share(far.bytesMissed(size), far.bytesMissed(step));
    }
    return new HitRatio(
        hits(requests + missedRequests, seenRequests), hits(bytes + missedBytes, seenBytes));
  }

  private static double share(double part, double whole) {
    return whole == 0 ? 0 : part / whole;
  }

  private static double hits(double missed, double seen) {
    return seen == 0 ? 0 : Math.max(0, Math.min(1, 1 - missed / seen));
  }
}
