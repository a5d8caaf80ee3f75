package io.loligo.server.report;

import io.loligo.server.logfile.LogFileLines;
import io.loligo.server.logfile.LogSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The accesses of several logs in the order of their ends, as far as each log has that order. A log
 * is opened when the time of its first line has come; at most {@value #MOST_OPEN} are open at once.
 * Confined to the reading thread.
 */
final class LogMerge implements AutoCloseable {
  /** Logs that are read at the same time. */
  static final int MOST_OPEN = 64;

  /** Unreadable lines that are shown. */
  static final int MOST_EXAMPLES = 8;

  private static final int EXAMPLE_BYTES = 240;
  private static final int BUFFER = 256 << 10;
  private static final int LINES_BEFORE_THE_FIRST = 1000;

  private final LineParser parser;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final PriorityQueue<Reading> reading =
      new PriorityQueue<>(Comparator.comparingLong(one -> one.access.endMicros));
  private final List<String> examples = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private @Nullable Reading current;
  private long limitMicros;
  private long lines;
  private long unreadable;
  private long closedBytes;

  private record Waiting(LogSource source, long firstMicros) {}

  /** A log being read, at an access that was not taken yet. */
  private static final class Reading {
    private final LogSource source;
    private final LogSource.Opened opened;
    private final LogFileLines text;
    private LoggedAccess access = new LoggedAccess();

    Reading(LogSource source) throws IOException {
      this.source = source;
      opened = source.open();
      text = new LogFileLines(opened.text(), BUFFER);
    }
  }

  /** All of {@code sources}; files that cannot be read are {@link #problems}. */
  LogMerge(List<LogSource> sources, LineParser parser) {
    this.parser = parser;
    sources.stream()
        .map(source -> new Waiting(source, sources.size() == 1 ? 0 : firstMicros(source)))
        .sorted(Comparator.comparingLong(Waiting::firstMicros))
        .forEach(waiting::add);
  }

  /** The time of the first readable line; 0: unknown, so that it is opened first. */
  private long firstMicros(LogSource source) {
    if (!source.isFile()) {
      return 0;
    }
    LoggedAccess access = new LoggedAccess();
    try {
      try (InputStream in = source.open().text()) {
        LogFileLines text = new LogFileLines(in, LogFileLines.LONGEST + 1);
        for (int i = 0; i < LINES_BEFORE_THE_FIRST && text.next(); i++) {
          if (parser.parse(text.bytes(), text.start(), text.end(), access)) {
            return access.endMicros;
          }
        }
      }
    } catch (IOException e) {
      return 0; // it is told when it is opened to be read
    }
    return 0;
  }

  /**
   * The next access, or null at the end.
   *
   * @param free is taken for a later access; the caller may no longer use it
   */
  @Nullable LoggedAccess next(LoggedAccess free) {
    Reading from = current;
    if (from == null || from.access.endMicros > limitMicros) {
      from = choose();
      if (from == null) {
        return null;
      }
    }
    LoggedAccess access = from.access;
    from.access = free;
    if (!advance(from)) {
      current = null;
    }
    return access;
  }

  private @Nullable Reading choose() {
    if (current != null) {
      reading.add(current);
      current = null;
    }
    while (!waiting.isEmpty()
        && reading.size() < MOST_OPEN
        && (reading.isEmpty()
            || waiting.element().firstMicros() <= reading.element().access.endMicros)) {
      open(waiting.remove().source());
    }
    current = reading.poll();
    limitMicros = reading.isEmpty() ? Long.MAX_VALUE : reading.element().access.endMicros;
    if (!waiting.isEmpty() && reading.size() < MOST_OPEN - 1) {
      limitMicros = Math.min(limitMicros, waiting.element().firstMicros() - 1);
    }
    return current;
  }

  private void open(LogSource source) {
    try {
      Reading one = new Reading(source);
      if (advance(one)) {
        reading.add(one);
      }
    } catch (IOException e) {
      problem(source, "cannot be read", e);
    }
  }

  /** Goes to the next readable line; false: there is none, and the log is closed. */
  private boolean advance(Reading log) {
    LogFileLines text = log.text;
    try {
      while (text.next()) {
        if (text.start() == text.end()) {
          continue;
        }
        lines++;
        if (!text.tooLong() && parser.parse(text.bytes(), text.start(), text.end(), log.access)) {
          return true;
        }
        unreadable(log.source, text);
      }
    } catch (IOException e) {
      problem(log.source, "ends early, at line " + text.number(), e);
    }
    closedBytes += log.opened.counted().count();
    close(log);
    return false;
  }

  private void unreadable(LogSource source, LogFileLines text) {
    unreadable++;
    if (examples.size() < MOST_EXAMPLES) {
      int length = Math.min(EXAMPLE_BYTES, text.end() - text.start());
      String line = new String(text.bytes(), text.start(), length, StandardCharsets.ISO_8859_1);
      boolean cut = length < text.end() - text.start() || text.tooLong();
      examples.add(printable(source.name() + ":" + text.number() + ": " + line) + (cut ? "…" : ""));
    }
  }

  private void problem(LogSource source, String what, IOException e) {
    problems.add(printable(source.name() + " " + what + ": " + e.getMessage()));
  }

  /** Without controls, which could drive a terminal. */
  private static String printable(String text) {
    StringBuilder kept = new StringBuilder(text.length());
    text.chars().forEach(one -> kept.append(Character.isISOControl(one) ? '?' : (char) one));
    return kept.toString();
  }

  private static void close(Reading log) {
    try {
      log.opened.text().close();
    } catch (IOException e) {
      // everything of it was read
    }
  }

  /** Lines read, without empty ones. */
  long lines() {
    return lines;
  }

  /** Those among them that have none of the formats. */
  long unreadable() {
    return unreadable;
  }

  /** The first unreadable lines with their places. */
  List<String> examples() {
    return examples;
  }

  /** Files that could not be read, or not to their ends. */
  List<String> problems() {
    return problems;
  }

  /** Bytes of files read so far. */
  long bytes() {
    long bytes = closedBytes;
    for (Reading one : reading) {
      bytes += one.opened.counted().count();
    }
    return bytes + (current == null ? 0 : current.opened.counted().count());
  }

  @Override
  public void close() {
    reading.forEach(LogMerge::close);
    if (current != null) {
      close(current);
    }
  }
}
