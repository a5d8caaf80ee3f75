package io.loligo.server.boot;

import io.loligo.server.admin.AdminPages;
import io.loligo.server.admin.HistoryJson;
import io.loligo.server.history.History;
import io.loligo.server.history.HistoryRecorder;
import io.loligo.server.history.HistorySources;
import io.loligo.server.jmx.ManagementBeans;
import io.loligo.server.metrics.MemoryOwners;
import io.loligo.server.time.TimeSource;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The history of the process, if it keeps one. Thread-safe. */
final class HistoryKeeping implements Part {
  /** Requests for the history that wait for the thread. */
  private static final int MAX_WAITING = 16;

  private static final long IDLE_SECONDS = 5;

  private final TimeSource time;
  private final ByteBufAllocator allocator;

  /** Decodes the history for the admin port. */
  private final ThreadPoolExecutor decoding =
      new ThreadPoolExecutor(
          0,
          1,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(MAX_WAITING),
          new DefaultThreadFactory("loligo-history-pages", true));

  /** Null until {@link #keep}. */
  private volatile @Nullable HistoryRecorder recorder;

  /** {@code allocator} gives the memory. */
  HistoryKeeping(TimeSource time, ByteBufAllocator allocator) {
    this.time = time;
    this.allocator = allocator;
  }

  /**
   * Keeps a history. Once.
   *
   * @param bytes direct memory for it, which is added to {@code owners}
   * @param file keeps it across restarts; null: nothing does
   * @return its recorder, whose thread the caller starts; {@link #close} ends it
   */
  HistoryRecorder keep(
      HistorySources sources, MemoryOwners owners, int bytes, @Nullable Path file) {
    HistoryRecorder kept = new HistoryRecorder(sources, time, allocator, bytes, file);
    owners.add(
        "history",
        "Counters and times of the last 30 days.",
        kept.history()::usedBytes,
        kept.history()::memoryBytes);
    recorder = kept;
    return kept;
  }

  @Override
  public void showPages(AdminPages pages) {
    pages.add("/history", HistoryJson.page(this::history, decoding));
  }

  @Override
  public void showBeans(ManagementBeans beans) {
    beans.history(this::history);
  }

  /** Direct memory of the history; 0 while there is none. */
  long memoryBytes() {
    History kept = history();
    return kept == null ? 0 : kept.memoryBytes();
  }

  /** Writes the file now; completes with whether it has all numbers. */
  CompletableFuture<Boolean> saveNow() {
    HistoryRecorder kept = recorder;
    return kept == null ? CompletableFuture.completedFuture(false) : kept.saveNow();
  }

  /** Writes the file for the last time: another process has it when this returns. Blocks. */
  void giveFileAway() {
    HistoryRecorder kept = recorder;
    if (kept != null) {
      kept.giveFileAway();
    }
  }

  /** The history; null: none is kept. */
  @Nullable History history() {
    HistoryRecorder kept = recorder;
    return kept == null ? null : kept.history();
  }

  /** The loops have ended: takes a last sample, and writes the file. */
  @Override
  public void close() {
    decoding.shutdownNow();
    HistoryRecorder kept = recorder;
    if (kept != null) {
      kept.close();
    }
  }
}
