package io.loligo.server.exchange.settings.programs;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.accesslog.LogFormatException;

/**
 * Reads lines with one format in quotes, such as {@code url_rewrite_extras}. The last line holds.
 * Confined to one thread.
 */
final class ExtrasLines implements LineReader<LogFormat> {
  /** Squid's default. */
  static final String USUAL = "%>a/%>A %un %>rm myip=%la myport=%lp";

  private final Report report;
  private LogFormat format = LogFormat.compile(USUAL);

  ExtrasLines(Reading reading) {
    report = reading.report();
  }

  @Override
  public void read(Line line) {
    String text = line.quoted() && !line.values().isEmpty() ? line.values().get(0) : word(line);
    if (text.isEmpty()) {
      report.error(line, "", "\"FORMAT\"", "");
      return;
    }
    try {
      format = LogFormat.compile(text);
    } catch (LogFormatException e) {
      report.error(line, text, "codes of logformat", String.valueOf(e.getMessage()));
    }
  }

  /** The first word, or the text between quotes, in which a backslash precedes a quote. */
  static String word(Line line) {
    String text = line.textBehind(1);
    if (!text.startsWith("\"")) {
      return line.values().isEmpty() ? "" : line.values().get(0);
    }
    StringBuilder word = new StringBuilder();
    for (int i = 1; i < text.length() && text.charAt(i) != '"'; i++) {
      if (text.charAt(i) == '\\' && i + 1 < text.length()) {
        i++;
      }
      word.append(text.charAt(i));
    }
    return word.toString();
  }

  @Override
  public LogFormat value() {
    return format;
  }
}
