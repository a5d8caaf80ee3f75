package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.accesslog.AccessLog;
import io.loligo.server.accesslog.LogSettings;
import io.loligo.server.history.HistorySources;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.metrics.MetricsExport;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The logs of the process: the access logs in force, with the lines of all of them so far, because
 * a reload may replace them; and the log of the process itself. Thread-safe.
 */
final class Logs implements Part {
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong suppressed = new AtomicLong();
  private final int loops;
  private final Runnable whenLost;
  private volatile AccessLog current;

  /**
   * Opens the access logs of {@code config}.
   *
   * @param loops number of event loops
   * @param whenLost is run when a log with {@code on-error=die} has lost a line
   * @throws IOException if a log cannot be opened; names it
   */
  Logs(ProxyConfig config, int loops, Runnable whenLost) throws IOException {
    this.loops = loops;
    this.whenLost = whenLost;
    current = AccessLog.open(new LogSettings(config), loops, whenLost);
  }

  /** The access logs in force. */
  AccessLog current() {
    return current;
  }

  /**
   * The access logs of {@code now}: those in force if they would write the same, else new ones,
   * which the caller hands to {@link #replace} or {@link #discard}.
   *
   * @throws IOException if a log cannot be opened; names it
   */
  AccessLog under(ProxyConfig before, ProxyConfig now) throws IOException {
    LogSettings wanted = new LogSettings(now);
    return wanted.writesLike(new LogSettings(before))
        ? current
        : AccessLog.open(wanted, loops, whenLost);
  }

  /** All loops write to {@code next}: closes the former ones, unless they are the same. */
  void replace(AccessLog next) {
    AccessLog old = current;
    current = next;
    if (old != next) {
      old.close();
      ended(old);
    }
  }

  /** {@code next} is not used: closes it, unless it is the one in force. */
  void discard(AccessLog next) {
    if (next != current) {
      next.close();
    }
  }

  private void ended(AccessLog log) {
    written.addAndGet(log.writtenLines());
    dropped.addAndGet(log.droppedLines());
    lost.addAndGet(log.lostLines());
    suppressed.addAndGet(log.suppressedLines());
  }

  @Override
  public void reconfigured(ProxyConfig before, ProxyConfig now) {
    String cacheLog = now.get(ProcessDirectives.CACHE_LOG);
    if (!Objects.equals(cacheLog, before.get(ProcessDirectives.CACHE_LOG))) {
      AppLog.toFile(cacheLog);
    }
    String debugOptions = now.get(ProcessDirectives.DEBUG_OPTIONS);
    if (!Objects.equals(debugOptions, before.get(ProcessDirectives.DEBUG_OPTIONS))) {
      AppLog.level(debugOptions);
    }
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.counter("loligo.log.written", null, "Access log lines written.", this::writtenLines);
    export.counter(
        "loligo.log.dropped", null, "Access log lines dropped: queue full.", this::droppedLines);
    export.counter(
        "loligo.log.suppressed",
        null,
        "Lines of loligo_slow_log left out: more than its rate allows.",
        this::suppressedLines);
    export.counter(
        "loligo.log.lost", null, "Access log lines lost: cannot be written.", this::lostLines);
  }

  @Override
  public void showBeans(ManagementBeans beans) {
    beans.logs(new AppLogLevels());
  }

  @Override
  public void showHistory(HistorySources sources) {
    sources.counter("log_written", this::writtenLines);
    sources.counter("log_dropped", this::droppedLines);
    sources.counter("log_suppressed", this::suppressedLines);
    sources.counter("log_lost", this::lostLines);
  }

  private long writtenLines() {
    return written.get() + current.writtenLines();
  }

  private long droppedLines() {
    return dropped.get() + current.droppedLines();
  }

  private long suppressedLines() {
    return suppressed.get() + current.suppressedLines();
  }

  private long lostLines() {
    return lost.get() + current.lostLines();
  }

  @Override
  public void close() {
    current.close();
  }
}
