package io.loligo.server.boot;

import io.loligo.server.accesslog.AccessLog;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Lines of all access logs so far, because a reload may replace them. Thread-safe. */
final class LogTotals {
  private final Supplier<AccessLog> current;
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();

  LogTotals(Supplier<AccessLog> current) {
    this.current = current;
  }

  /** {@code log} is closed and no longer the current one. */
  void ended(AccessLog log) {
    written.addAndGet(log.writtenLines());
    dropped.addAndGet(log.droppedLines());
    lost.addAndGet(log.lostLines());
  }

  long written() {
    return written.get() + current.get().writtenLines();
  }

  long dropped() {
    return dropped.get() + current.get().droppedLines();
  }

  long lost() {
    return lost.get() + current.get().lostLines();
  }
}
