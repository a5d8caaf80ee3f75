package io.loligo.server.admin;

import io.loligo.server.history.History;
import io.loligo.server.history.PresentNumbers;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.store.disk.DiskStats;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The live page at the root of the admin port: its document, its files, its stream of states, and
 * one state alone. Stateless.
 */
public final class LivePage {
  private LivePage() {}

  /**
   * Adds it.
   *
   * @param numbers gives the counters and gauges; asked for once, when a page is first opened
   * @param history gives the history, or null
   * @param disks gives state and numbers of each cache_dir
   * @param version for its head
   * @param millisClock of the states, since the epoch; asked once for each
   */
  public static void addTo(
      AdminPages pages,
      Operations operations,
      ProxyMetrics metrics,
      Supplier<PresentNumbers> numbers,
      Supplier<@Nullable History> history,
      Supplier<List<DiskStats>> disks,
      String version,
      LongSupplier millisClock) {
    pages.addFolder(LiveFiles.FOLDER, path -> LiveFiles.all().at(path));
    pages.addNow("/", parameters -> LiveFiles.all().document());
    LiveState state =
        new LiveState(metrics, numbers, history, operations, disks, pages, version, millisClock);
    LiveStreams streams = new LiveStreams(state::json);
    pages.addNow("/live", parameters -> streams.answer());
    pages.addJson("/state", state::json);
  }
}
