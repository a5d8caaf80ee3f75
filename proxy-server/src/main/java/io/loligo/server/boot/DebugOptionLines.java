package io.loligo.server.boot;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import java.util.stream.Collectors;

/** Reads {@code debug_options} lines: the last one counts. Confined to one thread. */
final class DebugOptionLines implements LineReader<String> {
  private static final String LEVEL = "(ALL|[0-9]{1,3}),-?[0-9]";

  private final Report report;
  private String options = "ALL,1";

  DebugOptionLines(Reading reading) {
    report = reading.report();
  }

  @Override
  public void read(Line line) {
    for (String word : line.values()) {
      if (word.matches("rotate=[0-9]{1,3}")) {
        report.warning(line, word, "", "ignored: logfile_rotate counts for cache_log too");
      } else if (word.equals("ALL")) {
        report.warning(line, word, "ALL,LEVEL", "taken as ALL,1");
      } else if (!word.matches(LEVEL)) {
        report.warning(line, word, "ALL,LEVEL or SECTION,LEVEL", "ignored");
      } else if (!word.startsWith("ALL,")) {
        report.warning(line, word, "ALL,LEVEL", "sections are ignored");
      }
    }
    options =
        line.values().stream()
            .map(DebugOptionLines::complete)
            .filter(word -> word.matches(LEVEL))
            .collect(Collectors.joining(" "));
  }

  private static String complete(String word) {
    return word.equals("ALL") ? "ALL,1" : word;
  }

  @Override
  public String value() {
    return options.isEmpty() ? "ALL,1" : options;
  }
}
