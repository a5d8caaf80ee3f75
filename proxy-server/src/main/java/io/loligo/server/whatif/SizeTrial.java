package io.loligo.server.whatif;

/**
 * The hits that a cache of one size would have beyond those of the proxy, from a simulation of a
 * share of the keys. Not thread-safe.
 *
 * <p>A key takes part if the {@link #position} of its hash is below a threshold. So all requests of
 * a key take part or none, and the cache of these keys is smaller than the whole one in proportion
 * (SHARDS, FAST 2015; miniature simulations, USENIX ATC 2017). Where the {@link TierModel} has most
 * of its entries, the threshold sinks by half, and the keys above it leave: the memory is fixed.
 * Half and not less, because policies count in powers of two: Caffeine's sketch then ages its
 * counters as often as that of the whole cache.
 *
 * <p>Requests count by the difference of two outcomes, a hit of the model or not and a hit of the
 * proxy or not. The hits of the proxy are known exactly, so only the difference has the error of a
 * sample, and it is small: popular responses hit in both.
 */
final class SizeTrial {
  private final TierModel.Maker maker;
  private final long sizeBytes;
  private TierModel model;
  private long threshold = Long.MAX_VALUE;
  private double moreRequests;
  private double moreBytes;

  /**
   * Nothing seen.
   *
   * @param sizeBytes of the cache, for all keys
   * @param mostEntries of its models
   */
  SizeTrial(TierModel.Maker maker, long sizeBytes, int mostEntries) {
    this.maker = maker;
    this.sizeBytes = sizeBytes;
    model = maker.make(sizeBytes, 1, mostEntries);
  }

  /** Where a key stands, from 0: it takes part if this is below {@link #threshold}. */
  static long position(long hash) {
    return hash >>> 1;
  }

  /** The limit of positions that take part, from 1 to 2^63 - 1. It only sinks. */
  long threshold() {
    return threshold;
  }

  /** Share of the keys that take part, above 0 and at most 1. */
  double share() {
    return threshold / 0x1p63;
  }

  /** Whether the threshold has sunk so far that few keys of the present traffic are left. */
  boolean isSparse() {
    return threshold < Long.MAX_VALUE && model.entries() < model.mostEntries() / 16;
  }

  /**
   * Takes one request, later than all before; ignores it if its key takes no part.
   *
   * @param sent bytes to the client
   * @param size see {@link TierModel#request}, as {@code usable} and {@code held}
   * @param hit whether it was a hit of the tier of the proxy
   */
  void request(long hash, long sent, int size, boolean usable, boolean held, boolean hit) {
    if (position(hash) >= threshold) {
      return;
    }
    if (model.entries() >= model.mostEntries()) {
      sink(threshold / 2);
    }
    int more = (model.request(hash, size, usable, held) ? 1 : 0) - (hit ? 1 : 0);
    moreRequests += more / share();
    moreBytes += more * (double) sent / share();
  }

  /** A second has passed. */
  void second() {
    model.second();
  }

  /** Halves {@link #threshold} until it is at most {@code limit}, at least 1. */
  void sink(long limit) {
    long sunk = threshold;
    while (sunk > limit) {
      sunk /= 2;
    }
    if (sunk < threshold) {
      long below = sunk;
      threshold = below;
      TierModel smaller = maker.make(sizeBytes, share(), model.mostEntries());
      model.copyTo(smaller, hash -> position(hash) < below);
      model = smaller;
    }
  }

  /** Halves the weight of all requests so far. */
  void halve() {
    moreRequests /= 2;
    moreBytes /= 2;
  }

  /** Hits beyond those of the proxy; below 0 if there were fewer. */
  double moreRequests() {
    return moreRequests;
  }

  /** Bytes of these hits. */
  double moreBytes() {
    return moreBytes;
  }

  long sizeBytes() {
    return sizeBytes;
  }
}
