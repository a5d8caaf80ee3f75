package io.loligo.server.report;

import io.loligo.server.history.HistoryRange;
import io.loligo.server.history.KeptHistory;
import io.loligo.server.history.Series;
import java.io.IOException;

/**
 * The series of a proxy's history that its access log cannot have: writes to disk end after their
 * lines, and several requests share a read or a write. Immutable.
 *
 * @param store times until a response is stored
 * @param store8 of those of one block of the study
 * @param store16 of those of two blocks of the study
 * @param second writes of the second block of a response of two
 * @param shared responses without a write of their own
 * @param operations samples of reads and writes of files
 */
record DiskSeries(
    Series store,
    Series store8,
    Series store16,
    Series second,
    Series shared,
    Series operations,
    Series reads,
    Series writes) {
  private static final long DAY_SECONDS = 86_400;

  private static DiskSeries of(KeptHistory history) {
    return new DiskSeries(
        history.times("disk_time.store"),
        history.times("disk_time.store_8k"),
        history.times("disk_time.store_16k"),
        history.times("disk_time.second_block"),
        history.counter("disk_shared_writes"),
        history.concurrency("disk_operations"),
        history.concurrency("disk_reads"),
        history.concurrency("disk_writes"));
  }

  /**
   * Adds to {@code counted}, of whole logs, the numbers of the same time.
   *
   * @throws IOException if the history cannot be read; {@code counted} may have a part of it
   */
  static void add(KeptHistory history, long nowSeconds, Aggregates counted) throws IOException {
    DiskSeries series = of(history);
    long logSeconds = nowSeconds - counted.firstMicros() / 1_000_000;
    boolean byMinute =
        counted.groups.unitMicros() == TimeGroups.MINUTE_MICROS && logSeconds < DAY_SECONDS;
    HistoryRange range = byMinute ? HistoryRange.DAY : HistoryRange.MONTH;
    counted.groups.widenTo(range.slotSeconds() * 1_000_000L);
    history.read(range, nowSeconds, slot -> counted.add(series, slot));
  }
}
