package io.loligo.server.whatif;

/**
 * The misses of an LRU cache of each size up to a horizon, from a sample of the keys. Not
 * thread-safe.
 *
 * <p>A key is in the sample if the {@link #position} of its hash is below a threshold. So the
 * sample holds all requests of its keys, and the bytes between two requests of one key, divided by
 * the share of the keys in the sample, estimate the bytes between them in the whole stream. A cache
 * that holds so many bytes has a hit there. Where the sample is full, the threshold sinks, and keys
 * above it leave: the memory is fixed. This is the method SHARDS (Waldspurger, Park, Garthwaite,
 * Ahmad: "Efficient MRC Construction with SHARDS", FAST 2015), here with bytes for distances.
 *
 * <p>A key whose last use lies further back than the horizon leaves: its next request is a miss in
 * any case. So the threshold follows the horizon, not the number of all keys that ever came.
 */
final class SampledMisses {
  /** Steps of the histogram for each doubling of the distance. */
  private static final int STEPS = 16;

  private static final int BUCKETS = 48 * STEPS;
  private static final int LEFT = KeySample.CAPACITY / 16 * 15;

  private final long horizonBytes;
  private final KeySample sample = new KeySample();

  /** Requests whose distance lies in a bucket, estimated for the whole stream. */
  private final double[] requests = new double[BUCKETS];

  /** Bytes of these requests. */
  private final double[] bytes = new double[BUCKETS];

  /** Requests that miss in a cache of any size up to the horizon. */
  private double missedRequests;

  private double missedBytes;
  private long threshold = Long.MAX_VALUE;

  SampledMisses(long horizonBytes) {
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

  /** Takes one request; {@code stored}: whether a cache stores a response of its size. */
  void request(long hash, long size, boolean stored) {
    if (position(hash) >= threshold) {
      return;
    }
    double weight = 1 / rate();
    long since = sample.take(hash);
    if (since == KeySample.ABSENT || !stored) {
      missedRequests += weight;
      missedBytes += weight * size;
    } else {
      int bucket = (int) place(since * weight);
      requests[bucket] += weight;
      bytes[bucket] += weight * size;
    }
    if (stored) {
      put(hash, (int) size);
    }
  }

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

  private void put(long hash, int size) {
    if (!sample.hasRoom()) {
      sample.compact(threshold, (long) (horizonBytes * rate()));
      if (sample.keys() > LEFT) {
        threshold = sample.keepLowest(LEFT);
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
