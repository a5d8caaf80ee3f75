package io.loligo.server.manager;

import java.util.concurrent.CompletableFuture;

/** Gives the manager pages. Thread-safe: event loops call it, and it never blocks. */
@FunctionalInterface
public interface ManagerDesk {
  /** Gives no page: nobody makes them. */
  ManagerDesk CLOSED =
      page -> CompletableFuture.failedFuture(new IllegalStateException("no page is made"));

  /**
   * The text of a page.
   *
   * @return completes on any thread; exceptionally if too many pages are asked for, or a part of
   *     the process does not answer in time
   */
  CompletableFuture<String> page(ManagerPage page);
}
