package io.loligo.server.admin;

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

  /** Keeps the old log files by number and starts new ones. */
  void rotateLogs();

  /** Lets running exchanges end and takes no new connections; then the process ends. */
  void drain();

  /** Whether new requests are welcome. */
  boolean ready();

  /** Why not; the empty string while {@link #ready}. */
  String notReadyReason();
}
