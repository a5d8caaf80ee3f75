package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the process is: starting, ready, draining, drained. It goes only forward. Thread-safe.
 *
 * <p>{@link #drain} makes it draining at once. Listening stops after {@code loligo_shutdown_delay}.
 * It is drained when no connection is open any more, or when somebody {@link #hurry hurries}.
 */
final class LifeCycle implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(LifeCycle.class);
  private static final String DRAINING = "draining";

  private final Maintenance maintenance;
  private final CompletableFuture<Void> draining = new CompletableFuture<>();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private volatile String notReady = "starting";
  private volatile boolean failed;

  /** Ends the time of {@code loligo_shutdown_delay}; null before. */
  private volatile @Nullable Future<?> listening;

  /** Starting; {@code maintenance} runs what a delay puts off. */
  LifeCycle(Maintenance maintenance) {
    this.maintenance = maintenance;
  }

  /** Everything is started. */
  void started() {
    notReady = "";
  }

  /** Whether it is ready for new requests. */
  boolean ready() {
    return notReady.isEmpty();
  }

  /** Why it is not ready; the empty string if it is. */
  String notReadyReason() {
    return notReady;
  }

  /**
   * Drains; later calls wait for the same end.
   *
   * @param stop stops listening; its result completes when no connection is open any more
   * @return completes when drained
   */
  CompletableFuture<Void> drain(
      ProxyConfig config, Function<ProxyConfig, CompletableFuture<Void>> stop) {
    return drain(config.get(ProcessDirectives.SHUTDOWN_DELAY), () -> stop.apply(config));
  }

  /**
   * The same at once: another process accepts the connections from now on.
   *
   * @param stop as for {@link #drain}
   */
  void handOver(Supplier<CompletableFuture<Void>> stop) {
    drain(0, stop);
  }

  private CompletableFuture<Void> drain(long delayMillis, Supplier<CompletableFuture<Void>> stop) {
    synchronized (drained) {
      if (notReady.equals(DRAINING)) {
        return drained;
      }
      notReady = DRAINING;
    }
    draining.complete(null);
    Runnable stopping =
        () -> {
          LOG.info("no longer listening");
          stop.get().whenComplete((nothing, failure) -> drained.complete(null));
        };
    if (delayMillis == 0) {
      stopping.run();
    } else {
      LOG.info("not ready; still listening for {} ms", delayMillis);
      listening = maintenance.thread().schedule(stopping, delayMillis, TimeUnit.MILLISECONDS);
    }
    return drained;
  }

  /** Completes when draining begins, by any caller. */
  CompletableFuture<Void> draining() {
    return draining;
  }

  /** Completes when drained, by any caller. */
  CompletableFuture<Void> drained() {
    return drained;
  }

  /** Stops waiting for running exchanges: it is drained. */
  void hurry() {
    drained.complete(null);
  }

  /** A log with {@code on-error=die} has lost a line: the process ends. */
  void logFailed() {
    LOG.error(
        "an access_log with on-error=die has lost a line: the process ends; next: make that log"
            + " writable, or remove on-error=die");
    failed = true;
    hurry();
  }

  /** The process that has taken over has failed: this one ends at once, without success. */
  void successorFailed() {
    failed = true;
    hurry();
  }

  /** Whether {@link #logFailed} or {@link #successorFailed} was called. */
  boolean hasFailed() {
    return failed;
  }

  /** The process closes, drained or not: not ready any more. */
  void closing() {
    notReady = DRAINING;
  }

  /** Puts nothing off any more: the end of the maintenance thread would wait for it. */
  @Override
  public void close() {
    Future<?> pending = listening;
    if (pending != null) {
      pending.cancel(false);
    }
  }
}
