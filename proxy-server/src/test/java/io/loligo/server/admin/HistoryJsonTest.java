package io.loligo.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.history.HistoryRecorder;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.time.TimeSource;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class HistoryJsonTest {
  private static final long START = 1_700_000_000;

  private final AtomicLong counted = new AtomicLong();
  private final AtomicLong level = new AtomicLong();
  private final AtomicLong many = new AtomicLong();
  private final AtomicLong passedMillis = new AtomicLong();
  private HistoryRecorder recorder;

  @BeforeEach
  void start() throws Exception {
    HistorySources sources = new HistorySources(new ProxyMetrics(1));
    sources.counter("counted", counted::get);
    sources.gauge("level", level::get);
    for (int i = 0; i < 46; i++) {
      sources.gauge("many." + i, many::get);
    }
    TimeSource hand =
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
    recorder = new HistoryRecorder(sources, hand, UnpooledByteBufAllocator.DEFAULT, 2 << 20, null);
    recorder.start().get(60, TimeUnit.SECONDS);
  }

  @AfterEach
  void stop() {
    recorder.close();
  }

  /** The thread may take a sample of the same second too: the point has both. */
  private void pass(long millis, long more, long newLevel) {
    counted.addAndGet(more);
    level.set(newLevel);
    passedMillis.addAndGet(millis);
    recorder.sample();
  }

  private String json(Map<String, List<String>> parameters) {
    AdminReply reply = HistoryJson.answer(recorder.history(), parameters);
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    return reply.body();
  }

  @Test
  void aGapIsNull() {
    pass(1000, 5, 3);
    pass(3000, 7, 3);
    assertThat(json(Map.of("series", List.of("counted,level"))))
        .isEqualTo(
            "{\"range\":\"5m\",\"step\":1,\"since\":1700000000,"
                + "\"times\":[1700000000,1700000001,1700000002,1700000003],"
                + "\"covered\":[1000,0,0,3000],"
                + "\"series\":{\"counted\":[5,null,null,7],"
                + "\"level.mean\":[3,null,null,3],\"level.max\":[3,null,null,3]}}\n");
  }

  @Test
  void pointsOfALongerStepAreSums() {
    pass(1000, 5, 3);
    pass(1000, 7, 3);
    String json =
        json(Map.of("range", List.of("1h"), "step", List.of("60"), "series", List.of("counted")));
    assertThat(json).contains("\"step\":60,", "\"series\":{\"counted\":[12]}");
  }

  @Test
  void aColumnThatIsUsedLateHasZerosBefore() {
    pass(1000, 0, 0);
    pass(3000, 0, 0);
    pass(1000, 5, 0);
    assertThat(json(Map.of())).contains("\"counted\":[0,null,null,0,5]").doesNotContain("level");
  }

  /** 4,320 points of 93 columns are too many numbers; columns without a number are none. */
  @Test
  void onlyColumnsWithNumbersCountWithoutNames() {
    Map<String, List<String>> all = Map.of("range", List.of("30d"), "step", List.of("600"));
    pass(1000, 5, 0);
    assertThat(json(all)).contains("\"counted\":[5]");
    many.set(1);
    pass(1000, 5, 0);
    AdminReply reply = HistoryJson.answer(recorder.history(), all);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).contains("too many numbers");
  }

  @Test
  void withoutNamesColumnsOfZerosAreLeftOut() {
    pass(1000, 5, 0);
    assertThat(json(Map.of())).contains("\"counted\":[5]").doesNotContain("level", "exchanges");
  }
}
