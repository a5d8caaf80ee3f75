package io.loligo.store.admission;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Traces from seeds, with the sizes of Polygraph's PolyMix-4. Each call gives the same again. */
final class Traces {
  private static final int MEAN_BYTES = 10_600;

  private Traces() {}

  /** Bytes that {@code objects} of Polygraph take on average. */
  static long bytesOf(double objects) {
    return (long) (objects * MEAN_BYTES);
  }

  private static int size(SplittableRandom random) {
    double kind = random.nextDouble();
    double bytes;
    if (kind < 0.65) {
      bytes = exponential(random, 4_500);
    } else if (kind < 0.80) {
      bytes = exponential(random, 8_500);
    } else if (kind < 0.805) {
      bytes = logNormal(random, 300_000, 300_000);
    } else {
      bytes = logNormal(random, 25_000, 10_000);
    }
    return (int) Math.max(300, Math.min(5_000_000, bytes));
  }

  private static double exponential(SplittableRandom random, double mean) {
    return -mean * Math.log(1 - random.nextDouble());
  }

  private static double logNormal(SplittableRandom random, double mean, double deviation) {
    double variance = Math.log(1 + deviation * deviation / (mean * mean));
    double normal =
        Math.sqrt(-2 * Math.log(1 - random.nextDouble()))
            * Math.cos(2 * Math.PI * random.nextDouble());
    return Math.exp(Math.log(mean) - variance / 2 + Math.sqrt(variance) * normal);
  }

  private static int[] sizes(SplittableRandom random, int objects) {
    int[] bytes = new int[objects];
    for (int i = 0; i < objects; i++) {
      bytes[i] = size(random);
    }
    return bytes;
  }

  private static double[] zipf(int objects, double exponent) {
    double[] upTo = new double[objects];
    double sum = 0;
    for (int i = 0; i < objects; i++) {
      sum += Math.pow(i + 1, -exponent);
      upTo[i] = sum;
    }
    for (int i = 0; i < objects; i++) {
      upTo[i] /= sum;
    }
    return upTo;
  }

  private static int draw(SplittableRandom random, double[] upTo) {
    int found = Arrays.binarySearch(upTo, random.nextDouble());
    return Math.min(upTo.length - 1, found < 0 ? -found - 1 : found);
  }

  /**
   * Zipf's popularity, and {@code wonders} of the requests for objects that are requested only
   * once.
   */
  static Trace zipfWithWonders(int length, int objects, double exponent, double wonders) {
    SplittableRandom random = new SplittableRandom(1);
    double[] upTo = zipf(objects, exponent);
    int[] requests = new int[length];
    int next = objects;
    for (int i = 0; i < length; i++) {
      requests[i] = random.nextDouble() < wonders ? next++ : draw(random, upTo);
    }
    return new Trace("Zipf with one-hit wonders", requests, sizes(random, next));
  }

  /** Zipf's popularity, and from time to time a scan of a whole set, once and in order. */
  static Trace scan(int length, int objects, double exponent, int scanned, int scans) {
    SplittableRandom random = new SplittableRandom(2);
    double[] upTo = zipf(objects, exponent);
    int[] requests = new int[length];
    int period = length / scans;
    for (int i = 0; i < length; i++) {
      // beside the others: every second request while it lasts
      int step = (i % period - period / 4) / 2;
      boolean scanning = i % period >= period / 4 && step < scanned && i % 2 == 0;
      requests[i] = scanning ? objects + step : draw(random, upTo);
    }
    return new Trace("a scan", requests, sizes(random, objects + scanned));
  }

  /** Uniform over a set that stays, but {@code 1 %} of it gets {@code 10 %} of the requests. */
  static Trace hotSet(int length, int objects) {
    SplittableRandom random = new SplittableRandom(3);
    int hot = Math.max(1, objects / 100);
    int[] requests = new int[length];
    for (int i = 0; i < length; i++) {
      requests[i] =
          random.nextDouble() < 0.1 ? random.nextInt(hot) : hot + random.nextInt(objects - hot);
    }
    return new Trace("hot set", requests, sizes(random, objects));
  }

  /**
   * PolyMix-4: {@code recurrence} of the requests revisit one of the {@code window} youngest
   * objects, the others ask for a new one. One in a hundred objects is hot: together they get a
   * tenth of the revisits.
   *
   * @param biased whether nine in ten revisits go to the smallest of nine neighbours
   */
  static Trace slidingSet(int length, int window, double recurrence, boolean biased) {
    SplittableRandom random = new SplittableRandom(4);
    int[] bytes = sizes(random, length);
    int[] requests = new int[length];
    int born = 0;
    for (int i = 0; i < length; i++) {
      requests[i] =
          born == 0 || random.nextDouble() >= recurrence
              ? born++
              : revisited(random, bytes, born, window, biased);
    }
    return new Trace(
        biased ? "PolyMix-4" : "sliding working set", requests, Arrays.copyOf(bytes, born));
  }

  private static int revisited(
      SplittableRandom random, int[] bytes, int born, int window, boolean biased) {
    int oldest = Math.max(0, born - window);
    if (random.nextDouble() < 0.1) {
      int firstHot = (oldest + 99) / 100 * 100;
      int hot = (born - firstHot + 99) / 100;
      if (hot > 0) {
        return firstHot + 100 * random.nextInt(hot);
      }
    }
    int chosen = oldest + random.nextInt(born - oldest);
    if (!biased || random.nextDouble() >= 0.9) {
      return chosen;
    }
    int smallest = chosen;
    for (int i = Math.max(oldest, chosen - 4); i <= Math.min(born - 1, chosen + 4); i++) {
      smallest = bytes[i] < bytes[smallest] ? i : smallest;
    }
    return smallest;
  }
}
