package io.loligo.server.admin;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.FreshnessSum;
import io.loligo.core.caching.StoredMeta;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Forecast;
import io.loligo.server.explain.PastDecision;
import io.loligo.server.explain.StoredSlices;
import io.loligo.server.explain.StoredVariant;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** An explanation for programs. Not thread-safe. */
final class ExplainJson {
  private final StringBuilder json = new StringBuilder(2048);

  private ExplainJson() {}

  /** A new string: one object. */
  static String of(Explanation explanation) {
    ExplainJson text = new ExplainJson();
    text.explanation(explanation);
    return text.json.append('\n').toString();
  }

  private void explanation(Explanation explanation) {
    open('{');
    member("url", explanation.url());
    member("method", explanation.method());
    time("now", explanation.nowMillis());
    member("refusal", explanation.refusal());
    name("forecast");
    if (explanation.forecast() == null) {
      json.append("null");
    } else {
      forecast(explanation.forecast());
    }
    name("slices");
    if (explanation.slices() == null) {
      json.append("null");
    } else {
      slices(explanation.slices());
    }
    member("fetching", explanation.fetching());
    member("disk", explanation.disk());
    name("stored");
    open('[');
    explanation.stored().forEach(this::variant);
    json.append(']');
    name("recent");
    open('[');
    explanation.recent().forEach(this::past);
    json.append("]}");
  }

  private void forecast(Forecast forecast) {
    open('{');
    decision(forecast.decision());
    member("text", forecast.text());
    member("status", forecast.status());
    member("log", forecast.tag().name());
    member("staleOnError", forecast.staleOnError());
    member("offeredTags", forecast.offeredTags());
    member("fetchesWhole", forecast.fetchesWhole());
    json.append('}');
  }

  private void slices(StoredSlices slices) {
    open('{');
    member("sliceBytes", slices.sliceBytes());
    member("stored", slices.text());
    member("all", slices.all());
    json.append('}');
  }

  private void decision(CacheDecision decision) {
    member("outcome", decision.outcome().name().toLowerCase(Locale.ROOT));
    member("reason", decision.reason().name().toLowerCase(Locale.ROOT));
    member("because", decision.reason().detail());
    member("fwd", decision.reason().token() == null ? null : decision.forwardToken());
    member("violates", decision.reason().violates());
    if (decision.lifetimeSeconds() >= 0) {
      member("age", decision.ageSeconds());
      member("lifetime", decision.lifetimeSeconds());
      member("ttl", decision.ttlSeconds());
    }
  }

  private void variant(StoredVariant variant) {
    StoredMeta meta = variant.meta();
    separate();
    open('{');
    member("tier", variant.onDisk() ? "disk" : "memory");
    member("selected", variant.selected());
    member("status", meta.status());
    member("contentLength", meta.contentLength());
    member("bytes", variant.bytes());
    member("hits", variant.hits());
    time("requested", meta.requestTimeMillis());
    time("arrived", meta.responseTimeMillis());
    time("date", meta.dateMillis());
    member("etag", meta.etag() == null ? null : text(meta.etag()));
    if (meta.lastModifiedMillis() != StoredMeta.NO_TIME) {
      time("lastModified", meta.lastModifiedMillis());
    }
    list("selecting", variant.selecting());
    list("fields", variant.inputs());
    list("marks", variant.marks());
    name("freshness");
    sum(variant.freshness());
    json.append('}');
  }

  private void sum(FreshnessSum sum) {
    open('{');
    member("apparentAge", sum.apparentAgeSeconds());
    member("ageValue", sum.ageValueSeconds());
    member("responseDelay", sum.responseDelaySeconds());
    member("correctedInitialAge", sum.correctedInitialAgeSeconds());
    member("residentTime", sum.residentTimeSeconds());
    member("currentAge", sum.currentAgeSeconds());
    member("lifetime", sum.lifetimeSeconds());
    member("lifetimeFrom", sum.lifetimeFrom());
    member("refreshPattern", sum.pattern());
    list("violations", sum.violations());
    member("asStored", sum.asStored());
    member("remaining", sum.remainingSeconds());
    json.append('}');
  }

  private void past(PastDecision past) {
    separate();
    open('{');
    time("ended", past.endMillis());
    member("method", past.method());
    member("status", past.status());
    member("originStatus", past.serverStatus());
    member("log", past.tag().name());
    if (past.decision() != null) {
      decision(past.decision());
    }
    member("notStored", past.notStored());
    member("micros", past.micros());
    member("collapsed", past.collapsed());
    member("fromDisk", past.fromDisk());
    member("aborted", past.aborted());
    json.append('}');
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.ISO_8859_1);
  }

  private void open(char bracket) {
    json.append(bracket);
  }

  private void separate() {
    char before = json.charAt(json.length() - 1);
    if (before != '{' && before != '[') {
      json.append(", ");
    }
  }

  private void name(String name) {
    separate();
    json.append(JsonText.quoted(name)).append(": ");
  }

  private void member(String name, String value) {
    name(name);
    json.append(value == null ? "null" : JsonText.quoted(value));
  }

  private void member(String name, long value) {
    name(name);
    json.append(value);
  }

  private void member(String name, boolean value) {
    name(name);
    json.append(value);
  }

  private void time(String name, long millis) {
    member(name, Instant.ofEpochMilli(millis).toString());
  }

  private void list(String name, List<String> values) {
    name(name);
    open('[');
    for (String value : values) {
      separate();
      json.append(JsonText.quoted(value));
    }
    json.append(']');
  }
}
