package io.loligo.server.admin;

import io.loligo.server.history.History;
import io.loligo.server.history.PresentNumbers;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.store.disk.DiskStats;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The live page at the root of the admin port: its document, its files, its stream of states, and
 * one state alone. The path of the files has their checksum, so that a browser may keep them, and
 * never mixes those of two versions. Stateless.
 */
public final class LivePage {
  private static final String DOCUMENT = "index.html";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";

  /** All files besides the document, with their types. */
  private static final Map<String, String> FILES =
      Map.ofEntries(
          Map.entry("charts.js", SCRIPT),
          Map.entry("config.js", SCRIPT),
          Map.entry("dom.js", SCRIPT),
          Map.entry("explain.js", SCRIPT),
          Map.entry("format.js", SCRIPT),
          Map.entry("icon.svg", "image/svg+xml"),
          Map.entry("lint.js", SCRIPT),
          Map.entry("live.js", SCRIPT),
          Map.entry("now.js", SCRIPT),
          Map.entry("page.css", STYLE),
          Map.entry("page.js", SCRIPT),
          Map.entry("poll.js", SCRIPT),
          Map.entry("purge.js", SCRIPT),
          Map.entry("series.js", SCRIPT),
          Map.entry("sorted.js", SCRIPT),
          Map.entry("traffic.js", SCRIPT),
          Map.entry("uplot/LICENSE", "text/plain; charset=utf-8"),
          Map.entry("uplot/uPlot.esm.js", SCRIPT),
          Map.entry("uplot/uPlot.min.css", STYLE),
          Map.entry("whatif.js", SCRIPT));

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
    Map<String, String> files = new LinkedHashMap<>();
    FILES.keySet().stream().sorted().forEach(name -> files.put(name, read(name)));
    String folder = "/assets/" + checksum(files.values());
    files.forEach(
        (name, text) -> {
          AdminReply reply = AdminReply.lasting(FILES.getOrDefault(name, SCRIPT), text);
          pages.addNow(folder + "/" + name, parameters -> reply);
        });
    AdminReply document = AdminReply.html(read(DOCUMENT).replace("@assets@", folder));
    pages.addNow("/", parameters -> document);
    LiveState state =
        new LiveState(metrics, numbers, history, operations, disks, pages, version, millisClock);
    LiveStreams streams = new LiveStreams(state::json);
    pages.addNow("/live", parameters -> streams.answer());
    pages.addJson("/state", state::json);
  }

  private static String read(String name) {
    try (InputStream file = LivePage.class.getResourceAsStream("page/" + name)) {
      if (file == null) {
        throw new IllegalStateException("the jar lacks page/" + name);
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String checksum(Iterable<String> texts) {
    CRC32 sum = new CRC32();
    for (String text : texts) {
      sum.update(text.getBytes(StandardCharsets.UTF_8));
    }
    return Long.toHexString(sum.getValue());
  }
}
