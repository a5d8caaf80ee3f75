package io.loligo.server.exchange.settings;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the files that an {@code error_directory} or {@code err_page_stylesheet} line names; the
 * last line holds. Confined to one thread.
 */
final class PageFileLines implements LineReader<Map<String, String>> {
  /** Most characters of a file. */
  private static final int MAX_CHARS = 256 << 10;

  private final Reading reading;
  private final boolean folder;
  private Map<String, String> files = Map.of();

  /**
   * @param folder whether a line names a folder of pages
   */
  PageFileLines(Reading reading, boolean folder) {
    this.reading = reading;
    this.folder = folder;
  }

  @Override
  public void read(Line line) {
    if (line.values().size() != 1) {
      reading.report().error(line, String.join(" ", line.values()), "PATH", "");
      return;
    }
    String path = line.values().get(0);
    List<String> found = folder ? reading.source().expand(path + "/*") : List.of(path);
    Map<String, String> read = new HashMap<>();
    for (String file : found) {
      String text = reading.source().read(file);
      String name = file.substring(file.lastIndexOf('/') + 1);
      if (text != null && text.length() > MAX_CHARS) {
        reading.report().error(line, file, "at most " + MAX_CHARS + " characters", "");
      } else if (text != null) {
        read.put(folder ? name : "", text);
      }
    }
    if (read.isEmpty()) {
      String expected = folder ? "a folder of pages" : "a file that can be read";
      reading.report().warning(line, path, expected, "built-in pages are sent as they are");
    }
    files = read;
  }

  @Override
  public Map<String, String> value() {
    return Map.copyOf(files);
  }
}
