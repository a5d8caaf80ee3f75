package io.loligo.server.report;

import io.loligo.server.logfile.LogSource;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads logs on the caller's thread, and counts on a second one: batches go between them in a
 * bounded circle. Used once.
 */
final class LogReading {
  /** Batches in all. */
  private static final int BATCHES = 6;

  /** Ends the counting thread. */
  private static final AccessBatch END = new AccessBatch();

  private final BlockingQueue<AccessBatch> filled = new ArrayBlockingQueue<>(BATCHES + 1);
  private final BlockingQueue<AccessBatch> free = new ArrayBlockingQueue<>(BATCHES);
  private final Aggregates counted = new Aggregates();
  private volatile @Nullable Throwable failure;

  /** Is told, from time to time, how far the reading is. */
  interface Progress {
    /** So many lines and bytes of files were read. */
    void at(long lines, long bytes);
  }

  /**
   * Reads all of {@code sources}.
   *
   * @param nowMicros the time now, since 1970: later lines are unreadable
   * @throws InterruptedException if the thread is interrupted; nothing can be used then
   */
  ReadLogs read(List<LogSource> sources, long nowMicros, Progress progress)
      throws InterruptedException {
    ResultCodes results = new ResultCodes();
    Thread counting = new Thread(this::count, "report-count");
    counting.setDaemon(true);
    counting.start();
    try (LogMerge log = new LogMerge(sources, new LineParser(results, nowMicros))) {
      try {
        for (int i = 0; i < BATCHES; i++) {
          free.add(new AccessBatch());
        }
        boolean more = true;
        while (more) {
          AccessBatch batch = free.take();
          more = batch.fill(log);
          filled.put(batch);
          progress.at(log.lines(), log.bytes());
        }
      } finally {
        filled.put(END);
      }
      counting.join();
      if (failure != null) {
        throw new IllegalStateException("the log cannot be counted", failure);
      }
      counted.finish();
      return new ReadLogs(
          sources.stream().map(LogSource::name).toList(),
          counted,
          results,
          log.lines(),
          log.unreadable(),
          List.copyOf(log.examples()),
          List.copyOf(log.problems()));
    }
  }

  /** After a failure, batches are still taken: the reading thread waits for them. */
  private void count() {
    try {
      for (AccessBatch batch = filled.take(); batch != END; batch = filled.take()) {
        if (failure == null) {
          count(batch);
        }
        free.add(batch);
      }
    } catch (InterruptedException e) {
      failure = e;
    }
  }

  private void count(AccessBatch batch) {
    try {
      batch.addTo(counted);
    } catch (RuntimeException | OutOfMemoryError e) {
      failure = e;
    }
  }
}
