package io.loligo.server.takeover;

import io.loligo.server.transport.ListeningSocket;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The process in service, as a {@link TakeoverSocket} acts on it. Every call is on the thread of
 * that socket, and may block.
 */
public interface Incumbent {
  /** Why no process can take over now; null: one can. */
  @Nullable String refusal();

  /**
   * The listening sockets, whose descriptors stay this process's. The successor has read the
   * configuration: this process takes no other one until {@link #goOn} or {@link #takeStoreBack}.
   */
  List<ListeningSocket> sockets();

  /** The successor has failed after {@link #sockets}, and has not got the store. */
  void goOn();

  /**
   * Gives the store away: another process may open it when this returns.
   *
   * @throws IOException if it cannot; it still has the store then, as after any other exception
   */
  void giveStore() throws IOException;

  /**
   * The successor has failed after {@link #giveStore}, and has ended or will. New connections are
   * accepted at once; the store is opened when the successor has ended.
   *
   * @param successor number of its process
   */
  void takeStoreBack(long successor);

  /**
   * Ends its part: when this returns it accepts no more connections, and it serves those that it
   * has until they end. After an exception it goes on as before, and the successor is refused.
   *
   * @param successor number of the process that accepts from now on
   */
  void handOver(long successor);

  /**
   * Starts a successor with the command line of this process.
   *
   * @return number of the process, and its end
   * @throws IOException if it cannot be started
   */
  Successor start() throws IOException;

  /**
   * A started process.
   *
   * @param ended completes with its exit status
   */
  record Successor(long pid, CompletableFuture<Integer> ended) {}
}
