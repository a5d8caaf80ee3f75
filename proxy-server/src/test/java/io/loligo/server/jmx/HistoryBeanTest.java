package io.loligo.server.jmx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.admin.HistoryJson;
import io.loligo.server.admin.RecordingOperations;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.history.History;
import io.loligo.server.history.HistoryRecorder;
import io.loligo.server.history.HistorySources;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.metrics.SampleStore;
import io.loligo.server.time.TimeSource;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The history as open types, beside its page. */
@Timeout(120)
class HistoryBeanTest {
  private static final String[] TYPES = {String.class.getName(), String.class.getName(), "int"};

  private final AtomicLong passedMillis = new AtomicLong();
  private final AtomicLong counted = new AtomicLong();
  private final AtomicReference<History> kept = new AtomicReference<>();
  private final MBeanServer server = MBeanServerFactory.newMBeanServer();

  private static final class NoOperations extends RecordingOperations {
    NoOperations() {
      super(new ArrayList<>());
    }

    @Override
    protected Reloaded reloaded() {
      return Reloaded.done(List.of(), List.of());
    }

    @Override
    public CompletableFuture<Purged> purge(Purge what) {
      return new CompletableFuture<>();
    }

    @Override
    public List<Ban> bans() {
      return List.of();
    }
  }

  private final class ByHand implements TimeSource {
    @Override
    public long nanos() {
      return TimeUnit.MILLISECONDS.toNanos(passedMillis.get());
    }

    @Override
    public long millis() {
      return 1_700_000_000_000L + passedMillis.get();
    }
  }

  private Object read(String range, String series, int stepSeconds) throws Exception {
    return server.invoke(
        new ObjectName("io.loligo:type=History"),
        "read",
        new Object[] {range, series, stepSeconds},
        TYPES);
  }

  private static String json(Object column) {
    return Arrays.stream((double[]) column)
        .mapToObj(v -> Double.isNaN(v) ? "null" : v == Math.rint(v) ? (long) v + "" : v + "")
        .collect(Collectors.joining(",", "[", "]"));
  }

  @Test
  void hasTheNumbersOfThePage() throws Exception {
    HistorySources sources = new HistorySources(new ProxyMetrics(1));
    sources.counter("counted", counted::get);
    sources.gauge("level", counted::get);
    HistoryRecorder recorder =
        new HistoryRecorder(sources, new ByHand(), UnpooledByteBufAllocator.DEFAULT, 2 << 20, null);
    try (recorder;
        ManagementBeans beans =
            new ManagementBeans(
                server,
                new ProxyMetrics(1),
                SampleStore::stats,
                () -> List.of(),
                new NoOperations())) {
      beans.history(kept::get);
      assertThatThrownBy(() -> read("5m", "", 0)).hasStackTraceContaining("loligo_history");
      recorder.start().get(60, TimeUnit.SECONDS);
      kept.set(recorder.history());
      for (int second : new int[] {1000, 1000, 3000}) {
        counted.addAndGet(7);
        passedMillis.addAndGet(second);
        recorder.sample();
      }
      CompositeData table = (CompositeData) read("5m", "counted,level", 0);
      assertThat(table.get("range")).isEqualTo("5m");
      assertThat(table.get("stepSeconds")).isEqualTo(1L);
      assertThat(table.get("sinceSeconds")).isEqualTo(1_700_000_000L);
      TabularData columns = (TabularData) table.get("columns");
      String page =
          HistoryJson.page(kept::get, Runnable::run)
              .answer(Map.of("series", List.of("counted,level")))
              .get()
              .body();
      assertThat(columns.keySet()).hasSize(3);
      for (String name : List.of("counted", "level.mean", "level.max")) {
        Object column = columns.get(new Object[] {name}).get("value");
        assertThat((double[]) column).contains(Double.NaN);
        assertThat(page).contains("\"" + name + "\":" + json(column));
      }
      String times = Arrays.toString((long[]) table.get("times")).replace(" ", "");
      String covered = Arrays.toString((long[]) table.get("coveredMillis")).replace(" ", "");
      assertThat(page).contains("\"times\":" + times, "\"covered\":" + covered);
      assertThatThrownBy(() -> read("5m", "none", 0)).hasStackTraceContaining("series: expected");
      assertThatThrownBy(() -> read("5m", "", 7)).hasStackTraceContaining("step: expected");
    }
  }
}
