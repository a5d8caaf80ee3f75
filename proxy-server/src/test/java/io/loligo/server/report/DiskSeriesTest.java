package io.loligo.server.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.loligo.server.history.HistoryRecorder;
import io.loligo.server.history.HistorySources;
import io.loligo.server.history.KeptHistory;
import io.loligo.server.metrics.Concurrency;
import io.loligo.server.metrics.DiskTimes;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.time.TimeSource;
import io.loligo.store.disk.medium.DiskWatch.DiskOperation;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The numbers of a proxy's history beside those of its log. */
class DiskSeriesTest {
  /** At the begin of an hour. */
  private static final long START = 1_700_000_000L / 3600 * 3600;

  private static final long MILLI = 1_000_000;
  private static final int HISTORY_BYTES = 4 << 20;

  @TempDir Path folder;

  private final AtomicLong passedNanos = new AtomicLong();
  private final DiskTimes disk = new DiskTimes(passedNanos::get);
  private final Aggregates counted = new Aggregates();
  private HistoryRecorder recorder;

  private final TimeSource time =
      new TimeSource() {
        @Override
        public long nanos() {
          return passedNanos.get();
        }

        @Override
        public long millis() {
          return START * 1000 + passedNanos.get() / MILLI;
        }
      };

  private Path file() {
    return folder.resolve("loligo.history");
  }

  @BeforeEach
  void begin() throws Exception {
    ProxyMetrics metrics = new ProxyMetrics(1);
    HistorySources sources = new HistorySources(metrics);
    sources.diskTimes(disk);
    sources.concurrency(new Concurrency(metrics, disk, 0));
    recorder =
        new HistoryRecorder(sources, time, UnpooledByteBufAllocator.DEFAULT, HISTORY_BYTES, file());
    recorder.start().get();
  }

  @AfterEach
  void end() {
    recorder.close();
  }

  /** Up to {@code second} after the start, all of which a sample covers. */
  private void pass(long second) {
    passedNanos.set(second * 1000 * MILLI);
    recorder.sample();
  }

  private void request(long second) {
    LoggedAccess access = new LoggedAccess();
    access.clear();
    access.endMicros = (START + second) * 1_000_000;
    access.micros = 1000;
    access.kind = AccessKind.MISS;
    access.status = 200;
    access.bytes = 5000;
    counted.add(access);
  }

  private ReportNumbers report(long nowSecond) throws Exception {
    counted.finish();
    assertThat(recorder.saveNow().get()).isTrue();
    DiskSeries.add(new KeptHistory(file()), START + nowSecond, counted);
    return new ReportNumbers(counted, ZoneOffset.UTC);
  }

  @Test
  void timesSamplesAndNumbersOfTheLogsTimeAreTaken() throws Exception {
    disk.stored(1000, 40 * MILLI, 0, 0); // before the log begins
    pass(60);
    disk.stored(5000, 4 * MILLI, 0, 0);
    disk.stored(12_000, 6 * MILLI, 0, 0);
    disk.stored(100_000, 9 * MILLI, 1, 2 * MILLI);
    disk.began(DiskOperation.WRITE);
    pass(75);
    disk.ended(DiskOperation.WRITE, 15_000 * MILLI, 1);
    pass(120);
    disk.stored(1000, 50 * MILLI, 0, 0); // after its end
    pass(180);
    request(60);
    request(119);
    ReportNumbers numbers = report(180);
    TimeGroup whole = numbers.whole();
    assertThat(counted.groups.count()).isEqualTo(1);
    assertThat(whole.get(Amount.SWAP_OUTS)).isEqualTo(3);
    assertThat(whole.get(Amount.KNOWN_OUTS)).isEqualTo(3);
    assertThat(whole.get(Amount.ATOMIC_OUTS)).isEqualTo(2);
    assertThat(whole.get(Measure.DISK_OUT).median()).isCloseTo(6000, within(250.0));
    assertThat(whole.get(Measure.ONE_BLOCK_OUT).median()).isCloseTo(4000, within(160.0));
    assertThat(whole.get(Measure.TWO_BLOCKS_OUT).median()).isCloseTo(6000, within(250.0));
    assertThat(whole.get(Measure.SECOND_OUT).median()).isCloseTo(2000, within(80.0));
    Histogram writing = whole.get(Measure.SWAPPING_OUT);
    assertThat(writing.count()).isEqualTo(30_000);
    assertThat(writing.count() - writing.countTo(0)).isEqualTo(7500);
    assertThat(whole.get(Measure.SWAPPING_ALL).count()).isEqualTo(30_000);
    assertThat(whole.get(Measure.SWAPPING_IN).quantile(1)).isZero();
    assertThat(numbers.swapOutRates()).containsExactly(3 / 60.0);
    assertThat(counted.isDiskSampled()).isTrue();
  }

  @Test
  void aLogOfLongAgoHasGroupsOfTheLongSlotsOfTheHistory() throws Exception {
    disk.stored(5000, 4 * MILLI, 0, 0);
    pass(1);
    request(0);
    request(60);
    pass(2 * 86_400);
    ReportNumbers numbers = report(2 * 86_400);
    assertThat(numbers.unitMicros()).isEqualTo(20 * TimeGroups.MINUTE_MICROS);
    assertThat(numbers.whole().get(Amount.SWAP_OUTS)).isEqualTo(1);
  }

  @Test
  void disksWithoutWorkAreNotShownAsIdle() throws Exception {
    request(0);
    pass(2);
    request(2);
    report(2);
    assertThat(counted.isDiskSampled()).isFalse();
  }
}
