package io.loligo.server.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.CapturedLog;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.time.TimeSource;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class HistoryRecorderTest {
  private static final int BYTES = 2 << 20;
  private static final long START = 1_700_000_000;

  @TempDir Path folder;

  private final AtomicLong counted = new AtomicLong(1000);
  private final AtomicLong level = new AtomicLong();
  private final AtomicLong passedMillis = new AtomicLong();
  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

  private final TimeSource hand =
      new TimeSource() {
        @Override
        public long nanos() {
          return passedMillis.get() * 1_000_000;
        }

        @Override
        public long millis() {
          return START * 1000 + passedMillis.get();
        }
      };

  private HistoryRecorder recorder(TimeSource time, @Nullable Path file) {
    HistorySources sources = new HistorySources(new ProxyMetrics(1));
    sources.counter("counted", counted::get);
    sources.gauge("level", level::get);
    return new HistoryRecorder(sources, time, allocator, BYTES, file);
  }

  private Path file() {
    return folder.resolve("loligo.history");
  }

  private static List<String> points(HistoryRecorder recorder) {
    History history = recorder.history();
    List<String> points = new ArrayList<>();
    history.read(
        HistoryRange.FIVE_MINUTES,
        1,
        point ->
            points.add(
                point.startSeconds()
                    - START
                    + ": "
                    + point.sum(history.series("counted"))
                    + " in "
                    + point.coveredMillis()));
    return points;
  }

  private void pass(HistoryRecorder recorder, long millis, long more) {
    passedMillis.addAndGet(millis);
    counted.addAndGet(more);
    recorder.sample();
  }

  @Test
  void aSampleHasWhatWasCountedInTheSecondThatIsOver() {
    try (HistoryRecorder recorder = recorder(hand, null)) {
      recorder.begin();
      pass(recorder, 1000, 5);
      pass(recorder, 1000, 0);
      pass(recorder, 1000, 7);
      assertThat(points(recorder)).containsExactly("0: 5 in 1000", "1: 0 in 1000", "2: 7 in 1000");
    }
  }

  @Test
  void aLateSampleCoversMoreThanASecondAndMissedSecondsAreAGap() {
    try (HistoryRecorder recorder = recorder(hand, null)) {
      recorder.begin();
      pass(recorder, 1000, 5);
      pass(recorder, 3900, 30);
      pass(recorder, 100, 1);
      assertThat(points(recorder))
          .containsExactly(
              "0: 5 in 1000", "1: 0 in 0", "2: 0 in 0", "3: 30 in 3900", "4: 1 in 100");
    }
  }

  @Test
  void gaugesHaveMeanAndMaximum() {
    try (HistoryRecorder recorder = recorder(hand, null)) {
      recorder.begin();
      for (long value : new long[] {4, 9, -1}) {
        level.set(value);
        pass(recorder, 1000, 0);
      }
      Interval all = recorder.history().last(300);
      Series series = recorder.history().series("level");
      assertThat(all.mean(series)).isEqualTo(13 / 3.0);
      assertThat(all.maximum(series)).isEqualTo(9);
    }
  }

  @Test
  void aRestartKeepsWhatWasBeforeAndCountsFromItsOwnBeginning() {
    try (HistoryRecorder first = recorder(hand, file())) {
      first.begin();
      pass(first, 1000, 5);
      // the last sample is that of the end
      passedMillis.addAndGet(500);
      counted.addAndGet(2);
    }
    passedMillis.addAndGet(1500);
    counted.set(3);
    try (HistoryRecorder second = recorder(hand, file())) {
      second.begin();
      pass(second, 1000, 6);
      assertThat(points(second))
          .containsExactly("0: 7 in 1500", "1: 0 in 0", "2: 0 in 0", "3: 6 in 1000");
    }
  }

  @Test
  void theFileIsWrittenAtOnceWhenAsked() throws Exception {
    try (HistoryRecorder recorder = recorder(hand, file())) {
      recorder.begin();
      pass(recorder, 1000, 5);
      counted.addAndGet(2);
      passedMillis.addAndGet(500);
      assertThat(recorder.saveNow().get()).isTrue();
      KeptHistory kept = new KeptHistory(file());
      Series series = kept.counter("counted");
      List<Long> sums = new ArrayList<>();
      kept.read(HistoryRange.DAY, START + 2, slot -> sums.add(slot.sum(series)));
      assertThat(sums).containsExactly(7L);
    }
    HistoryRecorder ended = recorder(hand, file());
    ended.begin();
    ended.close();
    assertThat(ended.saveNow().get()).isFalse();
    try (HistoryRecorder without = recorder(hand, null)) {
      without.begin();
      assertThat(without.saveNow().get()).isFalse();
    }
  }

  @Test
  void aFileGivenAwayHasEverythingAndIsNotWrittenAgain() throws Exception {
    HistoryRecorder recorder = recorder(hand, file());
    recorder.begin();
    pass(recorder, 1000, 5);
    recorder.giveFileAway();
    byte[] given = Files.readAllBytes(file());
    assertThat(given).isNotEmpty();
    pass(recorder, 1000, 7);
    recorder.close();
    assertThat(Files.readAllBytes(file())).isEqualTo(given);
  }

  @Test
  void aClockSetBackBetweenTwoRunsMixesNothing() {
    try (HistoryRecorder first = recorder(hand, file())) {
      first.begin();
      pass(first, 10_000, 5);
    }
    passedMillis.set(5_000);
    try (HistoryRecorder second = recorder(hand, file())) {
      second.begin();
      pass(second, 1000, 6);
      // the second of the end of the first run comes directly before
      assertThat(points(second)).containsExactly("4: 5 in 10000", "5: 6 in 1000");
    }
  }

  @Test
  void aDamagedFileIsPutAsideWithALineInTheLog() throws IOException {
    Files.writeString(file(), "somebody else's text");
    try (CapturedLog log = new CapturedLog(HistoryRecorder.class);
        HistoryRecorder recorder = recorder(hand, file())) {
      recorder.begin();
      assertThat(log.lines())
          .singleElement()
          .asString()
          .contains("loligo.history: not a whole history", "moved to", ".damaged");
      pass(recorder, 1000, 5);
    }
    assertThat(folder.resolve("loligo.history.damaged")).hasContent("somebody else's text");
    assertThat(file()).as("the new one").isNotEmptyFile();
  }

  @Test
  void aFileThatAnotherProcessWritesIsLeftToIt() throws Exception {
    try (CapturedLog log = new CapturedLog(HistoryRecorder.class);
        HistoryRecorder first = recorder(hand, file());
        HistoryRecorder second = recorder(hand, file())) {
      first.begin();
      pass(first, 1000, 5);
      assertThat(first.saveNow().get()).isTrue();
      assertThat(first.saveNow().get()).as("its own file").isTrue();
      second.begin();
      pass(second, 1000, 7);
      assertThat(second.saveNow().get()).isTrue();
      byte[] ofSecond = Files.readAllBytes(file());
      assertThat(log.lines()).isEmpty();
      assertThat(first.saveNow().get()).isFalse();
      assertThat(first.saveNow().get()).isFalse();
      assertThat(Files.readAllBytes(file())).isEqualTo(ofSecond);
      assertThat(log.lines())
          .singleElement()
          .asString()
          .contains("another process writes this file", "next: give each process a file");
    }
  }

  @Test
  void aFileThatCannotBeReadIsLeftAlone() throws IOException {
    Files.createDirectories(file().resolve("full"));
    try (CapturedLog log = new CapturedLog(HistoryRecorder.class);
        HistoryRecorder recorder = recorder(hand, file())) {
      recorder.begin();
      pass(recorder, 1000, 5);
      assertThat(points(recorder)).hasSize(1);
      assertThat(log.lines()).singleElement().asString().contains("loligo.history");
    }
    assertThat(file().resolve("full")).exists();
  }

  @Test
  void aFolderThatIsGoneIsReportedAndTheHistoryGoesOn() {
    Path gone = folder.resolve("gone").resolve("loligo.history");
    try (CapturedLog log = new CapturedLog(HistoryRecorder.class)) {
      try (HistoryRecorder recorder = recorder(hand, gone)) {
        recorder.begin();
        pass(recorder, 1000, 5);
        assertThat(points(recorder)).hasSize(1);
      }
      assertThat(log.lines()).singleElement().asString().contains("the history cannot be written");
    }
  }

  @Test
  void aSampleThatFailsIsLeftOut() {
    HistorySources sources = new HistorySources(new ProxyMetrics(1));
    AtomicLong failing = new AtomicLong();
    sources.gauge("level", () -> 100 / failing.get());
    failing.set(1);
    try (CapturedLog log = new CapturedLog(HistoryRecorder.class);
        HistoryRecorder recorder = new HistoryRecorder(sources, hand, allocator, BYTES, null)) {
      recorder.begin();
      failing.set(0);
      pass(recorder, 1000, 0);
      failing.set(1);
      pass(recorder, 1000, 0);
      assertThat(log.lines()).hasSize(1);
      assertThat(recorder.history().last(300).samples()).isEqualTo(1);
    }
  }

  /** By a clock on which a second passes whenever somebody looks, the thread never waits. */
  @Test
  void theThreadTakesASampleInEachSecondAndWritesTheFile() throws Exception {
    AtomicLong looks = new AtomicLong();
    CountDownLatch samples = new CountDownLatch(5);
    TimeSource hurried =
        new TimeSource() {
          @Override
          public long nanos() {
            return looks.incrementAndGet() * 1_000_000_000L;
          }

          @Override
          public long millis() {
            return START * 1000 + looks.get() * 1000;
          }
        };
    HistorySources sources = new HistorySources(new ProxyMetrics(1));
    sources.gauge(
        "level",
        () -> {
          samples.countDown();
          return 1;
        });
    HistoryRecorder recorder = new HistoryRecorder(sources, hurried, allocator, BYTES, file());
    recorder.start().get(60, TimeUnit.SECONDS);
    assertThat(samples.await(60, TimeUnit.SECONDS)).isTrue();
    recorder.close();
    assertThat(file()).isNotEmptyFile();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }
}
