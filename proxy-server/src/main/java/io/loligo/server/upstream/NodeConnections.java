package io.loligo.server.upstream;

import java.util.ArrayDeque;

/**
 * The connections of one event loop to one node of the cluster, up to a limit, and the requests
 * that wait for one. Confined to the loop.
 *
 * <p>Without a limit a burst of misses would open as many connections to an owner as there are
 * requests. A request that waits is told once a connection may be free, the oldest first; another
 * one can be faster, then it waits again.
 */
public final class NodeConnections {
  private final int most;
  private final Runnable onWait;
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>(0);
  private int open;

  /**
   * None.
   *
   * @param most open at a time, from 1
   * @param onWait is told of each request that begins to wait
   */
  public NodeConnections(int most, Runnable onWait) {
    this.most = most;
    this.onWait = onWait;
  }

  /** Takes a place for one more connection; false: there is none. */
  public boolean open() {
    if (open >= most) {
      return false;
    }
    open++;
    return true;
  }

  /** A connection that had a place is closed, or was never made. */
  public void closed() {
    open--;
    rested();
  }

  /** A request is over: its connection may take another one from the next turn of the loop on. */
  public void rested() {
    Runnable oldest = waiting.poll();
    if (oldest != null) {
      oldest.run();
    }
  }

  /** {@code request} is told once a connection may be free. */
  public void await(Runnable request) {
    waiting.add(request);
    onWait.run();
  }

  /** As {@link #await}, for one that was told, and found none. */
  public void awaitAgain(Runnable request) {
    waiting.addFirst(request);
  }

  /** {@code request} does not wait any more. */
  public void forget(Runnable request) {
    waiting.remove(request);
  }

  /** The limit. */
  public int most() {
    return most;
  }
}
