package io.loligo.server.admin;

import io.loligo.server.history.History;
import io.loligo.server.history.HistoryRange;
import io.loligo.server.history.Interval;
import io.loligo.server.history.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A range of the history as a table: the times, and a column for each number. Immutable once it is
 * read.
 */
public final class HistoryTable {
  /** Points of a table, unless it has a step of its own. */
  private static final int USUAL_POINTS = 360;

  /** Numbers in a table; without names of series, those of used columns count. */
  private static final int MAX_NUMBERS = 400_000;

  private static final double NANOS_IN_MICRO = 1_000;
  private static final int[] PERCENTS = {50, 95, 99};

  /** One number at all points. */
  public final class Column {
    private final String name;
    private final ToDoubleFunction<Interval> value;

    /** Null: 0 or missing at all points so far. */
    private double @Nullable [] values;

    private Column(String name, ToDoubleFunction<Interval> value) {
      this.name = name;
      this.value = value;
    }

    private void take(Interval interval) {
      double now = interval.samples() == 0 ? Double.NaN : value.applyAsDouble(interval);
      if (values == null && interval.samples() != 0 && now != 0) {
        values = unused(times.length);
        used++;
      }
      if (values != null) {
        values[points] = now;
      }
    }

    private double[] unused(int length) {
      double[] zeros = new double[length];
      for (int i = 0; i < Math.min(length, points); i++) {
        zeros[i] = known[i] ? 0 : Double.NaN;
      }
      return zeros;
    }

    /** Name of the series, and of its part if it has several. */
    public String name() {
      return name;
    }

    /** The values of the points; NaN without a sample. A copy. */
    public double[] values() {
      return values == null ? unused(points) : Arrays.copyOf(values, points);
    }

    /** Whether any value is neither 0 nor missing. */
    public boolean isUsed() {
      return values != null;
    }
  }

  private final HistoryRange range;
  private final int slots;
  private final List<Column> columns = new ArrayList<>();
  private final long[] times;
  private final long[] covered;
  private final boolean[] known;
  private @Nullable Long sinceSeconds;
  private int points;
  private int used;

  private HistoryTable(HistoryRange range, int slots, Set<Series> series) {
    this.range = range;
    this.slots = slots;
    times = new long[range.slots() / slots];
    covered = new long[times.length];
    known = new boolean[times.length];
    series.forEach(this::columns);
  }

  /**
   * Reads a table.
   *
   * @param history null: there is none
   * @param range 5m, 1h, 24h or 30d
   * @param step seconds of a point, or the empty string for the usual ones
   * @param series lists of names joined by commas, where {@code *} ends the beginning of names;
   *     empty: all
   * @throws IllegalArgumentException if the question is wrong; says why
   * @throws NoSuchElementException if there is no history
   */
  public static HistoryTable of(
      @Nullable History history, String range, String step, List<String> series) {
    HistoryRange wanted = HistoryRange.of(range);
    if (wanted == null) {
      throw new IllegalArgumentException("range: expected 5m, 1h, 24h or 30d");
    }
    int slots = slots(wanted, step);
    if (slots == 0) {
      throw new IllegalArgumentException(
          "step: expected seconds, a multiple of "
              + wanted.slotSeconds()
              + " that divides "
              + wanted.seconds());
    }
    if (history == null) {
      throw new NoSuchElementException("no history: see loligo_history and the start of the log");
    }
    Set<Series> chosen = chosen(history, series);
    if (chosen.isEmpty()) {
      throw new IllegalArgumentException(
          "series: expected names joined by commas; a name with * at its end is a beginning");
    }
    HistoryTable table = new HistoryTable(wanted, slots, chosen);
    if (!series.isEmpty()) {
      table.limit(table.columns.size());
    }
    history.read(wanted, slots, table::take);
    table.sinceSeconds = history.sinceSeconds(wanted);
    return table;
  }

  private void limit(int shownColumns) {
    if ((long) shownColumns * times.length > MAX_NUMBERS) {
      throw new IllegalArgumentException("too many numbers: choose fewer series, or a longer step");
    }
  }

  /** Slots in a point; 0: {@code step} is wrong. */
  private static int slots(HistoryRange range, String step) {
    if (step.isEmpty()) {
      int slots = 1;
      while (range.slots() % slots != 0 || range.slots() / slots > USUAL_POINTS) {
        slots++;
      }
      return slots;
    }
    if (!step.matches("[0-9]{1,7}")) {
      return 0;
    }
    int seconds = Integer.parseInt(step);
    boolean fits =
        seconds > 0 && seconds % range.slotSeconds() == 0 && range.seconds() % seconds == 0;
    return fits ? seconds / range.slotSeconds() : 0;
  }

  /** All without a name; none if a name is unknown. */
  private static Set<Series> chosen(History history, List<String> lists) {
    if (lists.isEmpty()) {
      return new LinkedHashSet<>(history.series());
    }
    Set<Series> chosen = new LinkedHashSet<>();
    for (String name : String.join(",", lists).split(",", -1)) {
      List<Series> matching =
          history.series().stream().filter(one -> matches(one.name(), name)).toList();
      if (matching.isEmpty()) {
        return Set.of();
      }
      chosen.addAll(matching);
    }
    return chosen;
  }

  private static boolean matches(String name, String wanted) {
    return wanted.endsWith("*")
        ? name.startsWith(wanted.substring(0, wanted.length() - 1))
        : name.equals(wanted);
  }

  private void columns(Series series) {
    String name = series.name();
    switch (series.kind()) {
      case COUNTER -> column(name, point -> point.sum(series));
      case GAUGE -> {
        column(name + ".mean", point -> point.mean(series));
        column(name + ".max", point -> point.maximum(series));
      }
      case TIMES -> {
        column(name + ".count", point -> point.count(series));
        double unit = series.isOfNumbers() ? 1 : NANOS_IN_MICRO;
        column(name + ".mean", point -> point.mean(series, unit));
        for (int percent : PERCENTS) {
          column(name + ".p" + percent, point -> point.percentileNanos(series, percent) / unit);
        }
      }
    }
  }

  private void column(String name, ToDoubleFunction<Interval> value) {
    columns.add(new Column(name, value));
  }

  private void take(Interval interval) {
    times[points] = interval.startSeconds();
    covered[points] = interval.coveredMillis();
    known[points] = interval.samples() != 0;
    for (Column column : columns) {
      column.take(interval);
    }
    limit(used);
    points++;
  }

  /** Its range. */
  public HistoryRange range() {
    return range;
  }

  /** Length of a point. */
  public long stepSeconds() {
    return (long) slots * range.slotSeconds();
  }

  /** The start of the oldest record, in seconds since 1970; null: there is no record. */
  public @Nullable Long sinceSeconds() {
    return sinceSeconds;
  }

  /** The starts of the points, in seconds since 1970. A copy. */
  public long[] times() {
    return Arrays.copyOf(times, points);
  }

  /** The milliseconds of each point that samples cover. A copy. */
  public long[] coveredMillis() {
    return Arrays.copyOf(covered, points);
  }

  /** The columns in the order of the series. */
  public List<Column> columns() {
    return List.copyOf(columns);
  }
}
