package io.loligo.server.boot;

import io.loligo.server.admin.AdminPages;
import io.loligo.server.admin.AdminReply;
import io.loligo.server.admin.ReportJson;
import io.loligo.server.metrics.DiskTimes;

/** The page for {@code loligo report -f}. Thread-safe. */
final class ReportPages implements Part {
  private final HistoryKeeping history;
  private final DiskTimes disk;

  ReportPages(HistoryKeeping history, DiskTimes disk) {
    this.history = history;
    this.disk = disk;
  }

  @Override
  public void showPages(AdminPages pages) {
    pages.add(
        "/report",
        parameters ->
            history
                .saveNow()
                .thenApply(saved -> AdminReply.json(200, ReportJson.of(saved, disk.sizes()))));
  }
}
