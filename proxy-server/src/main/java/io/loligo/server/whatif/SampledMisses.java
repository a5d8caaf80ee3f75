package io.loligo.server.whatif;

/**
 * The misses of an LRU cache of each size up to a horizon, from a sample of the keys. Not
 * thread-safe.
 *
 * <p>A key is in the sample if the {@link #position} of its hash is below a threshold. So the
 * sample holds all requests of its keys, and the bytes between two requests of one key, divided by
 * the share of the keys in the sample, estimate the bytes between them in the whole stream. A cache
 * that holds so many bytes and the response itself has a hit there. Where the sample is full, the
 * threshold sinks, and keys above it leave: the memory is fixed. This is the method SHARDS
 * (Waldspurger, Park, Garthwaite, Ahmad: "Efficient MRC Construction with SHARDS", FAST 2015), here
 * with bytes for distances.
 *
 * <p>A key whose last use lies further back than the horizon leaves: its next request is a miss in
 * any case. So the threshold follows the horizon, not the number of all keys that ever came.
 */
final class SampledMisses {
  /** A size that the request does not tell. */
  static final long UNKNOWN = -1;

  /** Steps of the histogram for each doubling of the distance. */
  private static final int STEPS = 16;

  private static final int BUCKETS = 48 * STEPS;

  private final long largestObject;
  private final long horizonBytes;
  private final KeySample sample;

  /** Keys that stay where the threshold sinks. */
  private final int left;

  /** Requests whose distance lies in a bucket, estimated for the whole stream. */
  private final double[] requests = new double[BUCKETS];

  /** Bytes of these requests. */
  private final double[] bytes = new double[BUCKETS];

  /** Requests that miss in a cache of any size up to the horizon. */
  private double missedRequests;

  private double missedBytes;
  private long threshold = Long.MAX_VALUE;

  /**
   * Nothing seen.
   *
   * @param capacity most keys of the sample, a power of two, at least 16
   * @param largestObject most bytes of a stored response
   * @param horizonBytes largest size of the cache that it can answer for
   */
  SampledMisses(int capacity, long largestObject, long horizonBytes) {
    sample = new KeySample(capacity);
    left = capacity / 16 * 15;
    this.largestObject = largestObject;
    this.horizonBytes = horizonBytes;
  }

  /** Where a key stands, from 0: it is in the sample if this is below {@link #threshold}. */
  static long position(long hash) {
    return hash >>> 1;
  }

  /** The limit of positions in the sample, from 1 to 2^63 - 1. It only sinks. */
  long threshold() {
    return threshold;
  }

  /** Share of the keys that are in the sample, above 0 and at most 1. */
  double rate() {
    return threshold / 0x1p63;
  }

  /** The largest size of a cache that it can answer for, in bytes. */
  long horizonBytes() {
    return horizonBytes;
  }

  /**
   * Takes one request.
   *
   * @param sent bytes to the client
   * @param size bytes that the response takes in the cache, or {@link #UNKNOWN}
   * @param usable whether a cache that holds the response can answer with it; otherwise it only
   *     stores the response
   * @param held whether the proxy's own cache holds the response
   */
  void request(long hash, long sent, long size, boolean usable, boolean held) {
    if (position(hash) >= threshold) {
      return;
    }
    double weight = 1 / rate();
    long since = sample.take(hash);
    boolean known = since != KeySample.ABSENT;
    long now = size == UNKNOWN ? guessed(sent, known, held) : size;
    boolean stored = now != UNKNOWN && now <= largestObject;
    if (known && stored && usable) {
      int bucket = (int) place(since * weight + sample.takenSize());
      requests[bucket] += weight;
      bytes[bucket] += weight * sent;
    } else if (usable) {
      missedRequests += weight;
      missedBytes += weight * sent;
    }
    if (stored) {
      put(hash, (int) now);
    }
  }

  /** The size of a response that the request does not tell; {@link #UNKNOWN}: not stored. */
  private long guessed(long sent, boolean known, boolean held) {
    if (known) {
      return sample.takenSize();
    }
    return held ? Math.min(largestObject, Math.max(sent, sample.meanSize())) : UNKNOWN;
  }

  /** Halves the weight of all requests so far. */
  void halve() {
    for (int i = 0; i < BUCKETS; i++) {
      requests[i] /= 2;
      bytes[i] /= 2;
    }
    missedRequests /= 2;
    missedBytes /= 2;
  }

  /** Requests that a cache of so many bytes misses. */
  double requestsMissed(long cacheBytes) {
    return missedRequests + above(place((double) cacheBytes), requests);
  }

  /** Bytes of these requests. */
  double bytesMissed(long cacheBytes) {
    return missedBytes + above(place((double) cacheBytes), bytes);
  }

  /** Lowers {@link #threshold}; the keys above it leave. */
  void sink(long newThreshold) {
    if (newThreshold < threshold) {
      threshold = Math.max(1, newThreshold);
      sample.compact(threshold, Long.MAX_VALUE);
    }
  }

  /** Number of keys in the sample. */
  int keys() {
    return sample.keys();
  }

  private void put(long hash, int size) {
    if (!sample.hasRoom()) {
      sample.compact(threshold, (long) (horizonBytes * rate()));
      if (sample.keys() > left) {
        threshold = sample.keepLowest(left);
      }
    }
    if (position(hash) < threshold) {
      sample.put(hash, size);
    }
  }

  /** Sum of the buckets above a place; of its own bucket, the part above. */
  private static double above(double place, double[] of) {
    int own = (int) place;
    double sum = of[own] * (own + 1 - place);
    for (int i = own + 1; i < BUCKETS; i++) {
      sum += of[i];
    }
    return sum;
  }

  /** A distance in steps: its integer part is the bucket. */
  private static double place(double distance) {
    double steps = Math.log(Math.max(1, distance)) * (STEPS / Math.log(2));
    return Math.min(steps, BUCKETS - 1);
  }
}
