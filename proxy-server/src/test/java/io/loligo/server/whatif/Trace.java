package io.loligo.server.whatif;

import java.util.Arrays;
import java.util.Random;

/** A sequence of requests: the number of the object of each, and the size of each object. */
record Trace(int[] requests, long[] sizes) {
  /**
   * Requests of a Zipf distribution of exponent 0.8 (Breslau et al., INFOCOM 1999), sizes
   * log-normal with a mean of about 12 KB.
   */
  static Trace zipf(int objects, int length, long seed) {
    return zipf(0.8, objects, length, seed);
  }

  /** The same with another exponent. */
  static Trace zipf(double exponent, int objects, int length, long seed) {
    Random random = new Random(seed);
    double[] until = new double[objects];
    double sum = 0;
    for (int i = 0; i < objects; i++) {
      sum += Math.pow(i + 1, -exponent);
      until[i] = sum;
    }
    int[] requests = new int[length];
    for (int i = 0; i < length; i++) {
      int at = Arrays.binarySearch(until, random.nextDouble() * sum);
      requests[i] = Math.min(objects - 1, at < 0 ? -at - 1 : at);
    }
    long[] sizes = new long[objects];
    for (int i = 0; i < objects; i++) {
      sizes[i] = 100 + (long) Math.exp(8.7 + 1.2 * random.nextGaussian());
    }
    return new Trace(requests, sizes);
  }

  /**
   * Requests as those of Web Polygraph's PolyMix: 45 % ask for new objects, the others for one of
   * the last new ones, a tenth of {@code length}, a tenth of them for one of a hundred hot ones.
   * Sizes are exponential: 65 % images of 4.5 KB, 15 % pages of 8.5 KB, 19.5 % others of 25 KB, 0.5
   * % downloads of 300 KB.
   */
  static Trace polygraph(int length, long seed) {
    Random random = new Random(seed);
    int[] requests = new int[length];
    int objects = 0;
    for (int i = 0; i < length; i++) {
      if (objects == 0 || random.nextDouble() < 0.45) {
        requests[i] = objects++;
      } else {
        int window = Math.min(objects, random.nextInt(10) == 0 ? 100 : length / 10);
        requests[i] = objects - 1 - random.nextInt(window);
      }
    }
    long[] sizes = new long[objects];
    for (int i = 0; i < objects; i++) {
      double kind = random.nextDouble();
      double mean = kind < 0.65 ? 4500 : kind < 0.8 ? 8500 : kind < 0.995 ? 25_000 : 300_000;
      sizes[i] = 100 + (long) (-mean * Math.log(1 - random.nextDouble()));
    }
    return new Trace(requests, sizes);
  }

  /**
   * A Zipf distribution whose popular objects become others every 50,000 requests, and a scan: a
   * tenth of the requests ask for all objects in turn, as a crawler does.
   */
  static Trace changing(int objects, int length, long seed) {
    Trace zipf = zipf(objects, length, seed);
    Random random = new Random(~seed);
    int[] requests = new int[length];
    int scanned = 0;
    for (int i = 0; i < length; i++) {
      int moved = (zipf.requests[i] + i / 50_000 * 7919) % objects;
      requests[i] = random.nextInt(10) == 0 ? scanned++ % objects : moved;
    }
    return new Trace(requests, zipf.sizes);
  }

  /**
   * A Zipf distribution of exponent 0.9, and a loop: a fifth of the requests ask for a tenth of the
   * objects in turn.
   */
  static Trace loop(int objects, int length, long seed) {
    Trace zipf = zipf(0.9, objects, length, seed);
    Random random = new Random(~seed);
    int[] requests = zipf.requests.clone();
    int next = 0;
    for (int i = 0; i < length; i++) {
      if (random.nextInt(5) == 0) {
        requests[i] = next++ % (objects / 10);
      }
    }
    return new Trace(requests, zipf.sizes);
  }

  /** The hash of an object's key: the finalizer of SplitMix64 (Steele et al., OOPSLA 2014). */
  static long hash(int object, long seed) {
    long z = (object + seed * 1_000_003L + 1) * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
