package io.loligo.server.report;

import io.loligo.server.report.Aggregates.BySize;
import io.loligo.server.report.Curve.Color;
import java.util.List;

/** Experiments 1 to 8, about the traffic, and 9 and 10, about the parts of a response time. */
final class TrafficExperiments {
  private final ReportNumbers numbers;

  TrafficExperiments(ReportNumbers numbers) {
    this.numbers = numbers;
  }

  List<Experiment> all() {
    return List.of(
        transferSizes(),
        fileSizes(),
        requestRate(),
        responseTime(),
        responseTimes(),
        responseTimeBySize(),
        concurrentRequests(),
        hitRatio(),
        missComponents(),
        hitComponents());
  }

  private Experiment transferSizes() {
    TimeGroup whole = numbers.whole();
    Measure[] measures = {
      Measure.BYTES_HIT, Measure.BYTES_MISS, Measure.BYTES_IN, Measure.BYTES_OUT
    };
    String[] names = {"hits", "misses", "swap-ins", "swap-outs"};
    Color[] colors = {Color.HITS, Color.MISSES, Color.THIRD, Color.FOURTH};
    Histogram[] sizes = new Histogram[measures.length];
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = whole.get(measures[i]);
    }
    Histogram stored = numbers.counted().storedSizes();
    if (stored.count() > 0) {
      sizes[3] = stored;
    }
    double[] x = ReportNumbers.points(sizes);
    Experiment experiment =
        new Experiment(
            numbers,
            1,
            "Transfer sizes",
            "How much of all accesses is at most as long as the size below. Every access counts; a"
                + " swap-in reads from disk, a swap-out writes to it. A steep part is a size that"
                + " occurs often."
                + (stored.count() > 0 ? " Swap-outs are those since the start of the proxy." : ""),
            Axis.SIZE,
            x,
            Axis.percent("% of accesses, cumulative"));
    for (int i = 0; i < measures.length; i++) {
      LoggedStage[] needed =
          i == 3 ? new LoggedStage[] {LoggedStage.DISK_WRITE} : new LoggedStage[0];
      experiment.curve(names[i], colors[i], ReportNumbers.cumulative(sizes[i], x), needed);
    }
    for (int i = 0; i < 2; i++) {
      experiment.peak(
          names[i], colors[i], ReportNumbers.cumulative(numbers.peak().get(measures[i]), x));
    }
    return experiment.finds(
        "Median size: hits "
            + NumberText.bytes(whole.get(Measure.BYTES_HIT).median())
            + ", misses "
            + NumberText.bytes(whole.get(Measure.BYTES_MISS).median())
            + ".");
  }

  private Experiment fileSizes() {
    DistinctFiles files = numbers.counted().files;
    Histogram whole = files.sizes(0, Long.MAX_VALUE);
    Histogram peak = files.sizes(numbers.peakStartMicros(), numbers.peakEndMicros());
    double[] x = ReportNumbers.points(whole);
    return new Experiment(
            numbers,
            2,
            "File sizes",
            "How much of all files is at most as long as the size below. Each URL counts once, at"
                + " its first GET that was answered 200.",
            Axis.SIZE,
            x,
            Axis.percent("% of files, cumulative"))
        .curve("files", Color.ALL, ReportNumbers.cumulative(whole, x))
        .peak("first requested", Color.ALL, ReportNumbers.cumulative(peak, x))
        .finds(
            NumberText.of(files.count() * files.weight())
                + " files, half of them up to "
                + NumberText.bytes(whole.median())
                + (files.weight() == 1
                    ? "."
                    : ". The log has too many to keep: one file in "
                        + files.weight()
                        + " was chosen by its hash, and the number is an estimate."));
  }

  private Experiment requestRate() {
    TimeGroup whole = numbers.whole();
    double seconds = numbers.seconds();
    return new Experiment(
            numbers,
            3,
            "Request rate",
            "Requests a second over the day. All is the sum of hits and misses.",
            Axis.TIME,
            numbers.times(),
            Axis.number("requests/s"))
        .curve("all", Color.ALL, numbers.rates(Amount.HITS, Amount.MISSES))
        .curve("hits", Color.HITS, numbers.rates(Amount.HITS))
        .curve("misses", Color.MISSES, numbers.rates(Amount.MISSES))
        .finds(
            "Mean: "
                + NumberText.of(whole.accesses() / seconds)
                + " requests/s; "
                + numbers.peakName()
                + ": "
                + NumberText.of(numbers.peak().accesses() / peakSeconds())
                + " requests/s.");
  }

  private double peakSeconds() {
    long from = Math.max(numbers.counted().firstMicros(), numbers.peakStartMicros());
    long to = Math.min(numbers.counted().lastMicros(), numbers.peakEndMicros());
    return Math.max(1, (to - from) / 1e6);
  }

  private Experiment responseTime() {
    return new Experiment(
            numbers,
            4,
            "Response time over the day",
            "The median time from a request to the last byte of its response. Where misses rise"
                + " and hits do not, the origins are slow; where both rise, the proxy is.",
            Axis.TIME,
            numbers.times(),
            Axis.MEDIAN_MS)
        .curve("all", Color.ALL, numbers.medians(Measure.RESPONSE_HIT, Measure.RESPONSE_MISS))
        .curve("hits", Color.HITS, numbers.medians(Measure.RESPONSE_HIT))
        .curve("misses", Color.MISSES, numbers.medians(Measure.RESPONSE_MISS))
        .finds(numbers.medianWords("hits", Measure.RESPONSE_HIT, "misses", Measure.RESPONSE_MISS));
  }

  private Experiment responseTimes() {
    TimeGroup whole = numbers.whole();
    TimeGroup peak = numbers.peak();
    Histogram all = whole.get(Measure.RESPONSE_HIT, Measure.RESPONSE_MISS);
    Histogram peakAll = peak.get(Measure.RESPONSE_HIT, Measure.RESPONSE_MISS);
    double[] x = ReportNumbers.points(all);
    Experiment experiment =
        new Experiment(
            numbers,
            5,
            "Distribution of response times",
            "How many of 100 responses ended within the time below. Dashed: the "
                + numbers.peakName()
                + " alone; a dashed curve to the right of its class means slower responses under"
                + " load.",
            Axis.DURATION_MS,
            ReportNumbers.toMillis(x),
            Axis.percent("% of responses, cumulative"));
    for (boolean dashed : new boolean[] {false, true}) {
      TimeGroup group = dashed ? peak : whole;
      double[][] curves = {
        ReportNumbers.cumulative(dashed ? peakAll : all, x),
        ReportNumbers.cumulative(group.get(Measure.RESPONSE_HIT), x),
        ReportNumbers.cumulative(group.get(Measure.RESPONSE_MISS), x)
      };
      String[] names = {"all", "hits", "misses"};
      Color[] colors = {Color.ALL, Color.HITS, Color.MISSES};
      for (int i = 0; i < names.length; i++) {
        if (dashed) {
          experiment.peak(names[i], colors[i], curves[i]);
        } else {
          experiment.curve(names[i], colors[i], curves[i]);
        }
      }
    }
    return experiment.finds(
        "95 of 100 responses end within "
            + NumberText.millis(all.quantile(0.95))
            + ", in the "
            + numbers.peakName()
            + " within "
            + NumberText.millis(peakAll.quantile(0.95))
            + ".");
  }

  private Experiment responseTimeBySize() {
    return new Experiment(
            numbers,
            6,
            "Response time and size",
            "The median response time of responses of about the size below. A flat part is"
                + " waiting, a rising part is the transfer.",
            Axis.SIZE,
            numbers.sizes(BySize.RESPONSE_HIT),
            Axis.MEDIAN_MS)
        .curve("hits", Color.HITS, numbers.bySize(BySize.RESPONSE_HIT))
        .curve("misses", Color.MISSES, numbers.bySize(BySize.RESPONSE_MISS));
  }

  private Experiment concurrentRequests() {
    TimeGroup whole = numbers.whole();
    return new Experiment(
            numbers,
            7,
            "Concurrent requests",
            "How many requests are in the proxy at the same time: the median of samples every"
                + " 10 ms, from the begin and the end of each request.",
            Axis.TIME,
            numbers.times(),
            Axis.number("requests, median"))
        .curve("all", Color.ALL, numbers.active(Measure.ACTIVE_ALL, 0.5))
        .curve("hits", Color.HITS, numbers.active(Measure.ACTIVE_HIT, 0.5))
        .curve("misses", Color.MISSES, numbers.active(Measure.ACTIVE_MISS, 0.5))
        .finds(
            "Median "
                + NumberText.of(whole.get(Measure.ACTIVE_ALL).median())
                + ", at most "
                + NumberText.of(whole.get(Measure.ACTIVE_ALL).quantile(1))
                + " at once.");
  }

  private Experiment hitRatio() {
    TimeGroup whole = numbers.whole();
    return new Experiment(
            numbers,
            8,
            "Hit ratio",
            "How much the cache saves: hits as a share of requests (documents), and their bytes as"
                + " a share of the bytes to clients.",
            Axis.TIME,
            numbers.times(),
            Axis.percent("%"))
        .curve("documents", Color.HITS, numbers.shares(Amount.HITS, Amount.HITS, Amount.MISSES))
        .curve(
            "bytes",
            Color.THIRD,
            numbers.shares(Amount.HIT_BYTES, Amount.HIT_BYTES, Amount.MISS_BYTES))
        .finds(
            "Whole log: documents "
                + NumberText.percent(whole.get(Amount.HITS), whole.accesses())
                + ", bytes "
                + NumberText.percent(
                    whole.get(Amount.HIT_BYTES),
                    whole.get(Amount.HIT_BYTES) + whole.get(Amount.MISS_BYTES))
                + ".");
  }

  // ---- parts of a response time

  private Experiment missComponents() {
    return components(
        9,
        "Parts of the response time, misses",
        "The median of each stage as a share of their sum: where a miss spends its time. The"
            + " server's and the proxy's reply overlap while a response passes through.",
        new String[] {"client connect", "proxy connect", "server reply", "proxy reply"},
        new Measure[] {
          Measure.CLIENT_MISS, Measure.CONNECT_MISS, Measure.SERVER_MISS, Measure.REPLY_MISS
        },
        LoggedStage.CLIENT_CONNECT,
        LoggedStage.PROXY_CONNECT,
        LoggedStage.SERVER_LAST_BYTE,
        LoggedStage.PROXY_REPLY);
  }

  private Experiment hitComponents() {
    return components(
        10,
        "Parts of the response time, hits answered 200",
        "The median of each stage as a share of their sum, of hits with content. The swap-in is"
            + " that of hits from disk.",
        new String[] {"client connect", "swap-in", "proxy reply"},
        new Measure[] {Measure.CLIENT_200, Measure.DISK_IN, Measure.REPLY_200},
        LoggedStage.CLIENT_CONNECT,
        LoggedStage.DISK_FIRST_READ,
        LoggedStage.PROXY_REPLY);
  }

  private Experiment components(
      int number,
      String title,
      String meaning,
      String[] names,
      Measure[] measures,
      LoggedStage... stages) {
    Experiment experiment =
        new Experiment(
                numbers,
                number,
                title,
                meaning,
                Axis.TIME,
                numbers.times(),
                Axis.percent("% of the sum of medians"))
            .stack();
    StringBuilder finding = new StringBuilder("Medians of the whole log: ");
    for (int i = 0; i < measures.length; i++) {
      Measure measure = measures[i];
      experiment.curve(
          names[i],
          Color.values()[i + 1],
          numbers.each(group -> share(group, measure, measures)),
          stages[i]);
      double median = numbers.whole().get(measure).median();
      finding.append(i == 0 ? "" : ", ").append(names[i]).append(' ');
      finding.append(NumberText.millis(median));
    }
    return experiment.finds(experiment.isEmpty() ? "" : finding.append('.').toString());
  }

  private static double share(TimeGroup group, Measure part, Measure... parts) {
    double sum = 0;
    for (Measure one : parts) {
      sum += group.get(one).count() == 0 ? 0 : group.get(one).median();
    }
    return sum == 0 ? Double.NaN : 100 * group.get(part).median() / sum;
  }
}
