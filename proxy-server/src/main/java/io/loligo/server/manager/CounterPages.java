package io.loligo.server.manager;

import io.loligo.server.history.History;
import io.loligo.server.history.Interval;
import io.loligo.server.metrics.Counter;
import io.loligo.server.metrics.LatencySnapshot;
import io.loligo.server.record.HitClass;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pages with counters, averages and times. Stateless. */
final class CounterPages {
  static final int FIVE_MINUTES = 300;
  static final int HOUR = 3_600;

  private static final String UNLINKS = "unlink.requests";
  private static final String NO_SAMPLES = "no samples";

  /** A part of the page {@code utilization}. */
  private record Period(String title, int seconds) {}

  private static final List<Period> PERIODS =
      List.of(
          new Period("Last 5 minutes", FIVE_MINUTES),
          new Period("Last 15 minutes", 900),
          new Period("Last hour", HOUR),
          new Period("Last 8 hours", 8 * HOUR),
          new Period("Last day", 24 * HOUR),
          new Period("Last 3 days", 72 * HOUR));

  private CounterPages() {}

  /** The page {@code counters}. */
  static String counters(ManagerFacts facts) {
    PageLines page = new PageLines();
    totals(page, facts);
    return page.toString();
  }

  private static void totals(PageLines page, ManagerFacts facts) {
    PeriodCounts tally = PeriodCounts.sinceStart(facts);
    ProcessFacts process = facts.process();
    page.line("sample_time = %s", PageLines.stamp(facts.nowMillis()));
    SquidCounters.ofClients(tally).forEach((name, value) -> total(page, name, value));
    total(page, "client_http.hit_kbytes_out", PageLines.kilobytes(tally.of(Counter.HIT_BYTES_OUT)));
    SquidCounters.ofServers(tally).forEach((name, value) -> total(page, name, value));
    SquidCounters.ofNeighbours(tally, facts.digestBytes())
        .forEach((name, value) -> total(page, name, value));
    total(page, UNLINKS, 0);
    page.line("page_faults = %d", process.pageFaults());
    page.line("select_loops = %d", process.loopPolls());
    page.line("cpu_time = %.6f", PageLines.seconds(process.cpuNanos()));
    page.line("wall_time = %.6f", (facts.nowMillis() - process.startMillis()) / 1_000.0);
    SquidCounters.ofDisks(tally).forEach((name, value) -> total(page, name, value));
  }

  private static void total(PageLines page, String name, double value) {
    page.line("%s = %d", name, (long) value);
  }

  /** The pages {@code 5min} and {@code 60min}. */
  static String averages(ManagerFacts facts, int seconds) {
    PageLines page = new PageLines();
    Interval last = last(facts.history(), seconds);
    History history = facts.history();
    if (last == null || history == null) {
      return page.plain(NO_SAMPLES).toString();
    }
    averages(page, facts, history, last);
    return page.toString();
  }

  /** The last seconds; null: nothing is known about them. */
  static @Nullable Interval last(@Nullable History history, int seconds) {
    Interval last = history == null ? null : history.last(seconds);
    return last == null || last.samples() == 0 ? null : last;
  }

  private static void averages(PageLines page, ManagerFacts facts, History history, Interval last) {
    double seconds = last.coveredMillis() / 1_000.0;
    PeriodCounts tally = PeriodCounts.of(history, last, facts.disks());
    long endMillis = last.startSeconds() * 1_000 + last.coveredMillis();
    page.line("sample_start_time = %s", PageLines.stamp(last.startSeconds() * 1_000));
    page.line("sample_end_time = %s", PageLines.stamp(endMillis));
    SquidCounters.ofClients(tally).forEach((name, value) -> rate(page, name, value / seconds));
    for (ServiceTime time : ServiceTime.values()) {
      if (time != ServiceTime.DNS) {
        median(page, time.median(), tally.seconds(time, 50));
      }
    }
    SquidCounters.ofServers(tally).forEach((name, value) -> rate(page, name, value / seconds));
    rate(page, UNLINKS, 0);
    median(page, "icp.query_median_svc_time", 0);
    median(page, "icp.reply_median_svc_time", 0);
    median(page, ServiceTime.DNS.median(), tally.seconds(ServiceTime.DNS, 50));
    rate(page, "page_faults", tally.of(ProcessCount.PAGE_FAULTS) / seconds);
    rate(page, "select_loops", tally.of(ProcessCount.LOOP_POLLS) / seconds);
    rate(page, "select_fds", tally.of(ProcessCount.LOOP_EVENTS) / seconds);
    page.line("average_select_fd_period = %.6f/fd", 0.0);
    page.line("median_select_fds = %.6f", (double) tally.medianEvents());
    SquidCounters.ofDisks(tally).forEach((name, value) -> rate(page, name, value / seconds));
    page.line("cpu_time = %.6f seconds", tally.of(ProcessCount.CPU_MICROS) / 1e6);
    page.line("wall_time = %.6f seconds", seconds);
    page.line("cpu_usage = %.6f%%", tally.cpuPercent());
  }

  private static void rate(PageLines page, String name, double perSecond) {
    page.line("%s = %.6f/sec", name, perSecond);
  }

  private static void median(PageLines page, String name, double seconds) {
    page.line("%s = %.6f seconds", name, seconds);
  }

  /** The page {@code utilization}. */
  static String utilization(ManagerFacts facts) {
    PageLines page = new PageLines().plain("Cache Utilisation:").plain("");
    History history = facts.history();
    for (Period period : PERIODS) {
      page.plain(period.title() + ":");
      Interval last = last(history, period.seconds());
      if (last == null || history == null) {
        page.plain(NO_SAMPLES);
      } else {
        averages(page, facts, history, last);
      }
      page.plain("");
    }
    page.plain("Totals since cache startup:");
    totals(page, facts);
    return page.toString();
  }

  /** The page {@code service_times}. */
  static String serviceTimes(ManagerFacts facts) {
    PageLines page = new PageLines().plain("Service Time Percentiles            5 min    60 min:");
    @Nullable PeriodCounts short5 = tally(facts, FIVE_MINUTES);
    @Nullable PeriodCounts long60 = tally(facts, HOUR);
    for (ServiceTime time : ServiceTime.values()) {
      for (int percent = 5; percent <= 95; percent += 5) {
        page.line(
            "\t%-21s %2d%%  %8.5f %8.5f",
            time.title() + ":",
            percent,
            seconds(short5, time, percent),
            seconds(long60, time, percent));
      }
    }
    for (int percent = 5; percent <= 95; percent += 5) {
      page.line("\t%-21s %2d%%  %8.5f %8.5f", "ICP Queries:", percent, 0.0, 0.0);
    }
    return page.toString();
  }

  /** The counters of the last seconds; null: nothing is known about them. */
  static @Nullable PeriodCounts tally(ManagerFacts facts, int seconds) {
    History history = facts.history();
    Interval last = last(history, seconds);
    return last == null || history == null ? null : PeriodCounts.of(history, last, facts.disks());
  }

  static double seconds(@Nullable PeriodCounts tally, ServiceTime time, double percent) {
    return tally == null ? 0 : tally.seconds(time, percent);
  }

  /** The page {@code histograms}: number, least milliseconds, count and count by millisecond. */
  static String histograms(ManagerFacts facts) {
    PageLines page = new PageLines();
    for (ServiceTime time : ServiceTime.values()) {
      page.line("%s histogram:", time.histogram());
      LatencySnapshot merged = new LatencySnapshot();
      for (HitClass one : time.classes()) {
        facts.metrics().addLatency(time.stage(), one, merged);
      }
      for (int i = 0; i < LatencySnapshot.BUCKETS; i++) {
        long count = merged.count(i);
        if (count > 0) {
          double from = LatencySnapshot.lowestNanos(i) / 1e6;
          double to = LatencySnapshot.lowestNanos(i + 1) / 1e6;
          page.line("\t%3d/%f\t%d\t%f", i, from, count, count / Math.max(1e-6, to - from));
        }
      }
    }
    for (String none : new String[] {"icp.querySvcTime", "icp.replySvcTime"}) {
      page.line("%s histogram:", none);
    }
    return page.toString();
  }
}
