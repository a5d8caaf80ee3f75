package io.loligo.server.report;

import io.loligo.server.report.Aggregates.BySize;
import io.loligo.server.report.Curve.Color;
import java.util.ArrayList;
import java.util.List;

/** Experiments 11 to 20: the disk, memory, and the kinds of hits. */
final class DiskExperiments {
  private static final LoggedStage READ = LoggedStage.DISK_FIRST_READ;
  private static final LoggedStage WRITE = LoggedStage.DISK_WRITE;

  private static final Amount[] KINDS = {
    Amount.DISK_200,
    Amount.MEMORY_200,
    Amount.UNKNOWN_200,
    Amount.IMS_200,
    Amount.IMS_304,
    Amount.OTHER_304,
    Amount.NEGATIVE
  };

  private final ReportNumbers numbers;

  DiskExperiments(ReportNumbers numbers) {
    this.numbers = numbers;
  }

  List<Experiment> all() {
    return List.of(
        swapRate(),
        concurrentSwaps(),
        utilisation(),
        diskTime(),
        diskTimeBySize(),
        overhead(),
        secondRead(),
        atomic(),
        memoryHits(),
        kindsOfHits());
  }

  private Experiment overTime(int number, String title, String meaning, Axis vertical) {
    return new Experiment(numbers, number, title, meaning, Axis.TIME, numbers.times(), vertical);
  }

  private Experiment swapRate() {
    return overTime(
            11,
            "Swap requests",
            "Responses read from disk (swap-in) and written to it (swap-out), a second.",
            Axis.number("requests/s"))
        .curve(
            "swap-in",
            Color.HITS,
            numbers.whole().get(Amount.SWAP_INS) == 0
                ? numbers.each(group -> Double.NaN)
                : numbers.rates(Amount.SWAP_INS))
        .curve(
            "swap-out",
            Color.MISSES,
            numbers.whole().get(Amount.SWAP_OUTS) == 0
                ? numbers.each(group -> Double.NaN)
                : numbers.swapOutRates(),
            WRITE)
        .finds(
            NumberText.of(numbers.whole().get(Amount.SWAP_INS))
                + " swap-ins"
                + (numbers.whole().get(Amount.SWAP_OUTS) == 0
                    ? "."
                    : " and "
                        + NumberText.of(numbers.whole().get(Amount.SWAP_OUTS))
                        + " swap-outs."));
  }

  private double[] active(Measure measure, double fraction, LoggedStage... stages) {
    if (numbers.counted().isDiskSampled()) {
      return numbers.active(measure, fraction);
    }
    for (LoggedStage stage : stages) {
      if (numbers.counted().count(stage) > 0) {
        return numbers.active(measure, fraction);
      }
    }
    return numbers.each(group -> Double.NaN);
  }

  private Experiment concurrentSwaps() {
    return overTime(
            12,
            "Concurrent swap requests",
            activity()
                + " at the same time, in samples every 2 ms. Half of the samples have at most the"
                + " 50th percentile.",
            Axis.number("requests"))
        .curve("50th percentile", Color.HITS, active(Measure.SWAPPING_ALL, 0.5, READ, WRITE), READ)
        .curve(
            "75th percentile", Color.MISSES, active(Measure.SWAPPING_ALL, 0.75, READ, WRITE), READ)
        .finds(
            "At most "
                + NumberText.of(numbers.whole().get(Measure.SWAPPING_ALL).quantile(1))
                + " at once.");
  }

  /** The requests in progress: the proxy samples operations on files, a log gives the requests. */
  private String activity() {
    return numbers.counted().isDiskSampled()
        ? "How many reads and writes of files are in progress"
        : "How many reads and writes of responses are at the disks";
  }

  private Experiment utilisation() {
    return overTime(
            13,
            "Use of the disks",
            (numbers.counted().isDiskSampled()
                ? "The share of samples, one every 2 ms, in which at least one read or write of"
                    + " a file was in progress."
                : "The share of samples, one every 2 ms, in which at least one response is"
                    + " being read or written."),
            Axis.number("% of samples"))
        .curve("all", Color.ALL, busy(Measure.SWAPPING_ALL, READ, WRITE), READ)
        .curve("in", Color.HITS, busy(Measure.SWAPPING_IN, READ), READ)
        .curve("out", Color.MISSES, busy(Measure.SWAPPING_OUT, WRITE), WRITE)
        .finds(
            "Whole log: a disk is busy in "
                + NumberText.of(busy(numbers.whole().get(Measure.SWAPPING_ALL)))
                + " % of the samples, in the "
                + numbers.peakName()
                + " in "
                + NumberText.of(busy(numbers.peak().get(Measure.SWAPPING_ALL)))
                + " %.");
  }

  private double[] busy(Measure measure, LoggedStage... stages) {
    double[] any = active(measure, 0.5, stages);
    double[] busy = numbers.each(group -> busy(group.get(measure)));
    return new Curve("", Color.ALL, false, any).isEmpty() ? any : busy;
  }

  private static double busy(Histogram samples) {
    return samples.count() == 0
        ? Double.NaN
        : 100.0 * (samples.count() - samples.countTo(0)) / samples.count();
  }

  private Experiment diskTime() {
    return overTime(
            14,
            "Disk response time",
            "The median time until a response is read from disk, or written to it, with the wait in"
                + " the disk's queue."
                + shared(),
            Axis.MEDIAN_MS)
        .curve("in", Color.HITS, numbers.medians(Measure.DISK_IN), READ)
        .curve("out", Color.MISSES, numbers.medians(Measure.DISK_OUT), WRITE)
        .finds(
            numbers.counted().count(READ) + numbers.counted().count(WRITE) == 0
                ? ""
                : numbers.medianWords("in", Measure.DISK_IN, "out", Measure.DISK_OUT));
  }

  /** Says why a write can be so short; empty where the log gives the writes. */
  private String shared() {
    return numbers.whole().get(Amount.KNOWN_OUTS) == 0
        ? ""
        : " A response of less than 64 KB is copied to a buffer, which is written later together"
            + " with others.";
  }

  private Experiment diskTimeBySize() {
    return new Experiment(
            numbers,
            15,
            "Disk response time and size",
            "The median disk time of responses of up to 64 KB, in groups of 1 KB. Steps are at"
                + " multiples of what one request to the disk reads; the first-I/O delay is the"
                + " part until its end."
                + (numbers.counted().storedSizes().count() == 0
                    ? ""
                    : " Writes are those since the start of the proxy."),
            new Axis("response size", Axis.Scale.BYTES),
            numbers.sizes(BySize.DISK_IN),
            Axis.MEDIAN_MS)
        .curve("in, total", Color.HITS, numbers.bySize(BySize.DISK_IN), READ)
        .curve("in, first I/O", Color.THIRD, numbers.bySize(BySize.DISK_FIRST_IN), READ)
        .curve("out, total", Color.MISSES, numbers.bySize(BySize.DISK_OUT), WRITE);
  }

  private Experiment overhead() {
    Experiment experiment =
        new Experiment(
                numbers,
                16,
                "Cost of an I/O and of an open",
                "From medians of files of one block (up to 8 KB) and of two (up to 16 KB): the"
                    + " second block costs one I/O, T(16K) − T(8K); the overhead is the rest,"
                    + " T(8K) − I/O. An overhead of nothing means that no file has to be opened.",
                Axis.TIME,
                new double[0],
                Axis.MEDIAN_MS)
            .row(List.of("median, ms", "T(8K)", "T(16K)", "I/O", "overhead"));
    cost(experiment, "in", numbers.whole(), Measure.ONE_BLOCK_IN, Measure.TWO_BLOCKS_IN, READ);
    cost(experiment, "out", numbers.whole(), Measure.ONE_BLOCK_OUT, Measure.TWO_BLOCKS_OUT, WRITE);
    String peak = ", " + numbers.peakName();
    cost(
        experiment, "in" + peak, numbers.peak(), Measure.ONE_BLOCK_IN, Measure.TWO_BLOCKS_IN, READ);
    cost(
        experiment,
        "out" + peak,
        numbers.peak(),
        Measure.ONE_BLOCK_OUT,
        Measure.TWO_BLOCKS_OUT,
        WRITE);
    return experiment;
  }

  private void cost(
      Experiment experiment,
      String name,
      TimeGroup group,
      Measure one,
      Measure two,
      LoggedStage needed) {
    double first = group.get(one).median();
    double both = group.get(two).median();
    if (Double.isNaN(first) || Double.isNaN(both)) {
      experiment.lacks(name, needed);
      return;
    }
    double io = Math.max(0, both - first);
    experiment.row(
        List.of(
            name,
            NumberText.of(first / 1000),
            NumberText.of(both / 1000),
            NumberText.of(io / 1000),
            NumberText.of(Math.max(0, first - io) / 1000)));
  }

  private Experiment secondRead() {
    return overTime(
            17,
            "Duration of one I/O",
            "The median time of the second read or write, of responses of two blocks (64 to 128 KB"
                + " in a cache_dir): an I/O without the cost of finding the file.",
            Axis.MEDIAN_MS)
        .curve("in", Color.HITS, numbers.medians(Measure.SECOND_IN), READ, LoggedStage.DISK_REST)
        .curve("out", Color.MISSES, numbers.medians(Measure.SECOND_OUT), WRITE);
  }

  private Experiment atomic() {
    return overTime(
            18,
            "Swap requests with one I/O",
            "The share of swap-ins that one read served whole, and of swap-outs that one write"
                + " took whole, together with others. More reads mean longer responses or too small"
                + " a read.",
            Axis.percent("% of swap requests"))
        .curve("in", Color.HITS, numbers.shares(Amount.ATOMIC_INS, Amount.KNOWN_INS), READ)
        .curve("out", Color.MISSES, numbers.shares(Amount.ATOMIC_OUTS, Amount.KNOWN_OUTS), WRITE)
        .finds(
            numbers.whole().get(Amount.KNOWN_INS) == 0
                ? ""
                : "Whole log: "
                    + NumberText.percent(
                        numbers.whole().get(Amount.ATOMIC_INS),
                        numbers.whole().get(Amount.KNOWN_INS))
                    + " of swap-ins.");
  }

  private Experiment memoryHits() {
    TimeGroup whole = numbers.whole();
    return overTime(
            19,
            "Memory hits",
            "The share of memory hits whose response never was on its way from disk: it stayed in"
                + " memory since it was fetched. The log has to show how the response came into"
                + " memory; other memory hits are left out.",
            Axis.percent("% of memory hits"))
        .curve(
            "never swapped in",
            Color.HITS,
            numbers.shares(Amount.NEVER_SWAPPED_IN, Amount.KNOWN_MEMORY_HITS))
        .finds(
            NumberText.of(whole.get(Amount.KNOWN_MEMORY_HITS))
                + " of "
                + NumberText.of(whole.get(Amount.MEMORY_200))
                + " memory hits counted; "
                + NumberText.percent(
                    whole.get(Amount.NEVER_SWAPPED_IN), whole.get(Amount.KNOWN_MEMORY_HITS))
                + " of them never swapped in.");
  }

  private Experiment kindsOfHits() {
    TimeGroup whole = numbers.whole();
    String[] names = {
      "disk", "memory", "disk or memory", "IMS with content", "IMS, 304", "other 304", "negative"
    };
    Color[] colors = {
      Color.HITS, Color.THIRD, Color.ALL, Color.FIFTH, Color.MISSES, Color.SIXTH, Color.FOURTH
    };
    Experiment experiment =
        overTime(
            20,
            "Kinds of hits",
            "Of 100 hits: content from disk, content from memory, 304 to a client that asked"
                + " whether its copy is fresh (IMS), and answers with other codes, such as 404"
                + " (negative). All IMS is the sum of both kinds of IMS. The table has every kind.",
            Axis.percent("% of hits"));
    experiment.curve(
        "all IMS",
        Color.FIFTH,
        numbers.each(
            group ->
                group.get(Amount.HITS) == 0
                    ? Double.NaN
                    : 100.0
                        * (group.get(Amount.IMS_200) + group.get(Amount.IMS_304))
                        / group.get(Amount.HITS)));
    List<String> words = new ArrayList<>();
    for (int i = 0; i < KINDS.length; i++) {
      if (whole.get(KINDS[i]) > 0) {
        if (KINDS[i] != Amount.IMS_200) {
          experiment.curve(names[i], colors[i], numbers.shares(KINDS[i], Amount.HITS));
        }
        words.add(names[i] + " " + NumberText.percent(whole.get(KINDS[i]), whole.get(Amount.HITS)));
      }
    }
    return experiment.finds(words.isEmpty() ? "" : "Whole log: " + String.join(", ", words) + ".");
  }
}
