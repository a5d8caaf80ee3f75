package io.loligo.server.boot;

import io.loligo.server.history.HistorySources;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.metrics.Concurrency;
import io.loligo.server.metrics.DiskTimes;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.time.TimeSource;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The samples of requests in progress, taken on the thread {@code loligo-sampler}. Thread-safe. A
 * proxy inside another program takes none.
 */
final class Sampling implements Part {
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(Concurrency.REQUEST_MILLIS);

  private final ProxyMetrics metrics;
  private final TimeSource time;
  private final Concurrency sampled;
  private final Thread thread;
  private volatile boolean ended;

  Sampling(ProxyMetrics metrics, DiskTimes disk, TimeSource time) {
    this.metrics = metrics;
    this.time = time;
    sampled = new Concurrency(metrics, disk, time.nanos());
    thread = new DefaultThreadFactory("loligo-sampler", true).newThread(this::run);
  }

  /** Begins. Once. */
  void begin() {
    thread.start();
  }

  /** The samples. */
  Concurrency sampled() {
    return sampled;
  }

  private void run() {
    while (!ended) {
      LockSupport.parkNanos(this, STEP_NANOS);
      sampled.sample(time.nanos());
    }
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.concurrency(sampled);
  }

  @Override
  public void showBeans(ManagementBeans beans) {
    beans.concurrency(metrics, sampled);
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.concurrency(sampled);
  }

  @Override
  public void close() {
    ended = true;
    LockSupport.unpark(thread);
  }
}
