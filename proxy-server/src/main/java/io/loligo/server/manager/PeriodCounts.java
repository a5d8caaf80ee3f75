package io.loligo.server.manager;

import io.loligo.server.history.History;
import io.loligo.server.history.HistorySources;
import io.loligo.server.history.Interval;
import io.loligo.server.history.Series;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.metrics.DiskNumber;
import io.loligo.server.metrics.IcpCount;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.store.disk.DiskStats;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Counters of some time: since the start, or of the last minutes. Confined to one thread. */
abstract class PeriodCounts {
  /** The value of a counter. */
  abstract long of(Counter counter);

  /** The value of one label value of a family. */
  abstract long of(CounterFamily family, int index);

  /** The sum of a growing number over all directories. */
  abstract long of(DiskNumber number);

  /** A count of messages by ICP. */
  abstract long of(IcpCount count);

  /** The increase of a counter of the process; 0 if it is not known, as since the start. */
  abstract long of(ProcessCount count);

  /** The time in seconds that the history covers of it; 0 since the start. */
  abstract double coveredSeconds();

  /** The processor time in percent of the time of one core; 0 if it is not known. */
  final double cpuPercent() {
    double covered = coveredSeconds();
    return covered == 0 ? 0 : of(ProcessCount.CPU_MICROS) / 1e4 / covered;
  }

  /** A percentile of a service time in seconds; 0 if the durations are not known. */
  abstract double seconds(ServiceTime time, double percent);

  /** The median number of events in an answer of the system; 0 if it is not known. */
  abstract long medianEvents();

  /** The value of {@code label} of a family. */
  final long of(CounterFamily family, String label) {
    int index = family.labelValues().indexOf(label);
    if (index < 0) {
      throw new IllegalArgumentException(family + " has no " + label);
    }
    return of(family, index);
  }

  /** The sum of a family. */
  final long sum(CounterFamily family) {
    long sum = 0;
    for (int i = 0; i < family.labelValues().size(); i++) {
      sum += of(family, i);
    }
    return sum;
  }

  /** Counters since the start of the process. */
  static PeriodCounts sinceStart(ManagerFacts facts) {
    ProxyMetrics metrics = facts.metrics();
    List<DiskStats> disks = facts.disks();
    return new PeriodCounts() {
      @Override
      long of(Counter counter) {
        return metrics.value(counter);
      }

      @Override
      long of(CounterFamily family, int index) {
        return metrics.value(family, index);
      }

      @Override
      long of(DiskNumber number) {
        return disks.stream().mapToLong(number::of).sum();
      }

      @Override
      long of(IcpCount count) {
        return facts.icp(count);
      }

      @Override
      long of(ProcessCount count) {
        return 0;
      }

      @Override
      double coveredSeconds() {
        return 0;
      }

      @Override
      double seconds(ServiceTime time, double percent) {
        return 0;
      }

      @Override
      long medianEvents() {
        return 0;
      }
    };
  }

  /** Counters of {@code interval}. */
  static PeriodCounts of(History history, Interval interval, List<DiskStats> disks) {
    return new PeriodCounts() {
      private long sum(String name) {
        Series series = history.series(name);
        return series == null ? 0 : interval.sum(series);
      }

      @Override
      long of(Counter counter) {
        return sum(HistorySources.name(counter));
      }

      @Override
      long of(CounterFamily family, int index) {
        return sum(HistorySources.name(family, index));
      }

      @Override
      long of(DiskNumber number) {
        return disks.stream().mapToLong(one -> sum(HistorySources.name(one.path(), number))).sum();
      }

      @Override
      long of(IcpCount count) {
        return sum("icp_" + count.key());
      }

      @Override
      long of(ProcessCount count) {
        return sum(count.series());
      }

      @Override
      double coveredSeconds() {
        return interval.coveredMillis() / 1_000.0;
      }

      @Override
      double seconds(ServiceTime time, double percent) {
        List<Series> series =
            time.series().stream().map(this::series).filter(Objects::nonNull).toList();
        return PageLines.seconds(interval.percentileNanos(series, percent));
      }

      @Override
      long medianEvents() {
        Series series = series(HistorySources.numbers("loop_events"));
        return series == null ? 0 : interval.percentileNanos(series, 50);
      }

      private @Nullable Series series(String name) {
        return history.series(name);
      }
    };
  }
}
