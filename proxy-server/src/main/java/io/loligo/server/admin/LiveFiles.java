package io.loligo.server.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The document of the live page and its files. The path of the files has their checksum, so that a
 * browser may keep them, and never mixes those of two versions. They are read once for each
 * process, when the page is first opened: a start should not wait for them. Immutable.
 */
final class LiveFiles {
  /** The first part of the path of each file. */
  static final String FOLDER = "/assets";

  private static final String DOCUMENT = "index.html";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";

  /** All files besides the document, with their types. */
  private static final Map<String, String> FILES =
      Map.ofEntries(
          Map.entry("charts.js", SCRIPT),
          Map.entry("cluster.js", SCRIPT),
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

  private static final LiveFiles ALL = new LiveFiles();

  private final Map<String, AdminPage> pages = new HashMap<>();
  private final AdminReply document;

  private LiveFiles() {
    Map<String, String> files = new LinkedHashMap<>();
    FILES.keySet().stream().sorted().forEach(name -> files.put(name, read(name)));
    String folder = FOLDER + '/' + checksum(files.values());
    files.forEach(
        (name, text) -> {
          AdminReply reply = AdminReply.lasting(FILES.getOrDefault(name, SCRIPT), text);
          pages.put(folder + '/' + name, parameters -> CompletableFuture.completedFuture(reply));
        });
    document = AdminReply.html(read(DOCUMENT).replace("@assets@", folder));
  }

  /** The files of this build. */
  static LiveFiles all() {
    return ALL;
  }

  /** The document, which names the files. */
  AdminReply document() {
    return document;
  }

  /** The file at {@code path}; null: there is none. */
  @Nullable AdminPage at(String path) {
    return pages.get(path);
  }

  private static String read(String name) {
    try (InputStream file = LiveFiles.class.getResourceAsStream("page/" + name)) {
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
