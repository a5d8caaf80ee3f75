package io.loligo.server.wire;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What an origin has under each path: a version, {@code version of PATH}, fresh for a long time. It
 * counts requests, and those in progress for each path. Thread-safe: any thread.
 */
final class VersionedOrigin implements ScriptedOrigin.Script {
  /** The field in which a proxy says who it is; the last one counts. */
  static final String NODE = "X-Node";

  private static final String FRESH = "Cache-Control: max-age=1000";

  private final String apart;
  private final Map<String, Integer> versions = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> inProgress = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> ofOthers = new ConcurrentHashMap<>();
  private final Map<String, CountDownLatch> holds = new ConcurrentHashMap<>();
  private final Map<String, Integer> most = new ConcurrentHashMap<>();
  private final AtomicLong requests = new AtomicLong();

  /** Counts the requests of the node {@code apart} by themselves. */
  VersionedOrigin(String apart) {
    this.apart = apart;
  }

  /** The content of {@code path} now. */
  String content(String path) {
    return versions.getOrDefault(path, 1) + " of " + path;
  }

  /** {@code path} changes. */
  void change(String path) {
    versions.merge(path, 2, (before, first) -> before + 1);
  }

  /** Requests for {@code path} wait for {@code latch}. */
  void hold(String path, CountDownLatch latch) {
    holds.put(path, latch);
  }

  /** Requests so far. */
  long requests() {
    return requests.get();
  }

  /** Requests for {@code path} in progress. */
  int inProgress(String path) {
    return of(inProgress, path).get();
  }

  /** Those of them that are not of the node apart. */
  int ofOthers(String path) {
    return of(ofOthers, path).get();
  }

  /** The most of these at a time. */
  int mostOfOthers(String path) {
    return most.getOrDefault(path, 0);
  }

  private static AtomicInteger of(Map<String, AtomicInteger> counts, String path) {
    return counts.computeIfAbsent(path, each -> new AtomicInteger());
  }

  @Override
  public void answer(ScriptedOrigin.Call call) throws IOException, InterruptedException {
    String path = call.head().split(" ", 3)[1];
    List<String> nodes = WireMessage.fields(call.head(), NODE);
    boolean isOther = nodes.isEmpty() || !nodes.get(nodes.size() - 1).equals(apart);
    requests.incrementAndGet();
    of(inProgress, path).incrementAndGet();
    if (isOther) {
      most.merge(path, of(ofOthers, path).incrementAndGet(), Math::max);
    }
    try {
      CountDownLatch held = holds.get(path);
      if (held != null) {
        WireTest.await(held);
      }
      call.ok(content(path), FRESH);
    } finally {
      of(inProgress, path).decrementAndGet();
      if (isOther) {
        of(ofOthers, path).decrementAndGet();
      }
    }
  }
}
