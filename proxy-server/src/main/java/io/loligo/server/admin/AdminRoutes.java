package io.loligo.server.admin;

import io.loligo.server.explain.Question;
import io.loligo.server.history.History;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.purge.Purged;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The responses to the paths of the admin port. Confined to the admin server's event loop. */
final class AdminRoutes {
  private static final Logger AUDIT = LoggerFactory.getLogger("io.loligo.audit");
  private static final Set<String> PAGES =
      Set.of(
          "/", "/metrics", "/health/live", "/health/ready", "/config", "/disk", "/misses", "/bans");
  private static final Set<String> CHANGES = Set.of("/purge", "/reload", "/rotate", "/drain");

  private final AdminAccess access;
  private final SecretAttempts attempts;
  private final AtomicLong refusals = new AtomicLong();
  private final Operations operations;
  private final Supplier<String> metrics;
  private final Supplier<String> configJson;
  private final Supplier<List<DiskStats>> disks;
  private final Supplier<Map<String, Map<String, Long>>> misses;
  private final IndexPage index;
  private volatile @Nullable History history;

  AdminRoutes(
      AdminAccess access,
      SecretAttempts attempts,
      Operations operations,
      Supplier<String> metrics,
      Supplier<String> configJson,
      Supplier<List<DiskStats>> disks,
      Supplier<Map<String, Map<String, Long>>> misses,
      IndexPage index) {
    this.access = access;
    this.attempts = attempts;
    this.operations = operations;
    this.metrics = metrics;
    this.configJson = configJson;
    this.disks = disks;
    this.misses = misses;
    this.index = index;
  }

  /** Shows this history from now on. Any thread. */
  void show(History shown) {
    history = shown;
  }

  /**
   * Answers a request whose Host and Origin were checked.
   *
   * @param authorization value of Authorization, or null
   * @param client for the audit log
   * @return completes on any thread
   */
  CompletableFuture<AdminReply> answer(
      String method, String uri, @Nullable String authorization, String client) {
    QueryStringDecoder query = decoded(uri);
    if (query == null) {
      return CompletableFuture.completedFuture(AdminReply.text(400, "wrongly percent-encoded"));
    }
    String path = query.path();
    if (path.equals("/purge") && method.equals("POST")) {
      AdminReply refusal = refusal(path, authorization, client);
      return refusal == null ? purge(query, client) : CompletableFuture.completedFuture(refusal);
    }
    if (path.equals("/reload") && method.equals("POST")) {
      AdminReply refusal = refusal(path, authorization, client);
      return refusal == null ? reload(client) : CompletableFuture.completedFuture(refusal);
    }
    if (path.equals("/explain") && (method.equals("GET") || method.equals("HEAD"))) {
      return explain(query);
    }
    if (path.equals("/history") && (method.equals("GET") || method.equals("HEAD"))) {
      return CompletableFuture.completedFuture(HistoryJson.answer(history, query.parameters()));
    }
    return CompletableFuture.completedFuture(now(method, path, authorization, client));
  }

  /** Null if {@code uri} contains an invalid percent-encoding. */
  private static @Nullable QueryStringDecoder decoded(String uri) {
    try {
      QueryStringDecoder query = new QueryStringDecoder(uri);
      query.path(); // it decodes on demand, and keeps the result
      query.parameters();
      return query;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private AdminReply now(
      String method, String path, @Nullable String authorization, String client) {
    if (PAGES.contains(path)) {
      return method.equals("GET") || method.equals("HEAD")
          ? page(path)
          : AdminReply.methodNotAllowed("GET, HEAD");
    }
    if (path.equals("/explain") || path.equals("/history")) {
      return AdminReply.methodNotAllowed("GET, HEAD");
    }
    if (CHANGES.contains(path)) {
      return method.equals("POST")
          ? change(path, authorization, client)
          : AdminReply.methodNotAllowed("POST");
    }
    return AdminReply.text(404, "not found");
  }

  private AdminReply page(String path) {
    return switch (path) {
      case "/metrics" -> AdminReply.metrics(metrics.get());
      case "/config" -> AdminReply.json(200, configJson.get());
      case "/disk" -> AdminReply.json(200, DiskJson.of(disks.get()));
      case "/misses" -> AdminReply.json(200, MissesJson.of(misses.get()));
      case "/bans" -> AdminReply.json(200, BanJson.of(operations.bans()));
      case "/health/live" -> AdminReply.text(200, "live");
      case "/health/ready" ->
          operations.ready()
              ? AdminReply.text(200, "ready")
              : AdminReply.text(503, "not ready: " + operations.notReadyReason());
      default -> AdminReply.html(index.html());
    };
  }

  private CompletableFuture<AdminReply> explain(QueryStringDecoder query) {
    String url = single(query, "url");
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
            single(query, "method", "GET"),
            query.parameters().getOrDefault("header", List.of()),
            single(query, "content", ""),
            single(query, "client"),
            single(query, "port"));
    boolean json = "json".equals(single(query, "format", "text"));
    return operations
        .explain(question)
        .thenApply(
            explanation ->
                json
                    ? AdminReply.json(200, ExplainJson.of(explanation))
                    : AdminReply.text(200, ExplainText.of(explanation)))
        .exceptionally(busy -> AdminReply.text(503, "too busy to explain; try again"));
  }

  private static String single(QueryStringDecoder query, String name, String without) {
    String value = single(query, name);
    return value == null ? without : value;
  }

  /** The value of a parameter that is given once; null: it is not, or empty. */
  private static @Nullable String single(QueryStringDecoder query, String name) {
    List<String> values = query.parameters().getOrDefault(name, List.of());
    return values.size() == 1 && !values.get(0).isEmpty() ? values.get(0) : null;
  }

  /** Why a change is refused, or null. */
  private @Nullable AdminReply refusal(String path, @Nullable String authorization, String client) {
    AdminReply refusal = checked(path, authorization, client);
    if (refusal != null) {
      refusals.incrementAndGet();
    }
    return refusal;
  }

  /** Changes refused for lack of the secret. Any thread. */
  long refusals() {
    return refusals.get();
  }

  private @Nullable AdminReply checked(String path, @Nullable String authorization, String client) {
    if (!attempts.allowed(client)) {
      if (attempts.firstRefusal(client)) {
        AUDIT.warn(
            "admin {} from {}: refused, too many wrong secrets from this client", path, client);
      }
      return AdminReply.tooMany(SecretAttempts.RECOVERY_SECONDS);
    }
    if (!access.changesPossible()) {
      attempts.failed(client);
      AUDIT.warn("admin {} from {}: refused, no secret is configured", path, client);
      return AdminReply.text(403, "no secret is configured: changes by HTTP are not possible");
    }
    if (!access.secretGiven(authorization)) {
      attempts.failed(client);
      AUDIT.warn("admin {} from {}: refused, wrong or missing secret", path, client);
      return AdminReply.text(403, "Authorization: Bearer with the configured secret is required");
    }
    return null;
  }

  private AdminReply change(String path, @Nullable String authorization, String client) {
    AdminReply refusal = refusal(path, authorization, client);
    if (refusal != null) {
      return refusal;
    }
    if (path.equals("/rotate")) {
      operations.rotateLogs();
      AUDIT.info("admin rotate from {}: done", client);
      return AdminReply.json(202, "{\"rotating\":true}");
    }
    operations.drain();
    AUDIT.info("admin drain from {}: begun", client);
    return AdminReply.json(202, "{\"draining\":true}");
  }

  private CompletableFuture<AdminReply> purge(QueryStringDecoder query, String client) {
    try {
      PurgeForm form = PurgeForm.of(query.parameters());
      return operations
          .purge(form.what())
          .thenApply(purged -> purged(loggable(form.text()), purged, client));
    } catch (IllegalArgumentException e) {
      String why = loggable(String.valueOf(e.getMessage()));
      AUDIT.warn("admin purge from {}: {}", client, why);
      return CompletableFuture.completedFuture(AdminReply.text(400, "not a valid purge: " + why));
    }
  }

  private CompletableFuture<AdminReply> reload(String client) {
    return operations
        .reload()
        .thenApply(
            reloaded -> {
              if (reloaded.done()) {
                AUDIT.info("admin reload from {}: done", client);
              } else {
                AUDIT.warn("admin reload from {}: failed", client);
              }
              return AdminReply.json(reloaded.done() ? 200 : 422, reloaded.json());
            });
  }

  private static AdminReply purged(String what, Purged purged, String client) {
    switch (purged.outcome()) {
      case NOT_CONFIRMED -> {
        AUDIT.error("admin purge {} from {}: not confirmed by the disk", what, client);
        return AdminReply.text(
            500,
            "no longer served, but a disk did not confirm the purge: the responses may return after"
                + " a restart; purge again");
      }
      case REFUSED -> {
        AUDIT.error("admin purge {} from {}: refused, too many purges are pending", what, client);
        return AdminReply.text(503, "nothing was purged: too many purges are pending; see /bans");
      }
      case DONE -> AUDIT.info("admin purge {} from {}: {}", what, client, purged.text());
    }
    JsonWriter json = JsonWriter.compact().beginObject();
    json.member("purged", purged.count()).member("memory", purged.memory()).name("disk");
    if (purged.disk() == Purged.LATER) {
      json.value(null);
    } else {
      json.value(purged.disk());
    }
    return AdminReply.json(200, json.endObject().toString());
  }

  /** Without its query and characters that could begin another log line. */
  private static String loggable(String url) {
    int query = url.indexOf('?');
    String shown = query < 0 ? url : url.substring(0, query + 1);
    return shown.replaceAll("[^\\x20-\\x7e]", "_");
  }
}
