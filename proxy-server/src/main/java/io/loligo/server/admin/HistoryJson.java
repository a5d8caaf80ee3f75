package io.loligo.server.admin;

import io.loligo.server.history.History;
import io.loligo.server.history.HistoryRange;
import io.loligo.server.history.Interval;
import io.loligo.server.history.Series;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * A range of the history as JSON: the times, then an array for each column. Confined to one thread.
 */
public final class HistoryJson {
  /** Points of a response, unless it has few columns. */
  private static final int USUAL_POINTS = 360;

  /** Numbers in a response. */
  private static final int MAX_NUMBERS = 400_000;

  private static final double NANOS_IN_MICRO = 1_000;
  private static final int[] PERCENTS = {50, 95, 99};

  /** One array of the response. */
  private static final class Column {
    private final String name;
    private final ToDoubleFunction<Interval> value;
    private final double[] values;
    private boolean isUsed;

    Column(String name, ToDoubleFunction<Interval> value, int points) {
      this.name = name;
      this.value = value;
      values = new double[points];
    }

    void take(int point, Interval interval) {
      if (interval.samples() == 0) {
        values[point] = Double.NaN;
      } else {
        values[point] = value.applyAsDouble(interval);
        isUsed |= values[point] != 0;
      }
    }
  }

  private final HistoryRange range;
  private final int slots;
  private final List<Column> columns = new ArrayList<>();
  private final long[] times;
  private final long[] covered;
  private int points;

  private HistoryJson(HistoryRange range, int slots, Set<Series> series) {
    this.range = range;
    this.slots = slots;
    times = new long[range.slots() / slots];
    covered = new long[times.length];
    series.forEach(this::columns);
  }

  /** The page of a history; {@code history} gives null while there is none. */
  public static AdminPage page(Supplier<@Nullable History> history) {
    return parameters -> CompletableFuture.completedFuture(answer(history.get(), parameters));
  }

  /**
   * Answers a request.
   *
   * @param history null: there is none
   * @param parameters those of the query: {@code range}, {@code series} and {@code step}
   */
  static AdminReply answer(@Nullable History history, Map<String, List<String>> parameters) {
    HistoryRange range = HistoryRange.of(single(parameters, "range", "5m"));
    if (range == null) {
      return AdminReply.text(400, "range: expected 5m, 1h, 24h or 30d");
    }
    int slots = slots(range, single(parameters, "step", ""));
    if (slots == 0) {
      return AdminReply.text(
          400,
          "step: expected seconds, a multiple of "
              + range.slotSeconds()
              + " that divides "
              + range.seconds());
    }
    if (history == null) {
      return AdminReply.text(404, "no history: see loligo_history and the start of the log");
    }
    List<String> names = parameters.getOrDefault("series", List.of());
    Set<Series> series = chosen(history, names);
    if (series.isEmpty()) {
      return AdminReply.text(
          400, "series: expected names joined by commas; a name with * at its end is a beginning");
    }
    HistoryJson json = new HistoryJson(range, slots, series);
    if ((long) json.columns.size() * json.times.length > MAX_NUMBERS) {
      return AdminReply.text(400, "too many numbers: choose fewer series, or a longer step");
    }
    history.read(range, slots, json::take);
    return AdminReply.json(200, json.text(history.sinceSeconds(range), names.isEmpty()));
  }

  private static String single(Map<String, List<String>> parameters, String name, String without) {
    List<String> values = parameters.getOrDefault(name, List.of());
    return values.isEmpty() ? without : values.size() == 1 ? values.get(0) : "";
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
        column(name + ".mean", point -> point.meanNanos(series) / NANOS_IN_MICRO);
        for (int percent : PERCENTS) {
          column(
              name + ".p" + percent,
              point -> point.percentileNanos(series, percent) / NANOS_IN_MICRO);
        }
      }
    }
  }

  private void column(String name, ToDoubleFunction<Interval> value) {
    columns.add(new Column(name, value, times.length));
  }

  private void take(Interval interval) {
    times[points] = interval.startSeconds();
    covered[points] = interval.coveredMillis();
    for (Column column : columns) {
      column.take(points, interval);
    }
    points++;
  }

  private String text(@Nullable Long sinceSeconds, boolean onlyUsed) {
    JsonWriter json = JsonWriter.compact().beginObject();
    json.member("range", range.word());
    json.member("step", (long) slots * range.slotSeconds());
    json.name("since");
    if (sinceSeconds == null) {
      json.value(null);
    } else {
      json.value(sinceSeconds.longValue());
    }
    json.name("times").beginArray();
    Arrays.stream(times, 0, points).forEach(json::value);
    json.endArray().name("covered").beginArray();
    Arrays.stream(covered, 0, points).forEach(json::value);
    json.endArray().name("series").beginObject();
    for (Column column : columns) {
      if (column.isUsed || !onlyUsed) {
        json.name(column.name).beginArray();
        Arrays.stream(column.values, 0, points).forEach(json::value);
        json.endArray();
      }
    }
    return json.endObject().endObject().toString();
  }
}
