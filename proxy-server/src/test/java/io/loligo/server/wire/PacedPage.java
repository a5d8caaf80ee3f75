package io.loligo.server.wire;

import io.loligo.core.acl.AclList;
import io.loligo.server.admin.AdminPages;
import io.loligo.server.admin.AdminReply;
import io.loligo.server.admin.AdminServer;
import io.loligo.server.admin.AdminTerms;
import io.loligo.server.admin.AdminTls;
import io.loligo.server.admin.HistoryJson;
import io.loligo.server.admin.LivePage;
import io.loligo.server.admin.ProxyPages;
import io.loligo.server.admin.RecordingOperations;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.admin.TrafficJson;
import io.loligo.server.history.HistoryRecorder;
import io.loligo.server.history.HistorySources;
import io.loligo.server.history.PresentNumbers;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.record.Stage;
import io.loligo.server.time.TimeSource;
import io.loligo.server.traffic.TrafficTables;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The live page of a proxy with a given number of requests in each virtual second: each state of
 * the page is a second later than the one before, with that many finished exchanges more in the
 * counters, the history and the tables. Its admin loop stands for an event loop.
 */
final class PacedPage implements AutoCloseable {
  /** Bytes to the client of each exchange. */
  static final int BYTES = 5_000;

  /** One of so many is a miss, the others are memory hits. */
  static final int MISS_OF = 4;

  private static final long HIT_NANOS = 150_000;
  private static final long MISS_NANOS = 90_000_000;
  private static final int HISTORY_BYTES = 2 << 20;
  private static final long START_MILLIS = 1_800_000_000_000L;

  private final int requestsPerSecond;
  private final AtomicLong seconds = new AtomicLong();
  private final ProxyMetrics metrics = new ProxyMetrics(1);
  private final ExchangeRecord hit = exchange(HitClass.MEMORY_HIT, LogTag.TCP_MEM_HIT, HIT_NANOS);
  private final ExchangeRecord miss = exchange(HitClass.MISS, LogTag.TCP_MISS, MISS_NANOS);
  private final TrafficTables tables;
  private final HistoryRecorder recorder;
  private final AdminServer server;

  private final TimeSource time =
      new TimeSource() {
        @Override
        public long nanos() {
          return seconds.get() * 1_000_000_000;
        }

        @Override
        public long millis() {
          return START_MILLIS + seconds.get() * 1000;
        }
      };

  private static final class Quiet extends RecordingOperations {
    Quiet() {
      super(new ArrayList<>());
    }

    @Override
    public CompletableFuture<Purged> purge(Purge what) {
      return CompletableFuture.completedFuture(new Purged(Purged.Outcome.DONE, 0, 0));
    }

    @Override
    public List<Ban> bans() {
      return List.of();
    }

    @Override
    protected Reloaded reloaded() {
      return Reloaded.done(List.of(), List.of());
    }
  }

  /** Serves the page. */
  PacedPage(int requestsPerSecond) throws Exception {
    this.requestsPerSecond = requestsPerSecond;
    tables = new TrafficTables(List.of(Runnable::run), Runnable::run, time::millis, 7);
    HistorySources sources = new HistorySources(metrics);
    recorder =
        new HistoryRecorder(sources, time, UnpooledByteBufAllocator.DEFAULT, HISTORY_BYTES, null);
    recorder.start().get();
    AdminPages pages = new AdminPages();
    Quiet operations = new Quiet();
    ProxyPages.addTo(pages, operations, metrics, () -> "", () -> "", () -> "[]", () -> List.of());
    pages.add("/history", HistoryJson.page(recorder::history, Runnable::run));
    pages.add(
        "/traffic",
        parameters ->
            tables
                .snapshot()
                .thenApply(
                    shown -> AdminReply.json(200, TrafficJson.of(shown, metrics, List.of()))));
    LivePage.addTo(
        pages,
        operations,
        metrics,
        () -> new PresentNumbers(new HistorySources(metrics)),
        recorder::history,
        () -> List.of(),
        "test",
        this::nextSecond);
    server =
        AdminServer.start(
            HttpPort.at("127.0.0.1", 0).build(),
            new AdminTerms(null, Set.of(), AclList.allowAll()),
            new AdminTls(),
            operations,
            pages);
  }

  private static ExchangeRecord exchange(HitClass hitClass, LogTag tag, long nanos) {
    ExchangeRecord record = SampleRecord.of("GET http://origin.test/ HTTP/1.1", "Host: x");
    record.hitClass = hitClass;
    record.tag = tag;
    record.clientBytesOut = BYTES;
    record.stage(Stage.PROXY_REPLY, nanos);
    record.stage(Stage.TOTAL, nanos);
    return record;
  }

  /** The requests of a second finish. On the admin loop. */
  private long nextSecond() {
    seconds.incrementAndGet();
    ExchangeSink table = tables.loop(0);
    for (int i = 0; i < requestsPerSecond; i++) {
      ExchangeRecord record = i % MISS_OF == 0 ? miss : hit;
      record.endMillis = time.millis();
      metrics.loop(0).finished(record);
      table.finished(record);
    }
    recorder.sample();
    return time.millis();
  }

  int port() {
    return server.address().getPort();
  }

  @Override
  public void close() throws IOException {
    server.close();
    recorder.close();
  }
}
