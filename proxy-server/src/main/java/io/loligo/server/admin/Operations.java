package io.loligo.server.admin;

import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Question;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What an administrator may do to a running proxy, by HTTP or JMX. Thread-safe: any thread. */
public interface Operations {
  /**
   * Purges; nothing of it is served as before from the answer on.
   *
   * @return completes, on any thread, when not even a crash changes that, or says that it may
   */
  CompletableFuture<Purged> purge(Purge what);

  /** Patterns that were purged and that not everything stored was compared with yet. */
  List<Ban> bans();

  /**
   * Explains what is stored for a URL, what a request would get now and why, and what the last ones
   * got. Nothing is sent, stored or counted.
   *
   * @return completes on any thread, exceptionally where the proxy is too busy to say
   */
  CompletableFuture<Explanation> explain(Question question);

  /** Keeps the old log files by number and starts new ones. */
  void rotateLogs();

  /**
   * Reads the configuration file anew and puts it in force, whole or not at all.
   *
   * @return completes on any thread
   */
  CompletableFuture<Reloaded> reload();

  /** Lets running exchanges end and takes no new connections; then the process ends. */
  void drain();

  /** Whether new requests are welcome. */
  boolean ready();

  /** Why not; the empty string while {@link #ready}. */
  String notReadyReason();
}
