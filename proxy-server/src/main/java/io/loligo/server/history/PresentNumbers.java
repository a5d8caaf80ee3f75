package io.loligo.server.history;

import java.util.function.ObjLongConsumer;

/**
 * The numbers of the sources as they are now: counters since the start of the process, and gauges.
 * Confined to one thread.
 */
public final class PresentNumbers {
  private final HistorySources sources;
  private final SeriesList series;
  private final long[] counters;
  private final long[] gauges;

  /** Those of {@code sources}, which are complete. */
  public PresentNumbers(HistorySources sources) {
    this.sources = sources;
    series = sources.series();
    counters = new long[series.room(Series.Kind.COUNTER)];
    gauges = new long[series.room(Series.Kind.GAUGE)];
  }

  /** Reads them again. */
  public void read() {
    sources.read(counters, gauges);
  }

  /** Passes on each counter by its name, as last read. */
  public void counters(ObjLongConsumer<String> to) {
    each(Series.Kind.COUNTER, counters, to);
  }

  /** Passes on each gauge by its name, as last read. */
  public void gauges(ObjLongConsumer<String> to) {
    each(Series.Kind.GAUGE, gauges, to);
  }

  private void each(Series.Kind kind, long[] numbers, ObjLongConsumer<String> to) {
    for (Series one : series.all()) {
      if (one.kind() == kind) {
        to.accept(one.name(), numbers[one.index()]);
      }
    }
  }
}
