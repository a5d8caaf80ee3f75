package io.loligo.server.admin;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.FreshnessSum;
import io.loligo.core.caching.StoredMeta;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Forecast;
import io.loligo.server.explain.PastDecision;
import io.loligo.server.explain.StoredSlices;
import io.loligo.server.explain.StoredVariant;
import io.loligo.server.json.JsonWriter;
import io.loligo.server.record.RouteSurvey;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** An explanation for programs. Not thread-safe. */
final class ExplainJson {
  private final JsonWriter json = JsonWriter.spaced();

  private ExplainJson() {}

  /** A new string: one object. */
  static String of(Explanation explanation) {
    ExplainJson text = new ExplainJson();
    text.explanation(explanation);
    return text.json + "\n";
  }

  private void explanation(Explanation explanation) {
    json.beginObject();
    json.member("url", explanation.url());
    json.member("storeId", explanation.storeId());
    json.member("method", explanation.method());
    time("now", explanation.nowMillis());
    json.member("refusal", explanation.refusal());
    json.name("forecast");
    if (explanation.forecast() == null) {
      json.value(null);
    } else {
      forecast(explanation.forecast());
    }
    json.name("route");
    if (explanation.route() == null) {
      json.value(null);
    } else {
      route(explanation.route());
    }
    json.name("slices");
    if (explanation.slices() == null) {
      json.value(null);
    } else {
      slices(explanation.slices());
    }
    json.member("fetching", explanation.fetching());
    json.member("disk", explanation.disk());
    json.name("stored");
    json.beginArray();
    explanation.stored().forEach(this::variant);
    json.endArray();
    json.name("recent");
    json.beginArray();
    explanation.recent().forEach(this::past);
    json.endArray().endObject();
  }

  private void forecast(Forecast forecast) {
    json.beginObject();
    decision(forecast.decision());
    json.member("text", forecast.text());
    json.member("status", forecast.status());
    json.member("log", forecast.tag().name());
    json.member("staleOnError", forecast.staleOnError());
    json.member("offeredTags", forecast.offeredTags());
    json.member("fetchesWhole", forecast.fetchesWhole());
    json.endObject();
  }

  private void route(RouteSurvey route) {
    json.beginObject();
    json.member("failure", route.failure());
    json.name("hops");
    json.beginArray();
    for (RouteSurvey.Asked hop : route.hops()) {
      json.beginObject();
      json.member("peer", hop.peer());
      json.member("hierarchy", hop.code().name());
      json.endObject();
    }
    json.endArray();
    json.name("unused");
    json.beginArray();
    for (RouteSurvey.Unused peer : route.unused()) {
      json.beginObject();
      json.member("peer", peer.peer());
      json.member("reason", peer.reason().name().toLowerCase(Locale.ROOT));
      json.endObject();
    }
    json.endArray().endObject();
  }

  private void slices(StoredSlices slices) {
    json.beginObject();
    json.member("sliceBytes", slices.sliceBytes());
    json.member("stored", slices.text());
    json.member("all", slices.all());
    json.endObject();
  }

  private void decision(CacheDecision decision) {
    json.member("outcome", decision.outcome().name().toLowerCase(Locale.ROOT));
    json.member("reason", decision.reason().name().toLowerCase(Locale.ROOT));
    json.member("because", decision.reason().detail());
    json.member("fwd", decision.reason().token() == null ? null : decision.forwardToken());
    json.member("violates", decision.reason().violates());
    if (decision.lifetimeSeconds() >= 0) {
      json.member("age", decision.ageSeconds());
      json.member("lifetime", decision.lifetimeSeconds());
      json.member("ttl", decision.ttlSeconds());
    }
  }

  private void variant(StoredVariant variant) {
    StoredMeta meta = variant.meta();
    json.beginObject();
    json.member("tier", variant.onDisk() ? "disk" : "memory");
    json.member("selected", variant.selected());
    json.member("status", meta.status());
    json.member("contentLength", meta.contentLength());
    json.member("bytes", variant.bytes());
    json.member("hits", variant.hits());
    time("requested", meta.requestTimeMillis());
    time("arrived", meta.responseTimeMillis());
    time("date", meta.dateMillis());
    json.member("etag", meta.etag() == null ? null : text(meta.etag()));
    if (meta.lastModifiedMillis() != StoredMeta.NO_TIME) {
      time("lastModified", meta.lastModifiedMillis());
    }
    list("selecting", variant.selecting());
    list("fields", variant.inputs());
    list("marks", variant.marks());
    json.name("freshness");
    sum(variant.freshness());
    json.endObject();
  }

  private void sum(FreshnessSum sum) {
    json.beginObject();
    json.member("apparentAge", sum.apparentAgeSeconds);
    json.member("ageValue", sum.ageValueSeconds);
    json.member("responseDelay", sum.responseDelaySeconds);
    json.member("correctedInitialAge", sum.correctedInitialAgeSeconds);
    json.member("residentTime", sum.residentTimeSeconds);
    json.member("currentAge", sum.currentAgeSeconds);
    json.member("lifetime", sum.lifetimeSeconds);
    json.member("lifetimeFrom", sum.lifetimeFrom);
    json.member("refreshPattern", sum.pattern);
    list("violations", sum.violations);
    json.member("asStored", sum.asStored);
    json.member("remaining", sum.remainingSeconds());
    json.endObject();
  }

  private void past(PastDecision past) {
    json.beginObject();
    time("ended", past.endMillis());
    json.member("method", past.method());
    json.member("status", past.status());
    json.member("originStatus", past.serverStatus());
    json.member("log", past.tag().name());
    if (past.decision() != null) {
      decision(past.decision());
    }
    json.member("notStored", past.notStored());
    json.member("micros", past.micros());
    json.name("stages").beginObject();
    past.stageMicros().forEach((stage, micros) -> json.member(stage.text(), (long) micros));
    json.endObject();
    json.member("collapsed", past.collapsed());
    json.member("fromDisk", past.fromDisk());
    json.member("aborted", past.aborted());
    json.member("requestId", past.requestId());
    json.endObject();
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private void time(String name, long millis) {
    json.member(name, Instant.ofEpochMilli(millis).toString());
  }

  private void list(String name, List<String> values) {
    json.name(name).beginArray();
    values.forEach(json::value);
    json.endArray();
  }
}
