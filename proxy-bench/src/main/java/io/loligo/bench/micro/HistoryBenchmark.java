package io.loligo.bench.micro;

import io.loligo.server.admin.AdminPage;
import io.loligo.server.admin.AdminReply;
import io.loligo.server.admin.HistoryJson;
import io.loligo.server.history.HistoryRecorder;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.LoopMetrics;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Stage;
import io.loligo.server.time.TimeSource;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What does the history cost: a sample, which its thread takes each second, and {@code
 * /history?range=30d} with all series and with those of one graph, for which the admin port decodes
 * 4,320 records? Each slot has exchanges of all classes on two loops.
 *
 * <pre>
 * java -jar proxy-bench/target/benchmarks.jar HistoryBenchmark -prof gc
 * </pre>
 */
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class HistoryBenchmark extends AbstractBenchmark {
  private static final int HISTORY_BYTES = 32 << 20;
  private static final int SLOTS = 4_320;
  private static final long SLOT_MILLIS = 600_000;
  private static final int EXCHANGES_IN_SLOT = 400;
  private static final HitClass[] CLASSES = HitClass.values();
  private static final Stage[] STAGES = Stage.values();

  private static final Map<String, List<String>> ALL = Map.of("range", List.of("30d"));
  private static final Map<String, List<String>> ONE_GRAPH =
      Map.of("range", List.of("30d"), "series", List.of("exchanges.*,time.miss"));

  private final Random random = new Random(11);
  private final ProxyMetrics metrics = new ProxyMetrics(2);
  private final ExchangeRecord record = new ExchangeRecord();
  private long passedMillis;
  private HistoryRecorder recorder;
  private AdminPage page;

  /** Fills thirty days. */
  @Setup(Level.Trial)
  public void fill() throws Exception {
    TimeSource hand =
        new TimeSource() {
          @Override
          public long nanos() {
            return TimeUnit.MILLISECONDS.toNanos(passedMillis);
          }

          @Override
          public long millis() {
            return 1_700_000_000_000L + passedMillis;
          }
        };
    HistorySources sources = new HistorySources(metrics);
    recorder =
        new HistoryRecorder(sources, hand, PooledByteBufAllocator.DEFAULT, HISTORY_BYTES, null);
    recorder.start().get();
    page = HistoryJson.page(recorder::history, Runnable::run);
    for (int i = 0; i < SLOTS; i++) {
      exchanges();
      passedMillis += SLOT_MILLIS;
      recorder.sample();
    }
  }

  private void exchanges() {
    for (int i = 0; i < EXCHANGES_IN_SLOT; i++) {
      LoopMetrics loop = metrics.loop(i & 1);
      record.clear();
      record.hitClass = CLASSES[random.nextInt(CLASSES.length)];
      record.tag = LogTag.TCP_MISS;
      record.status = 200;
      record.clientBytesIn = 300;
      record.clientBytesOut = random.nextInt(100_000);
      for (Stage stage : STAGES) {
        record.stage(stage, (long) Math.exp(8 + random.nextGaussian() * 2));
      }
      loop.finished(record);
    }
  }

  @TearDown(Level.Trial)
  public void close() {
    recorder.close();
  }

  /** A second without exchanges: every cell is read all the same. */
  @Benchmark
  public long sample() {
    passedMillis += 1_000;
    return recorder.sample();
  }

  @Benchmark
  public AdminReply thirtyDays() {
    return page.answer(ALL).join();
  }

  @Benchmark
  public AdminReply thirtyDaysOfOneGraph() {
    return page.answer(ONE_GRAPH).join();
  }
}
