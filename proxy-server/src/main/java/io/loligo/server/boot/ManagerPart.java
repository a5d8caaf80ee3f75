package io.loligo.server.boot;

import io.loligo.server.manager.ManagerDesk;
import io.loligo.server.manager.ManagerFacts;
import io.loligo.server.manager.ManagerPage;
import io.loligo.server.manager.ManagerPages;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the manager pages, one after the other, on a thread of its own. Thread-safe. */
final class ManagerPart implements Part, ManagerDesk {
  private static final Logger LOG = LoggerFactory.getLogger(ManagerPart.class);

  /** Pages that wait for the thread. */
  private static final int MAX_WAITING = 16;

  private static final long IDLE_SECONDS = 5;

  private final ManagerPages pages;
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          0,
          1,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(MAX_WAITING),
          new DefaultThreadFactory("loligo-manager", true));

  /** Pages of {@code facts}. */
  ManagerPart(ManagerFacts facts) {
    pages = new ManagerPages(facts);
  }

  @Override
  public CompletableFuture<String> page(ManagerPage page) {
    CompletableFuture<String> text = new CompletableFuture<>();
    try {
      thread.execute(() -> make(page, text));
    } catch (RejectedExecutionException full) {
      text.completeExceptionally(new IllegalStateException("too many pages are waiting", full));
    }
    return text;
  }

  private void make(ManagerPage page, CompletableFuture<String> text) {
    try {
      text.complete(pages.text(page));
    } catch (RuntimeException e) {
      LOG.error(
          "the manager page {} cannot be made; next: report this defect, with the trace",
          page.word(),
          e);
      text.completeExceptionally(e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
