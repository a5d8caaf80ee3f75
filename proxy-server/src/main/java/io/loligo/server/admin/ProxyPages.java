package io.loligo.server.admin;

import io.loligo.server.explain.Question;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.store.disk.DiskStats;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The pages that belong to the proxy as a whole. Thread-safe. */
public final class ProxyPages {
  private final Operations operations;

  private ProxyPages(Operations operations) {
    this.operations = operations;
  }

  /**
   * Adds them.
   *
   * @param metricsText gives Prometheus text
   * @param openMetricsText gives OpenMetrics text
   * @param configJson gives the configuration in force, secrets replaced
   * @param disks gives state and numbers of each cache_dir
   */
  public static void addTo(
      AdminPages pages,
      Operations operations,
      ProxyMetrics metrics,
      Supplier<String> metricsText,
      Supplier<String> openMetricsText,
      Supplier<String> configJson,
      Supplier<List<DiskStats>> disks) {
    ProxyPages shown = new ProxyPages(operations);
    pages.addNow("/metrics", parameters -> AdminReply.metrics(metricsText.get()));
    pages.addNow(
        AdminRoutes.OPEN_METRICS, parameters -> AdminReply.openMetrics(openMetricsText.get()));
    pages.addNow("/health/live", parameters -> AdminReply.text(200, "live"));
    pages.addNow("/health/ready", parameters -> shown.readiness());
    pages.addJson("/config", configJson);
    pages.addJson("/disk", () -> DiskJson.of(disks.get()));
    pages.addJson("/misses", () -> MissesJson.of(metrics.originMisses()));
    pages.addJson("/bans", () -> BanJson.of(operations.bans()));
    pages.add("/explain", shown::explain);
  }

  private AdminReply readiness() {
    return operations.ready()
        ? AdminReply.text(200, "ready")
        : AdminReply.text(503, "not ready: " + operations.notReadyReason());
  }

  private CompletableFuture<AdminReply> explain(Map<String, List<String>> parameters) {
    String url = single(parameters, "url");
    if (url == null) {
      return CompletableFuture.completedFuture(
          AdminReply.text(
              400,
              "parameter url is required once; header=Name:%20value is allowed any number of times;"
                  + " method, content, client, port and format=json are allowed once"));
    }
    Question question =
        new Question(
            url,
            single(parameters, "method", "GET"),
            parameters.getOrDefault("header", List.of()),
            single(parameters, "content", ""),
            single(parameters, "client"),
            single(parameters, "port"));
    boolean json = "json".equals(single(parameters, "format", "text"));
    return operations
        .explain(question)
        .thenApply(
            explanation ->
                json
                    ? AdminReply.json(200, ExplainJson.of(explanation))
                    : AdminReply.text(200, ExplainText.of(explanation)))
        .exceptionally(busy -> AdminReply.text(503, "too busy to explain; try again"));
  }

  private static String single(Map<String, List<String>> parameters, String name, String without) {
    String value = single(parameters, name);
    return value == null ? without : value;
  }

  /** The value of a parameter that is given once; null: it is not, or empty. */
  private static @Nullable String single(Map<String, List<String>> parameters, String name) {
    List<String> values = parameters.getOrDefault(name, List.of());
    return values.size() == 1 && !values.get(0).isEmpty() ? values.get(0) : null;
  }
}
