package io.loligo.server.admin;

import io.loligo.server.json.JsonWriter;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.Reach;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The responses to the paths of the admin port. Confined to the admin server's event loop. */
final class AdminRoutes {
  private static final Logger AUDIT = LoggerFactory.getLogger("io.loligo.audit");
  private static final Set<String> CHANGES = Set.of("/purge", "/reload", "/rotate", "/drain");

  /** Health checks tell nothing about traffic, and load balancers have no secret. */
  private static final String OPEN = "/health/";

  /** The page for scrapers of {@link #METRICS} that ask for OpenMetrics. */
  static final String OPEN_METRICS = "/metrics/openmetrics";

  private static final String METRICS = "/metrics";

  private final AdminAccess access;
  private final boolean local;
  private final SecretAttempts attempts;
  private final AtomicLong refusals = new AtomicLong();
  private final Operations operations;
  private final AdminPages pages;

  /**
   * @param local whether the port is for this machine only: pages need no secret then
   */
  AdminRoutes(
      AdminAccess access,
      boolean local,
      SecretAttempts attempts,
      Operations operations,
      AdminPages pages) {
    this.access = access;
    this.local = local;
    this.attempts = attempts;
    this.operations = operations;
    this.pages = pages;
  }

  /**
   * Answers a request whose Host and Origin were checked.
   *
   * @param authorization value of Authorization, or null
   * @param accept value of Accept, or null
   * @param client for the audit log
   * @return completes on any thread
   */
  CompletableFuture<AdminReply> answer(
      String method,
      String uri,
      @Nullable String authorization,
      @Nullable String accept,
      String client) {
    QueryStringDecoder query = decoded(uri);
    if (query == null) {
      return CompletableFuture.completedFuture(AdminReply.text(400, "wrongly percent-encoded"));
    }
    String path =
        query.path().equals(METRICS) && acceptsOpenMetrics(accept) ? OPEN_METRICS : query.path();
    if (path.equals("/purge") && method.equals("POST")) {
      AdminReply refusal = refusal(path, authorization, client);
      return refusal == null ? purge(query, client) : CompletableFuture.completedFuture(refusal);
    }
    if (path.equals("/reload") && method.equals("POST")) {
      AdminReply refusal = refusal(path, authorization, client);
      return refusal == null ? reload(client) : CompletableFuture.completedFuture(refusal);
    }
    AdminChange change = pages.changeAt(path);
    boolean deletes = method.equals("DELETE");
    if (change != null && (deletes || method.equals("POST"))) {
      AdminReply refusal = refusal(path, authorization, client);
      return CompletableFuture.completedFuture(
          refusal == null ? change.make(deletes, query.parameters(), client) : refusal);
    }
    AdminPage page = pages.at(path);
    if (page != null && !method.equals("GET") && !method.equals("HEAD")) {
      return CompletableFuture.completedFuture(
          AdminReply.methodNotAllowed(change == null ? "GET, HEAD" : "GET, HEAD, POST, DELETE"));
    }
    if (page != null) {
      AdminReply refusal =
          local || path.startsWith(OPEN) ? null : pageRefusal(path, authorization, client);
      return refusal == null
          ? page.answer(query.parameters())
          : CompletableFuture.completedFuture(refusal);
    }
    return CompletableFuture.completedFuture(now(method, path, authorization, client));
  }

  /** Scrapers that name it prefer it. */
  private static boolean acceptsOpenMetrics(@Nullable String accept) {
    return accept != null && accept.contains("application/openmetrics-text");
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
    if (CHANGES.contains(path)) {
      return method.equals("POST")
          ? change(path, authorization, client)
          : AdminReply.methodNotAllowed("POST");
    }
    return AdminReply.text(404, "not found");
  }

  /** Why a page beyond loopback is refused, or null. */
  private @Nullable AdminReply pageRefusal(
      String path, @Nullable String authorization, String client) {
    if (!access.hasSecret()) {
      return AdminReply.text(
          403, "beyond loopback this needs loligo_admin_secret, and none is configured");
    }
    if (authorization == null) {
      return AdminReply.unauthorized(); // the first request of any browser
    }
    AdminReply refusal = tooMany(path, client);
    if (refusal == null && !access.secretGiven(authorization, true)) {
      attempts.failed(client);
      AUDIT.warn(
          "admin {} from {}: refused, wrong secret; next: find out who uses this address",
          path,
          client);
      refusal = AdminReply.unauthorized();
    }
    if (refusal != null) {
      refusals.incrementAndGet();
    }
    return refusal;
  }

  /** Why a change is refused, or null. */
  private @Nullable AdminReply refusal(String path, @Nullable String authorization, String client) {
    AdminReply refusal = checked(path, authorization, client);
    if (refusal != null) {
      refusals.incrementAndGet();
    }
    return refusal;
  }

  /** Requests refused for lack of the secret. Any thread. */
  long refusals() {
    return refusals.get();
  }

  /** The reply to a client with too many wrong secrets; null: it may try one. */
  private @Nullable AdminReply tooMany(String path, String client) {
    if (attempts.allowed(client)) {
      return null;
    }
    if (attempts.firstRefusal(client)) {
      AUDIT.warn(
          "admin {} from {}: refused, too many wrong secrets from this client; next: find out who"
              + " uses this address",
          path,
          client);
    }
    return AdminReply.tooMany(SecretAttempts.RECOVERY_SECONDS);
  }

  private @Nullable AdminReply checked(String path, @Nullable String authorization, String client) {
    AdminReply tooMany = tooMany(path, client);
    if (tooMany != null) {
      return tooMany;
    }
    if (!access.hasSecret()) {
      attempts.failed(client);
      AUDIT.warn(
          "admin {} from {}: refused, no secret is configured; next: set loligo_admin_secret to"
              + " allow changes",
          path,
          client);
      return AdminReply.text(403, "no secret is configured: changes by HTTP are not possible");
    }
    if (!access.secretGiven(authorization, false)) {
      attempts.failed(client);
      AUDIT.warn(
          "admin {} from {}: refused, wrong or missing secret; next: send loligo_admin_secret, or"
              + " find out who uses this address",
          path,
          client);
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
      AUDIT.warn("admin purge from {}: refused, {}; next: correct the request", client, why);
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
                AUDIT.warn("admin reload from {}: failed; next: see the line before", client);
              }
              return AdminReply.json(reloaded.done() ? 200 : 422, reloaded.json());
            });
  }

  private static AdminReply purged(String what, Purged purged, String client) {
    switch (purged.outcome()) {
      case NOT_CONFIRMED -> {
        AUDIT.error(
            "admin purge {} from {}: not confirmed by the disk; next: purge again", what, client);
        return AdminReply.text(
            500,
            "no longer served, but a disk did not confirm the purge: the responses may return after"
                + " a restart; purge again");
      }
      case REFUSED -> {
        AUDIT.error(
            "admin purge {} from {}: refused, too many purges are pending; next: see /bans, and"
                + " purge again",
            what,
            client);
        return AdminReply.text(503, "nothing was purged: too many purges are pending; see /bans");
      }
      case LEFT -> {
        AUDIT.error(
            "admin purge {} from {}: this process has left its cluster; next: purge again at"
                + " another node",
            what,
            client);
        return AdminReply.text(
            503, "this process is ending, and other nodes may not know of the purge: purge again");
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
    Reach reach = purged.reach();
    if (reach != null) {
      json.name("nodes").beginObject();
      json.member("acknowledged", reach.acknowledged());
      json.member("configured", reach.configured()).endObject();
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
