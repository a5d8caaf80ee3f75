package io.loligo.server.report;

import io.loligo.server.history.KeptHistory;
import io.loligo.server.logfile.LogSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The report of some access logs: reads them, and writes the page. Confined to one thread; it makes
 * a second one while it reads.
 */
public final class LogReport {
  private final ReadLogs read;
  private final ZoneId zone;
  private final List<String> notes = new ArrayList<>();

  private LogReport(ReadLogs read, ZoneId zone) {
    this.read = read;
    this.zone = zone;
  }

  /**
   * Reads logs, in any order.
   *
   * @param logs paths; {@code -}: {@code standardInput}
   * @param nowMillis the time now; lines of more than a day later are unreadable
   * @param zone of the times on the page
   * @param terminal gets a line that shows the progress; null: none
   * @throws InterruptedException if the thread is interrupted
   */
  public static LogReport read(
      List<String> logs,
      InputStream standardInput,
      long nowMillis,
      ZoneId zone,
      @Nullable PrintStream terminal)
      throws InterruptedException {
    List<LogSource> sources = new ArrayList<>();
    long size = 0;
    for (String log : logs) {
      LogSource source =
          log.equals(LogSource.STANDARD_INPUT)
              ? LogSource.of("standard input", standardInput)
              : LogSource.of(Path.of(log));
      sources.add(source);
      size = size < 0 || source.size() < 0 ? -1 : size + source.size();
    }
    ReadingProgress progress = new ReadingProgress(terminal, size);
    ReadLogs read = new LogReading().read(sources, nowMillis * 1000, progress);
    progress.end();
    return new LogReport(read, zone);
  }

  /**
   * Adds the numbers that the proxy of these logs counted itself.
   *
   * @param history the file in which the proxy keeps its history
   * @throws IOException if it cannot be read
   */
  public void addHistory(Path history, long nowMillis) throws IOException {
    DiskSeries.add(new KeptHistory(history), nowMillis / 1000, read.counted());
  }

  /** Adds {@code count} responses of about {@code bytes}, written to disk. */
  public void addStored(long bytes, long count) {
    read.counted().stored(bytes, count);
  }

  /** Adds the median time of {@code count} responses of about {@code bytes}, written to disk. */
  public void addStored(long bytes, long medianMicros, long count) {
    read.counted().stored(bytes, medianMicros, count);
  }

  /** Says on the page why numbers of the proxy are missing, or where they come from. */
  public void note(String text) {
    notes.add(text);
  }

  /** Logs that could not be read, or not to their ends, one a line. */
  public List<String> problems() {
    return read.problems();
  }

  /** Readable lines. */
  public long accesses() {
    return read.counted().accesses();
  }

  /** Lines in none of the formats. */
  public long unreadable() {
    return read.unreadable();
  }

  /** The first unreadable lines with their places. */
  public List<String> examples() {
    return read.examples();
  }

  /** Writes the page; there must be an access. Does not close {@code out}. */
  public void write(OutputStream out) throws IOException {
    out.write(html().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Writes figures of the log for programs: one JSON object; there must be an access. Does not
   * close {@code out}.
   */
  public void writeFigures(OutputStream out) throws IOException {
    ReportNumbers numbers = new ReportNumbers(read.counted(), zone);
    out.write(ReportFigures.of(read, numbers, notes).getBytes(StandardCharsets.UTF_8));
  }

  private String html() {
    ReportNumbers numbers = new ReportNumbers(read.counted(), zone);
    return new ReportPage(read, numbers, experiments(numbers), notes).html();
  }

  static List<Experiment> experiments(ReportNumbers numbers) {
    List<Experiment> all = new ArrayList<>();
    all.addAll(new TrafficExperiments(numbers).all());
    all.addAll(new DiskExperiments(numbers).all());
    all.addAll(new ServerExperiments(numbers).all());
    return all;
  }
}
