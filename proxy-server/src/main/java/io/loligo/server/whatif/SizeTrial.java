package io.loligo.server.whatif;

/**
 * The hits that a cache of one size would have beyond those of the proxy, from a simulation of a
 * share of the keys. Not thread-safe.
 *
 * <p>A key takes part if its {@link #position} is below a threshold. So all requests of a key take
 * part or none, and the cache of these keys is smaller than the whole one in proportion (SHARDS,
 * FAST 2015; miniature simulations, USENIX ATC 2017). Where the {@link TierModel} is full, the
 * threshold sinks by a {@link KeyRank}, and the keys above it leave: the memory is fixed.
 *
 * <p>Requests count by the difference of two outcomes, a hit of the model or not and a hit of the
 * proxy or not. The hits of the proxy are known exactly, so only the difference has the error of a
 * sample, and it is small: popular responses hit in both. The misses of the proxy that a larger
 * cache might have answered are known too, so the sample only tells which share of them it answers.
 */
final class SizeTrial {
  /** A sample that fills a smaller share of the model has few keys. */
  private static final double SPARSE = 1 / 16d;

  private final long sizeBytes;
  private final TierModel model;
  private int limit = KeyRank.ALL;
  private long threshold = Long.MAX_VALUE;
  private double weight = 1;
  private final double[] requests = new double[Kind.values().length];
  private final double[] bytes = new double[Kind.values().length];

  private enum Kind {
    /** Misses of the proxy that a cache might have answered. */
    MISSES,
    /** Those of them that hit in the model. */
    GAINED,
    /** Hits of the proxy that miss in the model. */
    LOST
  }

  /**
   * Nothing seen.
   *
   * @param sizeBytes of the cache, for all keys
   * @param heapBytes of its model
   */
  SizeTrial(TierModel.Maker maker, long sizeBytes, int heapBytes) {
    this.sizeBytes = sizeBytes;
    model = maker.make(sizeBytes, heapBytes);
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
    return KeyRank.share(limit);
  }

  /** Whether the threshold has sunk so far that few keys of the present traffic are left. */
  boolean isSparse() {
    return limit < KeyRank.ALL && model.fullness() < SPARSE;
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
    while (model.fullness() >= 1 && limit > 1) {
      sink();
    }
    if (position(hash) >= threshold) {
      return;
    }
    boolean modelHit = model.request(hash, size, usable, held);
    if (usable && !hit) {
      count(Kind.MISSES, sent);
    }
    if (modelHit != hit) {
      count(hit ? Kind.LOST : Kind.GAINED, sent);
    }
  }

  private void count(Kind kind, long sent) {
    requests[kind.ordinal()] += weight;
    bytes[kind.ordinal()] += weight * sent;
  }

  /** A second has passed. */
  void second() {
    model.second();
  }

  /** Lowers {@link #threshold} to at most {@code most}, at least the lowest possible. */
  void sink(long most) {
    while (threshold > most && limit > 1) {
      sink();
    }
  }

  private void sink() {
    limit--;
    threshold = KeyRank.threshold(limit);
    weight = 1 / share();
    model.sink(limit);
  }

  /** Halves the weight of all requests so far. */
  void halve() {
    for (Kind kind : Kind.values()) {
      requests[kind.ordinal()] /= 2;
      bytes[kind.ordinal()] /= 2;
    }
  }

  /**
   * Hits beyond those of the proxy, and their bytes; below 0 if there were fewer.
   *
   * @param misses of the proxy, in this tier, that a cache might have answered
   */
  Load more(Load misses) {
    return new Load(more(requests, misses.requests()), more(bytes, misses.bytes()));
  }

  private static double more(double[] of, double misses) {
    double gained = of[Kind.GAINED.ordinal()];
    double share = gained == 0 ? 0 : gained / of[Kind.MISSES.ordinal()];
    return share * misses - of[Kind.LOST.ordinal()];
  }

  long sizeBytes() {
    return sizeBytes;
  }
}
