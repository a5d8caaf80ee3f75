package io.loligo.bench.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Clients in a closed loop, each on a thread with a connection to one node, with objects by Zipf's
 * law. Thread-safe.
 */
final class ZipfClients implements AutoCloseable {
  private static final double EXPONENT = 0.9;
  private static final int MOST_TIMES = 4_000_000;

  private final CountedOrigin origin;
  private final double[] cumulated;
  private final List<Thread> threads = new ArrayList<>();
  private final LongAdder errors = new LongAdder();
  private volatile boolean ends;
  private volatile @Nullable String firstError;

  /** Microseconds of each response since the last {@link #take}. Guarded by {@code this}. */
  private final int[] micros = new int[MOST_TIMES];

  private int count;

  ZipfClients(CountedOrigin origin, int objects) {
    this.origin = origin;
    cumulated = new double[objects];
    double sum = 0;
    for (int i = 0; i < objects; i++) {
      sum += Math.pow(i + 1.0, -EXPONENT);
      cumulated[i] = sum;
    }
  }

  /**
   * What the clients met.
   *
   * @param micros of each response, ascending
   * @param errors responses of 5xx, and connections that were lost
   * @param example one of them; null: there was none
   */
  record Met(int[] micros, long errors, @Nullable String example) {
    /** In milliseconds. */
    double quantile(double share) {
      return micros.length == 0
          ? 0
          : micros[(int) Math.min(micros.length - 1.0, micros.length * share)] / 1e3;
    }
  }

  /** So many more clients of the node at {@code port}, until {@link #close}. */
  void add(int port, int clients) {
    for (int i = 0; i < clients; i++) {
      SplittableRandom random = new SplittableRandom(threads.size());
      Thread thread = new Thread(() -> run(port, random), "client-" + threads.size());
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  private void run(int port, SplittableRandom random) {
    while (!ends) {
      try (HttpConnection connection = new HttpConnection(port)) {
        while (!ends) {
          ask(connection, random);
        }
      } catch (IOException e) {
        failed(e.toString());
      }
    }
  }

  private void ask(HttpConnection connection, SplittableRandom random) throws IOException {
    int found =
        Arrays.binarySearch(cumulated, random.nextDouble() * cumulated[cumulated.length - 1]);
    int object = Math.min(found < 0 ? -found - 1 : found, cumulated.length - 1);
    long begun = System.nanoTime();
    HttpConnection.Response response = connection.ask("GET", origin.url(object));
    answered((int) ((System.nanoTime() - begun) / 1_000));
    if (response.status() != 200) {
      failed(response.head());
    }
  }

  private synchronized void answered(int tookMicros) {
    if (count < micros.length) {
      micros[count++] = tookMicros;
    }
  }

  private void failed(String what) {
    errors.increment();
    firstError = what;
  }

  /** What they met since the last call. */
  Met take() {
    int[] taken;
    synchronized (this) {
      taken = Arrays.copyOf(micros, count);
      count = 0;
    }
    Arrays.sort(taken);
    String example = firstError;
    firstError = null;
    return new Met(taken, errors.sumThenReset(), example);
  }

  @Override
  public void close() {
    ends = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
