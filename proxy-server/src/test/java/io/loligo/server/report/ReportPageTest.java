package io.loligo.server.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.loligo.server.logfile.LogSource;
import io.loligo.server.report.GeneratedLog.Line;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The page of generated logs: every graph is there, or the reason why it is not. */
class ReportPageTest {
  private static final long NOW_MILLIS = GeneratedLog.START_MILLIS + 86_400_000;

  private static String log(Function<Line, String> format, boolean staged) {
    return GeneratedLog.of(11, 4000, 5_000_000, staged).stream()
        .map(format)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String page(String log) throws Exception {
    LogReport report =
        LogReport.read(
            List.of("-"),
            new ByteArrayInputStream(log.getBytes(UTF_8)),
            NOW_MILLIS,
            ZoneOffset.UTC,
            null);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    report.write(out);
    return out.toString(UTF_8);
  }

  private static List<Experiment> experiments(String log) throws Exception {
    LogSource source = LogSource.of("log", new ByteArrayInputStream(log.getBytes(UTF_8)));
    ReadLogs read = new LogReading().read(List.of(source), NOW_MILLIS * 1000, (lines, bytes) -> {});
    return LogReport.experiments(new ReportNumbers(read.counted(), ZoneOffset.UTC));
  }

  private static String figure(String page, int number) {
    Matcher figure =
        Pattern.compile("<figure id='e" + number + "'>(.*?)</figure>", Pattern.DOTALL)
            .matcher(page);
    assertThat(figure.find()).as("graph " + number).isTrue();
    return figure.group(1);
  }

  private static Set<Integer> without(List<Experiment> experiments) {
    return experiments.stream()
        .filter(Experiment::isEmpty)
        .map(Experiment::number)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void thereAreThirtyOneInOrder() throws Exception {
    assertThat(experiments(log(Line::squid, false)))
        .extracting(Experiment::number)
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 31).boxed().toList());
  }

  @Test
  void aLogWithStagesGivesAllOfThem() throws Exception {
    assertThat(without(experiments(log(Line::staged, true)))).isEmpty();
    assertThat(without(experiments(log(Line::json, true)))).isEmpty();
    String page = page(log(Line::staged, true));
    assertThat(page)
        .as("each column has a name")
        .doesNotContainPattern("<th scope=.col.>\\s*</th>");
    for (int i = 1; i <= 31; i++) {
      String figure = figure(page, i);
      assertThat(figure).doesNotContain("cannot give", "NaN", "Infinity");
      assertThat(figure).contains("<figcaption>\n<p>", "<table><caption>");
      if (i != 16) {
        assertThat(figure).contains("<title id='g" + i + "t'>", "<desc id='g" + i + "d'>");
        assertThat(figure).contains("<details><summary>Numbers of graph " + i + "</summary>");
        assertThat(figure).containsPattern("class='(curve|area c.)' d='M[0-9.]+ [0-9.]+");
      }
    }
  }

  @Test
  void squidsLogGivesTheGraphsThatNeedNoStagesAndNamesTheMissingField() throws Exception {
    String log = log(Line::squid, false);
    assertThat(without(experiments(log)))
        .containsExactly(
            9, 10, 12, 13, 14, 15, 16, 17, 18, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    String page = page(log);
    for (int number : without(experiments(log))) {
      assertThat(figure(page, number))
          .contains("This log cannot give this graph:", "the log lacks the field stages with ")
          .doesNotContain("<svg");
    }
    assertThat(figure(page, 1))
        .contains("Not shown: swap-outs: the log lacks the field stages with diskWrite (");
    assertThat(figure(page, 22)).contains("stages with proxyConnect (");
  }

  @Test
  void aStageThatNeverOccursIsNamed() throws Exception {
    String log = log(Line::staged, true).replaceAll(",?(diskWriteQueue|diskWrite):[0-9]+", "");
    assertThat(figure(page(log), 14)).contains("out: no access of the log has the stage diskWrite");
    String bare = log.replaceAll(",?diskRest:[0-9]+", "");
    assertThat(figure(page(bare), 17))
        .contains("This log cannot give this graph: no access of the log has the stages diskRest, ")
        .contains("diskWrite.</div>");
  }

  private static double[] curve(Experiment experiment, String name) {
    return experiment.curves().stream()
        .filter(curve -> curve.name().equals(name))
        .findFirst()
        .orElseThrow()
        .y();
  }

  @Test
  void classesSum() throws Exception {
    List<Experiment> all = experiments(log(Line::staged, true));
    Experiment rate = all.get(2);
    for (int i = 0; i < rate.x().length; i++) {
      assertThat(curve(rate, "hits")[i] + curve(rate, "misses")[i])
          .isCloseTo(curve(rate, "all")[i], within(1e-9));
    }
    for (int number : new int[] {9, 10}) {
      Experiment parts = all.get(number - 1);
      int whole = 0;
      for (int i = 0; i < parts.x().length; i++) {
        double sum = 0;
        for (Curve curve : parts.curves()) {
          sum += Double.isNaN(curve.y()[i]) ? 0 : curve.y()[i];
        }
        whole += sum > 0 ? 1 : 0;
        if (sum > 0) {
          assertThat(sum).isCloseTo(100, within(1e-6));
        }
      }
      assertThat(whole).isPositive();
    }
    Experiment kinds = all.get(19);
    double sum = 0;
    for (Curve curve : kinds.curves()) {
      sum += curve.name().equals("IMS, 304") ? 0 : curve.y()[0];
    }
    assertThat(sum).isCloseTo(100, within(1e-6));
    for (int number : new int[] {1, 5, 23}) {
      for (Curve curve : all.get(number - 1).curves()) {
        assertThat(curve.y()).isSorted();
        assertThat(curve.y()[curve.y().length - 1]).isEqualTo(100);
      }
    }
  }

  @Test
  void thePeakHourIsBesideTheWhole() throws Exception {
    String page = page(log(Line::staged, true));
    assertThat(page).contains("The peak hour with the most requests began at 2026-11-20 08:");
    assertThat(figure(page, 3)).contains("<rect class='peak'");
    assertThat(figure(page, 5)).contains("hits, peak hour", "class='c1 dashed'");
    assertThat(figure(page, 16)).contains("in, peak hour");
  }

  @Test
  void nothingOfALogBecomesMarkupAndNothingIsLoaded() throws Exception {
    String evil = "<script>alert(1)</script>\u0007 ' \" &\n";
    String page = page(evil + log(Line::staged, true) + evil);
    assertThat(page)
        .contains("2 of 4,002 lines are unreadable", "standard input:1: &lt;script&gt;alert(1)")
        .doesNotContain("<script", "http-equiv='refresh'", "src=", "url(", "@import");
    assertThat(page).contains("default-src 'none'");
  }

  @Test
  void aClassWithoutAccessesIsNamedOnce() throws Exception {
    String page =
        page(
            log(line -> line.squid().replace("_HIT", "_MISS"), false)
                .replace("UNMODIFIED", "MODIFIED"));
    assertThat(figure(page, 5))
        .containsOnlyOnce("Not shown: hits: the log has no such access.")
        .doesNotContain("hits, peak hour");
    assertThat(figure(page, 1)).contains("Median size: hits –, misses ");
  }

  @Test
  void aSingleLineIsEnough() throws Exception {
    String line =
        GeneratedLog.of(12, 40, 1000, true).stream()
            .filter(one -> one.tag().equals("TCP_HIT"))
            .map(Line::staged)
            .findFirst()
            .orElseThrow();
    assertThat(page(line)).doesNotContain("NaN", "Infinity").contains("</html>");
  }

  @Test
  void progressHasRateAndRemainingTime() {
    assertThat(ReadingProgress.text(2_000_000, 250, 1000, 4_000_000_000L))
        .isEqualTo(
            "[#######.......................]  25 %, 2,000,000 lines, 500,000 lines/s, 62.5 B/s,"
                + " 0:12 left");
    assertThat(ReadingProgress.text(10, 0, -1, 1_000_000_000L)).isEqualTo("10 lines, 10 lines/s");
  }
}
