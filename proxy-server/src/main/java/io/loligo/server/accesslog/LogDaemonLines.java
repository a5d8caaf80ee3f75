package io.loligo.server.accesslog;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.server.helper.ProgramLines;
import java.util.List;

/**
 * Reads {@code logfile_daemon}: the path of a program, or the empty text for Squid's usual one, in
 * whose place this process writes files. The last line holds. Confined to one thread.
 */
final class LogDaemonLines implements LineReader<String> {
  private static final String USUAL = "log_file_daemon";

  private final Reading reading;
  private String program = "";

  LogDaemonLines(Reading reading) {
    this.reading = reading;
  }

  @Override
  public void read(Line line) {
    List<String> words = line.values();
    String path = words.isEmpty() ? "" : words.get(0);
    if (path.endsWith("/" + USUAL)) {
      program = "";
    } else if (words.size() > 1) {
      reading.report().error(line, String.join(" ", words), "PROGRAM", "it takes no arguments");
    } else if (ProgramLines.isProgram(reading, line, words)) {
      program = path;
    }
  }

  @Override
  public String value() {
    return program;
  }
}
