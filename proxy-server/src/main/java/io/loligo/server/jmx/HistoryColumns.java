package io.loligo.server.jmx;

import io.loligo.server.admin.HistoryTable;
import java.beans.ConstructorProperties;
import java.util.Map;
import java.util.TreeMap;

/** A range of the history as JMX shows it. Immutable. */
public final class HistoryColumns {
  private final String range;
  private final long stepSeconds;
  private final long sinceSeconds;
  private final long[] times;
  private final long[] coveredMillis;
  private final Map<String, double[]> columns;

  /** By the names JMX uses. Takes the arrays and the map. */
  @ConstructorProperties({
    "range",
    "stepSeconds",
    "sinceSeconds",
    "times",
    "coveredMillis",
    "columns"
  })
  public HistoryColumns(
      String range,
      long stepSeconds,
      long sinceSeconds,
      long[] times,
      long[] coveredMillis,
      Map<String, double[]> columns) {
    this.range = range;
    this.stepSeconds = stepSeconds;
    this.sinceSeconds = sinceSeconds;
    this.times = times;
    this.coveredMillis = coveredMillis;
    this.columns = columns;
  }

  static HistoryColumns of(HistoryTable table) {
    Map<String, double[]> columns = new TreeMap<>();
    table.columns().forEach(column -> columns.put(column.name(), column.values()));
    Long since = table.sinceSeconds();
    return new HistoryColumns(
        table.range().word(),
        table.stepSeconds(),
        since == null ? -1 : since,
        table.times(),
        table.coveredMillis(),
        columns);
  }

  /** The range: 5m, 1h, 24h or 30d. */
  public String getRange() {
    return range;
  }

  /** Length of a point. */
  public long getStepSeconds() {
    return stepSeconds;
  }

  /** The start of the oldest record, since 1970; -1: there is none. */
  public long getSinceSeconds() {
    return sinceSeconds;
  }

  /** The starts of the points, in seconds since 1970. */
  public long[] getTimes() {
    return times.clone();
  }

  /** The part of each point that samples cover. */
  public long[] getCoveredMillis() {
    return coveredMillis.clone();
  }

  /** The values of all points by column; NaN without a sample. */
  public Map<String, double[]> getColumns() {
    return new TreeMap<>(columns);
  }
}
