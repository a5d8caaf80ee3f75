package io.loligo.server.report;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The numbers of a log in the shape of graphs. Made once, when all is counted. */
final class ReportNumbers {
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double MICROS_PER_MILLI = 1000;
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT);

  /** Points in a power of two of a cumulative curve. */
  private static final int POINTS = 4;

  private final Aggregates counted;
  private final TimeGroups groups;
  private final TimeGroup whole;
  private final TimeGroup peak;
  private final int peakFrom;
  private final int peakTo;
  private final ZoneId zone;

  ReportNumbers(Aggregates counted, ZoneId zone) {
    this.counted = counted;
    this.zone = zone;
    groups = counted.groups;
    whole = groups.sum(0, groups.count());
    peakFrom = groups.peak();
    peakTo = Math.min(groups.count(), peakFrom + groups.perHour());
    peak = groups.sum(peakFrom, peakTo);
  }

  Aggregates counted() {
    return counted;
  }

  TimeGroup whole() {
    return whole;
  }

  TimeGroup peak() {
    return peak;
  }

  ZoneId zone() {
    return zone;
  }

  /** Microseconds of a group of time. */
  long unitMicros() {
    return groups.unitMicros();
  }

  long peakStartMicros() {
    return groups.startMicros(peakFrom);
  }

  long peakEndMicros() {
    return groups.startMicros(peakTo);
  }

  /** How the page calls the stretch with the most accesses. */
  String peakName() {
    long micros = Math.max(TimeGroups.HOUR_MICROS, groups.unitMicros());
    return micros == TimeGroups.HOUR_MICROS
        ? "peak hour"
        : "peak " + micros / TimeGroups.HOUR_MICROS + " hours";
  }

  String moment(long micros) {
    return MOMENT.format(Instant.ofEpochMilli(micros / 1000).atZone(zone));
  }

  /** Those of {@code needed} that no access of the log has. */
  List<LoggedStage> absent(LoggedStage... needed) {
    return Stream.of(needed).filter(stage -> counted.count(stage) == 0).toList();
  }

  /** Why a class has no number: the log lacks these stages, or such accesses. */
  String reason(LoggedStage... needed) {
    return absent(needed).isEmpty() ? "the log has no such access" : lack(absent(needed));
  }

  /** Says that the log lacks {@code stages}, of which there is at least one. */
  String lack(Collection<LoggedStage> stages) {
    String names = stages.stream().map(LoggedStage::text).collect(Collectors.joining(", "));
    return counted.staged() == 0
        ? "the log lacks the field stages with "
            + names
            + " (loligo_stages and loligo_json have it)"
        : "no access of the log has the " + (stages.size() == 1 ? "stage " : "stages ") + names;
  }

  // ---- over time

  /** The middle of each group in seconds since 1970. */
  double[] times() {
    return perGroup(i -> (groups.startMicros(i) + groups.unitMicros() / 2.0) / MICROS_PER_SECOND);
  }

  private interface ByNumber {
    double at(int group);
  }

  private double[] perGroup(ByNumber value) {
    double[] values = new double[groups.count()];
    for (int i = 0; i < values.length; i++) {
      values[i] = value.at(i);
    }
    return values;
  }

  double[] each(ToDoubleFunction<TimeGroup> value) {
    return perGroup(i -> value.applyAsDouble(groups.group(i)));
  }

  /** The median of each group; durations in milliseconds. */
  double[] medians(Measure measure) {
    return each(group -> group.get(measure).median() / MICROS_PER_MILLI);
  }

  double[] medians(Measure one, Measure other) {
    return each(group -> group.get(one, other).median() / MICROS_PER_MILLI);
  }

  /** The number a second in each group, of the seconds that the log has of it. */
  double[] rates(Amount amount, Amount... more) {
    return perGroup(
        i -> {
          double sum = groups.group(i).get(amount);
          for (Amount one : more) {
            sum += groups.group(i).get(one);
          }
          return sum / seconds(i);
        });
  }

  /** The rate of swap-outs: in the time that the log has, or in which the proxy counted them. */
  double[] swapOutRates() {
    return perGroup(
        i -> {
          TimeGroup group = groups.group(i);
          long millis = group.get(Amount.COUNTED_MILLIS);
          return group.get(Amount.SWAP_OUTS)
              / (millis == 0 ? seconds(i) : Math.max(1, millis / 1000.0));
        });
  }

  private double seconds(int group) {
    long from = Math.max(counted.firstMicros(), groups.startMicros(group));
    long to = Math.min(counted.lastMicros(), groups.startMicros(group + 1));
    return Math.max(1, (to - from) / MICROS_PER_SECOND);
  }

  /** Seconds from the first end to the last one, at least 1. */
  double seconds() {
    return Math.max(1, (counted.lastMicros() - counted.firstMicros()) / MICROS_PER_SECOND);
  }

  /** The percentage of one amount in others; NaN without any. */
  double[] shares(Amount part, Amount... parts) {
    return each(
        group -> {
          double sum = 0;
          for (Amount one : parts) {
            sum += group.get(one);
          }
          return sum == 0 ? Double.NaN : 100 * group.get(part) / sum;
        });
  }

  /** A quantile of numbers of active requests. */
  double[] active(Measure measure, double fraction) {
    return each(group -> group.get(measure).quantile(fraction));
  }

  // ---- distributions

  /** Values that rise by equal factors and cover all of {@code histograms}. */
  static double[] points(Histogram... histograms) {
    double low = Double.MAX_VALUE;
    double high = 1;
    for (Histogram one : histograms) {
      if (one.count() > 0) {
        double zeros = (double) one.countTo(0) / one.count();
        low = Math.min(low, Math.max(1, one.quantile(Math.min(1, zeros + 0.002))));
        high = Math.max(high, one.quantile(1));
      }
    }
    int from = (int) Math.floor(POINTS * log2(Math.min(low, high))) - 1;
    int to = (int) Math.ceil(POINTS * log2(high)) + 1;
    double[] points = new double[to - from + 1];
    for (int i = 0; i < points.length; i++) {
      points[i] = Math.pow(2, (double) (from + i) / POINTS);
    }
    return points;
  }

  private static double log2(double value) {
    return Math.log(value) / Math.log(2);
  }

  /** The percentage of numbers up to each point; NaN without any. */
  static double[] cumulative(Histogram histogram, double[] points) {
    double[] values = new double[points.length];
    for (int i = 0; i < values.length; i++) {
      values[i] =
          histogram.count() == 0
              ? Double.NaN
              : 100.0 * histogram.countTo((long) points[i]) / histogram.count();
    }
    return values;
  }

  static double[] toMillis(double[] micros) {
    double[] millis = micros.clone();
    for (int i = 0; i < millis.length; i++) {
      millis[i] /= MICROS_PER_MILLI;
    }
    return millis;
  }

  // ---- by size

  double[] sizes(Aggregates.BySize which) {
    SizeMedians medians = counted.bySize(which);
    double[] sizes = new double[medians.count()];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = medians.size(i);
    }
    return sizes;
  }

  /** The median of each group of sizes in milliseconds. */
  double[] bySize(Aggregates.BySize which) {
    SizeMedians medians = counted.bySize(which);
    double[] values = new double[medians.count()];
    for (int i = 0; i < values.length; i++) {
      values[i] = medians.median(i) / MICROS_PER_MILLI;
    }
    return values;
  }

  // ---- words

  /** A sentence with the medians of some classes, of the whole log and of the peak hour. */
  String medianWords(Object... namesAndMeasures) {
    StringBuilder text = new StringBuilder();
    for (TimeGroup group : new TimeGroup[] {whole, peak}) {
      text.append(group == whole ? "Whole log: " : "; " + peakName() + ": ");
      for (int i = 0; i < namesAndMeasures.length; i += 2) {
        Histogram histogram = group.get((Measure) namesAndMeasures[i + 1]);
        text.append(i == 0 ? "" : ", ").append(namesAndMeasures[i]).append(' ');
        text.append(NumberText.millis(histogram.median()));
      }
    }
    return text.append('.').toString();
  }
}
