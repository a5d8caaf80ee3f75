package io.loligo.server.admin;

import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Question;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The operations of an administrator on a running proxy, by HTTP or JMX. Thread-safe: any thread.
 */
public interface Operations {
  /**
   * Purges; from the answer on, nothing of it is served as before.
   *
   * @return completes, on any thread, when a crash cannot change that, or reports that it may
   */
  CompletableFuture<Purged> purge(Purge what);

  /** Purged patterns that were not yet compared with everything stored. */
  List<Ban> bans();

  /**
   * Shows the stored responses for a URL, the decision for a request now with its reason, and the
   * last decisions. Nothing is sent, stored or counted.
   *
   * @return completes on any thread, exceptionally if the proxy is too busy
   */
  CompletableFuture<Explanation> explain(Question question);

  /**
   * Changes the memory for stored responses until the next reload or restart. A lower size evicts
   * in the background.
   *
   * @param bytes the new size
   * @return a report
   * @throws IllegalArgumentException if the memory does not allow it; names the largest size
   */
  String resizeCacheMemory(long bytes);

  /** Numbers the old log files and starts new ones. */
  void rotateLogs();

  /**
   * Reads the configuration file again and applies it whole or not at all.
   *
   * @return completes on any thread
   */
  CompletableFuture<Reloaded> reload();

  /** Accepts no new connections and lets running exchanges end; then the process ends. */
  void drain();

  /** Whether the proxy is ready for new requests. */
  boolean ready();

  /** Why it is not ready; the empty string while {@link #ready}. */
  String notReadyReason();
}
