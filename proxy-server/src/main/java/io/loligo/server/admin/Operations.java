package io.loligo.server.admin;

import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Question;
import java.util.concurrent.CompletableFuture;

/** What an administrator may do to a running proxy, by HTTP or JMX. Thread-safe: any thread. */
public interface Operations {
  /**
   * Drops what is stored under a URL; nothing of it is served once this returns.
   *
   * @return completes, on any thread, with the number of responses dropped when not even a crash
   *     brings them back; with -1 where a disk did not confirm that
   * @throws IllegalArgumentException where {@code url} is no http URL; says why
   */
  CompletableFuture<Integer> purge(String url);

  /**
   * Explains what is stored for a URL, what a request would get now and why, and what the last ones
   * got. Nothing is sent, stored or counted.
   *
   * @return completes on any thread, exceptionally where the proxy is too busy to say
   */
  CompletableFuture<Explanation> explain(Question question);

  /** Keeps the old log files by number and starts new ones. */
  void rotateLogs();

  /** Lets running exchanges end and takes no new connections; then the process ends. */
  void drain();

  /** Whether new requests are welcome. */
  boolean ready();

  /** Why not; the empty string while {@link #ready}. */
  String notReadyReason();
}
