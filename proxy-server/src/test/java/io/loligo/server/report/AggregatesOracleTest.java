package io.loligo.server.report;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.loligo.server.logfile.LogSource;
import io.loligo.server.report.GeneratedLog.Line;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random logs in all formats, against counts that are made without any cleverness. */
class AggregatesOracleTest {
  private static final long NOW = (GeneratedLog.START_MILLIS + 86_400_000) * 1000;
  private static final int SPAN = 170_000;
  private static final double ERROR = 0.03;

  private static ReadLogs read(List<Line> lines, Function<Line, String> format) throws Exception {
    return read(List.of(lines.stream().map(format).collect(Collectors.joining("\n"))));
  }

  private static ReadLogs read(List<String> logs) throws Exception {
    List<LogSource> sources = new ArrayList<>();
    for (String log : logs) {
      sources.add(
          LogSource.of(
              "log " + sources.size(), new ByteArrayInputStream(log.getBytes(ISO_8859_1))));
    }
    return new LogReading().read(sources, NOW, (done, bytes) -> {});
  }

  private static ReadLogs readMixed(List<Line> lines, long seed) throws Exception {
    Random random = new Random(seed);
    return read(lines, line -> random.nextBoolean() ? line.staged() : line.json());
  }

  /** The median of each group must be within 3 % of the exact one. */
  private static void medians(
      TimeGroups groups, Measure measure, List<Line> lines, ToLongFunction<Line> micros) {
    TreeMap<Long, List<Long>> exact = new TreeMap<>();
    for (Line line : lines) {
      if (micros.applyAsLong(line) >= 0) {
        exact
            .computeIfAbsent(line.endMillis() / 60_000, group -> new ArrayList<>())
            .add(micros.applyAsLong(line));
      }
    }
    assertThat(exact).as(measure.name()).isNotEmpty();
    for (int i = 0; i < groups.count(); i++) {
      List<Long> values = exact.getOrDefault(groups.startMicros(i) / 60_000_000, List.of());
      Histogram counted = groups.group(i).get(measure);
      assertThat(counted.count()).as(measure.name()).isEqualTo(values.size());
      if (!values.isEmpty()) {
        double median = values.stream().sorted().toList().get((values.size() + 1) / 2 - 1);
        assertThat(counted.median()).as(measure.name()).isCloseTo(median, within(median * ERROR));
      }
    }
  }

  private static List<Line> only(List<Line> lines, Predicate<Line> which) {
    return lines.stream().filter(which.and(line -> !line.other())).toList();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void mediansOfAllStagesAreThoseOfTheLog(long seed) throws Exception {
    List<Line> lines = GeneratedLog.of(seed, 1500, SPAN, true);
    TimeGroups groups = readMixed(lines, seed).counted().groups;
    List<Line> hits = only(lines, Line::hit);
    List<Line> misses = only(lines, line -> !line.hit());
    medians(groups, Measure.RESPONSE_HIT, hits, line -> line.millis() * 1000);
    medians(groups, Measure.RESPONSE_MISS, misses, line -> line.millis() * 1000);
    medians(groups, Measure.BYTES_HIT, hits, Line::bytes);
    medians(groups, Measure.CLIENT_HIT, hits, line -> line.micros(LoggedStage.CLIENT_CONNECT));
    medians(groups, Measure.CONNECT_MISS, misses, line -> line.micros(LoggedStage.PROXY_CONNECT));
    medians(groups, Measure.SERVER_HIT, hits, line -> line.micros(LoggedStage.SERVER_LAST_BYTE));
    medians(
        groups,
        Measure.BOTH_MISS,
        misses,
        line -> line.micros(LoggedStage.PROXY_CONNECT) + line.micros(LoggedStage.SERVER_LAST_BYTE));
    medians(groups, Measure.REPLY_MISS, misses, line -> line.micros(LoggedStage.PROXY_REPLY));
    medians(
        groups,
        Measure.REPLY_304,
        only(hits, line -> line.status() == 304),
        line -> line.micros(LoggedStage.PROXY_REPLY));
    medians(
        groups,
        Measure.DISK_IN,
        only(hits, line -> line.tag().equals("TCP_HIT")),
        AggregatesOracleTest::diskIn);
    medians(
        groups,
        Measure.DISK_OUT,
        only(misses, line -> line.tag().equals("TCP_MISS")),
        AggregatesOracleTest::diskOut);
  }

  private static long diskIn(Line line) {
    return line.micros(LoggedStage.DISK_QUEUE)
        + line.micros(LoggedStage.DISK_FIRST_READ)
        + Math.max(0, line.micros(LoggedStage.DISK_REST));
  }

  private static long diskOut(Line line) {
    return line.micros(LoggedStage.DISK_WRITE_QUEUE) + line.micros(LoggedStage.DISK_WRITE);
  }

  @Test
  void sumsAreThoseOfTheLog() throws Exception {
    List<Line> lines = GeneratedLog.of(4, 1500, SPAN, true);
    ReadLogs read = readMixed(lines, 4);
    TimeGroup all = read.counted().groups.sum(0, read.counted().groups.count());
    List<Line> hits = only(lines, Line::hit);
    List<Line> misses = only(lines, line -> !line.hit());
    assertThat(read.unreadable()).isZero();
    assertThat(read.lines()).isEqualTo(lines.size());
    assertThat(read.counted().others()).isEqualTo(lines.size() - hits.size() - misses.size());
    assertThat(all.get(Amount.HITS)).isEqualTo(hits.size());
    assertThat(all.get(Amount.MISSES)).isEqualTo(misses.size());
    assertThat(all.get(Amount.HIT_BYTES)).isEqualTo(hits.stream().mapToLong(Line::bytes).sum());
    assertThat(all.get(Amount.SWAP_OUTS))
        .isEqualTo(only(lines, line -> line.tag().equals("TCP_MISS")).size());
    assertThat(all.get(Amount.ATOMIC_INS))
        .isEqualTo(
            only(lines, line -> line.tag().equals("TCP_HIT") && line.bytes() <= 5000).size());
    assertThat(all.get(Amount.NEGATIVE))
        .isEqualTo(only(lines, line -> line.tag().equals("TCP_NEGATIVE_HIT")).size());
    assertThat(all.get(Amount.IMS_304))
        .isEqualTo(
            only(lines, line -> line.tag().equals("TCP_IMS_HIT") && line.status() == 304).size());
    long parts = 0;
    for (Amount part : Amount.values()) {
      parts += part.compareTo(Amount.DISK_200) >= 0 ? all.get(part) : 0;
    }
    assertThat(parts).isEqualTo(hits.size());
  }

  @Test
  void aLogWithoutStagesHasTheSameSums() throws Exception {
    List<Line> lines = GeneratedLog.of(5, 1500, SPAN, false);
    Aggregates counted = read(lines, Line::squid).counted();
    TimeGroup all = counted.groups.sum(0, counted.groups.count());
    assertThat(counted.staged()).isZero();
    assertThat(all.get(Amount.HITS)).isEqualTo(only(lines, Line::hit).size());
    assertThat(all.get(Amount.SWAP_INS))
        .isEqualTo(
            only(lines, line -> line.tag().equals("TCP_HIT") && line.status() == 200).size());
    assertThat(all.get(Measure.DISK_IN).count()).isZero();
  }

  /** Looks at every sample of the log and at every access, in each of both classes. */
  private static void samples(
      TimeGroups groups,
      Measure measure,
      long step,
      List<Line> lines,
      List<Line> counted,
      ToLongFunction<Line> begin,
      ToLongFunction<Line> duration) {
    long first = lines.get(0).endMillis() * 1000;
    long last = lines.get(lines.size() - 1).endMillis() * 1000;
    int[] active = new int[(int) ((last - first) / step) + 2];
    for (Line line : counted) {
      for (int i = 0; i < active.length; i++) {
        long at = (first / step + i) * step;
        long from = begin.applyAsLong(line);
        active[i] +=
            at >= from && at < Math.min(line.endMillis() * 1000, from + duration.applyAsLong(line))
                ? 1
                : 0;
      }
    }
    TreeMap<Long, Histogram> exact = new TreeMap<>();
    for (int i = 0; i < active.length; i++) {
      long at = (first / step + i) * step;
      if (at >= first && at < last) {
        exact.computeIfAbsent(at / 60_000_000, group -> new Histogram()).add(active[i]);
      }
    }
    for (int i = 0; i < groups.count(); i++) {
      Histogram expected = exact.get(groups.startMicros(i) / 60_000_000);
      Histogram found = groups.group(i).get(measure);
      assertThat(found.count()).as(measure.name()).isEqualTo(expected.count());
      for (int n = 0; n < 40; n++) {
        assertThat(found.countTo(n)).as(measure + " " + n).isEqualTo(expected.countTo(n));
      }
    }
  }

  private static long begin(Line line) {
    return (line.endMillis() - line.millis()) * 1000;
  }

  private static long afterLookup(Line line) {
    return begin(line) + line.micros(LoggedStage.ACL) + Math.max(0, line.micros(LoggedStage.DNS));
  }

  @Test
  void concurrentRequestsAreThoseOfEverySample() throws Exception {
    List<Line> lines = GeneratedLog.of(6, 1200, SPAN, true);
    TimeGroups groups = readMixed(lines, 6).counted().groups;
    List<Line> hits = only(lines, Line::hit);
    List<Line> all = only(lines, line -> true);
    ToLongFunction<Line> whole = line -> line.millis() * 1000;
    samples(groups, Measure.ACTIVE_HIT, 10_000, lines, hits, AggregatesOracleTest::begin, whole);
    samples(groups, Measure.ACTIVE_ALL, 10_000, lines, all, AggregatesOracleTest::begin, whole);
    List<Line> fetched =
        only(lines, line -> !line.hit() && line.micros(LoggedStage.SERVER_LAST_BYTE) >= 0);
    samples(
        groups,
        Measure.OUTGOING_MISS,
        10_000,
        lines,
        fetched,
        AggregatesOracleTest::afterLookup,
        line -> line.micros(LoggedStage.PROXY_CONNECT) + line.micros(LoggedStage.SERVER_LAST_BYTE));
  }

  @Test
  void concurrentDiskRequestsAreThoseOfEverySample() throws Exception {
    List<Line> lines = GeneratedLog.of(7, 900, SPAN, true);
    TimeGroups groups = readMixed(lines, 7).counted().groups;
    List<Line> ins = only(lines, line -> line.tag().equals("TCP_HIT"));
    List<Line> outs = only(lines, line -> line.tag().equals("TCP_MISS"));
    samples(
        groups,
        Measure.SWAPPING_IN,
        2_000,
        lines,
        ins,
        AggregatesOracleTest::afterLookup,
        AggregatesOracleTest::diskIn);
    samples(
        groups,
        Measure.SWAPPING_OUT,
        2_000,
        lines,
        outs,
        line -> line.endMillis() * 1000 - diskOut(line),
        AggregatesOracleTest::diskOut);
  }

  @Test
  void filesAreCountedAtTheirFirstAccess() throws Exception {
    List<Line> lines = GeneratedLog.of(8, 900, SPAN, false);
    Aggregates counted = read(lines, Line::squid).counted();
    Set<String> seen = new HashSet<>();
    Histogram exact = new Histogram();
    long known = 0;
    long fetched = 0;
    TreeMap<String, String> origins = new TreeMap<>();
    for (Line line : only(lines, one -> one.status() == 200 && one.method().equals("GET"))) {
      if (seen.add(line.url())) {
        exact.add(line.bytes());
      }
      if (line.tag().equals("TCP_MEM_HIT")) {
        String origin = origins.getOrDefault(line.url(), "");
        known += origin.isEmpty() ? 0 : 1;
        fetched += origin.equals("fetched") ? 1 : 0;
      } else if (line.tag().equals("TCP_HIT")) {
        origins.put(line.url(), "disk");
      } else if (!line.hit()) {
        origins.put(line.url(), "fetched");
      }
    }
    Histogram sizes = counted.files.sizes(0, NOW);
    assertThat(sizes.count()).isEqualTo(seen.size()).isGreaterThan(30);
    for (long bytes = 1; bytes < 1 << 18; bytes *= 2) {
      assertThat(sizes.countTo(bytes)).isEqualTo(exact.countTo(bytes));
    }
    TimeGroup all = counted.groups.sum(0, counted.groups.count());
    assertThat(all.get(Amount.KNOWN_MEMORY_HITS)).isEqualTo(known).isPositive();
    assertThat(all.get(Amount.NEVER_SWAPPED_IN)).isEqualTo(fetched).isPositive();
  }

  @Test
  void logsInAnyOrderGiveTheSameAsOneLog() throws Exception {
    List<Line> lines = GeneratedLog.of(9, 1500, SPAN, true);
    Aggregates whole = read(lines, Line::staged).counted();
    List<StringBuilder> parts = List.of(new StringBuilder(), new StringBuilder());
    Random random = new Random(9);
    StringBuilder early = new StringBuilder();
    for (int i = 0; i < lines.size(); i++) {
      StringBuilder part = i < 500 ? early : parts.get(random.nextInt(2));
      part.append(lines.get(i).staged()).append('\n');
    }
    Aggregates divided =
        read(List.of(parts.get(0).toString(), early.toString(), parts.get(1).toString())).counted();
    assertThat(divided.shortened()).isZero();
    for (Measure measure : Measure.values()) {
      for (int i = 0; i < whole.groups.count(); i++) {
        Histogram one = whole.groups.group(i).get(measure);
        Histogram other = divided.groups.group(i).get(measure);
        assertThat(other.count()).as(measure.name()).isEqualTo(one.count());
        assertThat(other.median()).as(measure.name()).isEqualTo(Double.valueOf(one.median()));
        assertThat(other.quantile(0.9))
            .as(measure.name())
            .isEqualTo(Double.valueOf(one.quantile(0.9)));
      }
    }
  }
}
