package io.loligo.server.boot;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.MetricsExport;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration again and applies it whole or not at all. One at a time, on a thread of
 * its own: files and names are read, which blocks. Thread-safe: any thread.
 */
final class Reloader implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(Reloader.class);
  private static final long CLOSE_SECONDS = 5;

  private final @Nullable Supplier<ConfigResult> source;
  private final Target target;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(new DefaultThreadFactory("loligo-reload", true));
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong failed = new AtomicLong();

  /** Guarded by {@code this}: requested and not begun; null: none. */
  private @Nullable CompletableFuture<Reloaded> waiting;

  /** Applies a configuration. */
  interface Target {
    /**
     * Applies it whole, and returns the report.
     *
     * @throws IOException if that is not possible; nothing has changed then
     */
    Reloaded apply(ProxyConfig config) throws IOException;
  }

  /** {@code source} reads it and may block; null: there is nothing to read. */
  Reloader(@Nullable Supplier<ConfigResult> source, Target target) {
    this.source = source;
    this.target = target;
  }

  /** Reads and applies, after earlier callers. Completes on the reload's thread. */
  synchronized CompletableFuture<Reloaded> reload() {
    if (source == null) {
      Reloaded nothing = Reloaded.failed(List.of("it was not started from a file"));
      return CompletableFuture.completedFuture(nothing);
    }
    if (waiting == null) {
      try {
        thread.execute(this::next);
      } catch (RejectedExecutionException closed) {
        return CompletableFuture.completedFuture(Reloaded.failed(List.of("it is stopping")));
      }
      waiting = new CompletableFuture<>();
    }
    return waiting;
  }

  private void next() {
    CompletableFuture<Reloaded> asked;
    synchronized (this) {
      // a later caller may have changed the file since: that takes another reading
      asked = waiting;
      waiting = null;
    }
    assert source != null && asked != null : "somebody has asked";
    Reloaded outcome;
    try {
      outcome = apply(source.get());
    } catch (RuntimeException | Error e) {
      LOG.error(
          "not reloaded, the old configuration stays in force; next: report this defect, with the"
              + " trace",
          e);
      outcome = failed(List.of(e.toString()));
    }
    asked.complete(outcome);
  }

  /** Runs {@code task} between two reloads, on the same thread; not at all if it is stopping. */
  void between(Runnable task) {
    try {
      thread.execute(
          () -> {
            synchronized (target) {
              task.run();
            }
          });
    } catch (RejectedExecutionException closed) {
      LOG.debug("a task is left out: it is stopping");
    }
  }

  /** Runs {@code task} on the calling thread, when the reload that runs has ended. */
  void exclusively(Runnable task) {
    synchronized (target) {
      task.run();
    }
  }

  /** The same as {@link #reload} with a configuration read by the caller, on its thread. */
  Reloaded apply(ConfigResult read) {
    for (ConfigProblem problem : read.problems()) {
      if (problem.isError()) {
        LOG.error("{}", problem.text());
      } else {
        LOG.warn("{}", problem.text());
      }
    }
    if (read.config() == null) {
      return failed(read.errors().stream().map(ConfigProblem::text).toList());
    }
    Reloaded reloaded;
    try {
      synchronized (target) {
        reloaded = target.apply(read.config());
      }
    } catch (IOException | RuntimeException | Error e) {
      LOG.debug("not reloaded", e);
      return failed(List.of(e.getMessage() == null ? e.toString() : e.getMessage()));
    }
    done.incrementAndGet();
    LOG.info("configuration reloaded");
    reloaded.lines().forEach(line -> LOG.info("reload: {}", line));
    return reloaded;
  }

  private Reloaded failed(List<String> why) {
    failed.incrementAndGet();
    LOG.error(
        "not reloaded, the old configuration stays in force: {}; next: correct that, and reload"
            + " again",
        String.join("; ", why));
    return Reloaded.failed(why);
  }

  /** Number of configurations applied after the first one. */
  long reloads() {
    return done.get();
  }

  /** Number of failed reloads. */
  long failures() {
    return failed.get();
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.counter("loligo.reloads", null, "Reloads of the configuration.", this::reloads);
    export.counter(
        "loligo.reload.failures",
        null,
        "Failed reloads: the old configuration stays in force; the log gives the reason.",
        this::failures);
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.counter("reloads", this::reloads);
    sources.counter("reload_failures", this::failures);
  }

  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn(
            "a reload has not ended within {} s: the process stops without it; next: nothing,"
                + " unless it happens again",
            CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
