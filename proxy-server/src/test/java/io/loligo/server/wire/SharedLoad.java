package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

/**
 * Clients of nodes of a shared cache, each with a connection that it keeps, which ask for paths at
 * random and compare the content, until {@link #end}. Thread-safe.
 */
final class SharedLoad implements AutoCloseable {
  private final SharingProcesses nodes;
  private final List<String> urls;
  private final UnaryOperator<String> contentOf;
  private final List<Thread> threads = new ArrayList<>();
  private final Queue<String> faults = new ConcurrentLinkedQueue<>();
  private final Queue<Long> nanos = new ConcurrentLinkedQueue<>();
  private volatile boolean ended;

  /**
   * No clients yet.
   *
   * @param contentOf the content that a response of a URL has to have
   */
  SharedLoad(SharingProcesses nodes, List<String> urls, UnaryOperator<String> contentOf) {
    this.nodes = nodes;
    this.urls = urls;
    this.contentOf = contentOf;
  }

  /** One more client, of {@code node}; the choice of URLs follows from {@code seed}. */
  SharedLoad client(int node, long seed) {
    Thread thread = new Thread(() -> ask(node, new Random(seed)), "client-" + threads.size());
    threads.add(thread);
    thread.start();
    return this;
  }

  private void ask(int node, Random random) {
    try (RawClient client = nodes.connect(node)) {
      while (!ended) {
        String url = urls.get(random.nextInt(urls.size()));
        long begun = System.nanoTime();
        WireMessage reply = client.get(url).response();
        nanos.add(System.nanoTime() - begun);
        if (reply.status() != 200 || !reply.text().equals(contentOf.apply(url))) {
          faults.add("node " + node + ", " + url + ": " + reply);
        }
      }
    } catch (IOException e) {
      faults.add("node " + node + ": " + e);
    }
  }

  /** Waits for so many more responses, of all clients together. */
  SharedLoad awaitMore(int count) throws Exception {
    int before = nanos.size();
    Waiting.until("more responses", () -> nanos.size() >= before + count || !faults.isEmpty());
    return this;
  }

  /** Ends it; no response was wrong. Returns the times in words. */
  String end() throws IOException {
    close();
    assertThat(faults).isEmpty();
    long[] times = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    assertThat(times).isNotEmpty();
    return "%d responses, p50 %.1f ms, p99 %.1f ms, longest %.1f ms"
        .formatted(times.length, at(times, 0.5), at(times, 0.99), at(times, 1));
  }

  private static double at(long[] times, double share) {
    return times[(int) Math.min(times.length - 1L, (long) (times.length * share))] / 1e6;
  }

  @Override
  public void close() throws IOException {
    ended = true;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      throw new InterruptedIOException("interrupted while clients ended");
    }
  }
}
