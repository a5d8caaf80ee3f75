package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.accesslog.LogSettings;
import io.loligo.server.admin.AdminPages;
import io.loligo.server.admin.AdminReply;
import io.loligo.server.admin.LintJson;
import io.loligo.server.admin.TrafficJson;
import io.loligo.server.metrics.CertificateExpiry;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.origins.OriginLint;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.time.TimeSource;
import io.loligo.server.traffic.TrafficTables;
import io.loligo.server.traffic.TrafficView;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The tables of clients and origins, the findings about origins, and their pages. Thread-safe. */
final class Watching implements Part {
  private static final long IDLE_SECONDS = 5;

  /** Merges the tables of the loops; its thread ends when it is idle. */
  private final ThreadPoolExecutor merging =
      new ThreadPoolExecutor(
          0,
          1,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          new DefaultThreadFactory("loligo-tables", true));

  private final ProxyMetrics metrics;
  private final Supplier<List<CertificateExpiry>> certificates;
  private final TrafficTables traffic;
  private final OriginLint lint;

  /**
   * Empty tables.
   *
   * @param group the event loops
   * @param config says how clients and URLs are shown
   * @param certificates gives those in force
   */
  Watching(
      EventLoopGroup group,
      ProxyConfig config,
      ProxyMetrics metrics,
      Supplier<List<CertificateExpiry>> certificates,
      TimeSource time) {
    this.metrics = metrics;
    this.certificates = certificates;
    List<EventExecutor> loops = new ArrayList<>();
    group.forEach(loops::add);
    long secret = new SecureRandom().nextLong();
    traffic = new TrafficTables(loops, merging, time::millis, secret);
    traffic.show(view(config));
    lint = new OriginLint(loops, merging, time::millis, secret);
  }

  /** How {@code config} shows clients and URLs. */
  static TrafficView view(ProxyConfig config) {
    LogSettings log = new LogSettings(config);
    return new TrafficView(log::shown, log.stripsQueries());
  }

  /** Takes the finished exchanges of loop {@code number} for the tables of clients and origins. */
  ExchangeSink traffic(int number) {
    return traffic.loop(number);
  }

  /** Takes the finished exchanges and fetches of loop {@code number} for findings about origins. */
  ExchangeSink findings(int number) {
    return lint.loop(number);
  }

  /** The tables of clients and origins. */
  TrafficTables traffic() {
    return traffic;
  }

  @Override
  public void reconfigured(ProxyConfig before, ProxyConfig now) {
    traffic.show(view(now));
  }

  @Override
  public void showPages(AdminPages pages) {
    pages.add("/traffic", parameters -> trafficPage());
    pages.add("/lint", parameters -> lintPage());
  }

  private CompletableFuture<AdminReply> trafficPage() {
    return traffic
        .snapshot()
        .thenApply(
            shown -> AdminReply.json(200, TrafficJson.of(shown, metrics, certificates.get())))
        .exceptionally(failure -> AdminReply.text(503, "the proxy stops"));
  }

  private CompletableFuture<AdminReply> lintPage() {
    return lint.report()
        .thenApply(report -> AdminReply.json(200, LintJson.of(report)))
        .exceptionally(failure -> AdminReply.text(503, "the proxy stops"));
  }

  @Override
  public void close() {
    merging.shutdown();
  }
}
