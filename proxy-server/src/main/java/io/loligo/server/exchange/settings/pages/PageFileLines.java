package io.loligo.server.exchange.settings.pages;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the files that an {@code error_directory} or {@code err_page_stylesheet} line names; the
 * last line holds. A page in the folder of a language is {@code de/ERR_NAME}. Confined to one
 * thread.
 */
final class PageFileLines implements LineReader<Map<String, String>> {
  /** Most characters of a file. */
  private static final int MAX_CHARS = 256 << 10;

  private final Reading reading;
  private final boolean folder;
  private final Map<String, String> texts = new HashMap<>();
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
    Set<String> languages = new HashSet<>();
    for (String file : found) {
      String name = file.substring(file.lastIndexOf('/') + 1);
      if (folder && PageLanguages.TAG.matcher(name).matches()) {
        int before = read.size();
        for (String page : reading.source().expand(file + "/*")) {
          put(line, page, name + page.substring(page.lastIndexOf('/')), read);
        }
        if (read.size() > before) {
          languages.add(name);
        }
      } else {
        put(line, file, folder ? name : "", read);
      }
    }
    if (folder) {
      reading.shared(PageLanguages.class, PageLanguages::new).replaceBy(languages);
    }
    if (read.isEmpty()) {
      String expected = folder ? "a folder of pages" : "a file that can be read";
      reading.report().warning(line, path, expected, "built-in pages are sent as they are");
    }
    files = read;
  }

  /** Reads {@code file} under {@code name}. Equal texts are kept once. */
  private void put(Line line, String file, String name, Map<String, String> read) {
    String text = reading.source().read(file);
    if (text != null && text.length() > MAX_CHARS) {
      reading.report().error(line, file, "at most " + MAX_CHARS + " characters", "");
    } else if (text != null) {
      String same = texts.putIfAbsent(text, text);
      read.put(name, same == null ? text : same);
    }
  }

  @Override
  public Map<String, String> value() {
    return Map.copyOf(files);
  }
}
