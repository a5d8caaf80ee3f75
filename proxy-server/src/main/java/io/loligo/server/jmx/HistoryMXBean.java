package io.loligo.server.jmx;

/** The history of counters, gauges and times. */
@Description("The history of counters, gauges and times that the process keeps; see /history.")
public interface HistoryMXBean {
  @Description("Names of the series, in the order of their columns; none without a history.")
  String[] getSeries();

  @Description("Direct memory of the history.")
  @Units("bytes")
  long getMemoryBytes();

  @Description("Reads a range: times, and an array for each column, with the numbers of /history.")
  @Reads
  @Units("as the names of the columns say; times in microseconds")
  HistoryColumns read(
      @Description("Range: 5m, 1h, 24h or 30d.") String range,
      @Description(
              "Names of series, joined by commas; * at the end of a name stands for the rest."
                  + " Empty: all.")
          String series,
      @Description(
              "Length of a point: a multiple of the slots of the range that divides it. 0: the"
                  + " usual length.")
          @Units("seconds")
          int stepSeconds);
}
