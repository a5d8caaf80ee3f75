package io.loligo.server.admin;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.FreshnessSum;
import io.loligo.core.caching.StoredMeta;
import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.Forecast;
import io.loligo.server.explain.PastDecision;
import io.loligo.server.explain.StoredSlices;
import io.loligo.server.explain.StoredVariant;
import io.loligo.server.record.RouteSurvey;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** An explanation as text for people. Stateless. */
public final class ExplainText {
  private ExplainText() {}

  /** A new string of several lines. */
  public static String of(Explanation explanation) {
    StringBuilder text = new StringBuilder(2048);
    text.append(explanation.method()).append(' ');
    text.append(explanation.url() == null ? "(no such URL)" : explanation.url());
    text.append("\nat ").append(Instant.ofEpochMilli(explanation.nowMillis())).append("\n\nnow\n");
    if (explanation.storeId() != null) {
      line(text, "store id", explanation.storeId());
    }
    if (explanation.refusal() != null) {
      line(text, "answer", "refused: " + explanation.refusal());
    } else {
      Forecast forecast = explanation.forecast();
      assert forecast != null : "it is not refused";
      forecast(text, forecast, explanation.fetching());
    }
    if (explanation.route() != null) {
      route(text, explanation.route());
    }
    if (explanation.slices() != null) {
      slices(text, explanation.slices());
    }
    for (StoredVariant variant : explanation.stored()) {
      variant(text, variant);
    }
    if (explanation.refusal() == null) {
      nothing(text, explanation);
    }
    if (!explanation.recent().isEmpty()) {
      text.append("\nlately\n");
      explanation.recent().forEach(past -> past(text, past));
    }
    return text.toString();
  }

  private static void forecast(StringBuilder text, Forecast forecast, boolean fetching) {
    CacheDecision decision = forecast.decision();
    line(text, "answer", forecast.text());
    String against = decision.reason().violates() ? ", which violates HTTP" : "";
    line(text, "because", decision.reason().detail() + against);
    line(text, "decision", decision.outcome() + " " + decision.reason());
    line(text, "status", forecast.status() == 0 ? "the origin's" : "" + forecast.status());
    line(
        text,
        "log",
        forecast.isSent()
                && (decision.outcome() == CacheDecision.Outcome.VALIDATE
                    || forecast.offeredTags() > 0)
            ? "TCP_REFRESH_UNMODIFIED, or " + forecast.tag() + " if it has changed"
            : "" + forecast.tag());
    if (forecast.staleOnError()) {
      line(text, "else", "served stale if the origin cannot be reached");
    }
    if (fetching) {
      line(text, "fetch", "in progress, equal requests may join it");
    }
  }

  private static void route(StringBuilder text, RouteSurvey route) {
    if (route.failure() != null) {
      line(text, "sent", "nowhere: " + route.failure());
    }
    String when = "sent";
    for (RouteSurvey.Asked hop : route.hops()) {
      String name = hop.peer() == null ? "the origin" : "parent " + hop.peer();
      line(text, when, "to " + name + ", " + hop.code());
      when = "or";
    }
    for (RouteSurvey.Unused peer : route.unused()) {
      line(text, "not to", "parent " + peer.peer() + ": " + peer.reason().text());
    }
  }

  private static void slices(StringBuilder text, StoredSlices slices) {
    line(
        text,
        "sliced",
        "in slices of " + slices.sliceBytes() + " bytes, each looked up separately");
    line(text, "stored", slices.text().isEmpty() ? "no slice" : "slices " + slices.text());
  }

  private static void nothing(StringBuilder text, Explanation explanation) {
    String disk = explanation.disk() == null ? "" : explanation.disk();
    boolean unreadable = "damaged".equals(disk) || "busy".equals(disk);
    if (explanation.stored().isEmpty() || unreadable) {
      text.append("\nstored\n");
      line(text, "", explanation.stored().isEmpty() ? "nothing" : "perhaps more");
      if (unreadable) {
        line(text, "disk", disk);
      }
    }
  }

  private static void variant(StringBuilder text, StoredVariant variant) {
    StoredMeta meta = variant.meta();
    text.append("\nstored ").append(variant.onDisk() ? "on disk" : "in memory");
    text.append(
        variant.selected() ? ", selected by this request\n" : ", not selected by this request\n");
    line(text, "status", "" + meta.status());
    line(text, "content", meta.contentLength() + " bytes");
    line(text, variant.onDisk() ? "head" : "keeps", variant.bytes() + " bytes");
    line(text, "hits", "" + variant.hits());
    line(text, "requested", "" + Instant.ofEpochMilli(meta.requestTimeMillis()));
    line(text, "arrived", "" + Instant.ofEpochMilli(meta.responseTimeMillis()));
    variant.selecting().forEach(field -> line(text, "for", field));
    if (meta.etag() != null) {
      line(text, "validator", new String(meta.etag(), StandardCharsets.ISO_8859_1));
    }
    if (meta.lastModifiedMillis() != StoredMeta.NO_TIME) {
      line(text, "modified", "" + Instant.ofEpochMilli(meta.lastModifiedMillis()));
    }
    variant.inputs().forEach(field -> line(text, "field", field));
    variant.marks().forEach(mark -> line(text, "mark", mark));
    sum(text, variant.freshness());
  }

  private static void sum(StringBuilder text, FreshnessSum sum) {
    if (sum.pattern != null) {
      line(text, "pattern", sum.pattern);
    }
    sum.violations.forEach(violation -> line(text, "against", violation));
    text.append("  freshness, seconds\n");
    term(text, sum.apparentAgeSeconds, "apparent age: from Date to arrival");
    term(text, sum.ageValueSeconds, "age value: the received Age, 0 without");
    term(text, sum.responseDelaySeconds, "response delay: from request to arrival");
    term(
        text,
        sum.correctedInitialAgeSeconds,
        "corrected initial age: "
            + (sum.correctedInitialAgeSeconds > sum.apparentAgeSeconds
                ? "age value and delay"
                : "the apparent age"));
    term(text, sum.residentTimeSeconds, "resident time: since arrival");
    term(text, sum.currentAgeSeconds, "current age: initial age and resident time");
    term(
        text,
        sum.lifetimeSeconds,
        "freshness lifetime: "
            + (sum.asStored
                ? sum.lifetimeFrom
                : "stored under other rules, or purged since; the rule now: " + sum.lifetimeFrom));
    term(text, sum.remainingSeconds(), sum.remainingSeconds() > 0 ? "left: fresh" : "left: stale");
  }

  private static void past(StringBuilder text, PastDecision past) {
    text.append("  ").append(Instant.ofEpochMilli(past.endMillis())).append(' ');
    text.append(past.method().isEmpty() ? "?" : past.method()).append(' ');
    text.append(past.tag()).append('/').append(past.status());
    if (past.decision() != null) {
      text.append(' ').append(past.decision().outcome()).append(": ");
      text.append(past.decision().reason().detail());
      if (past.decision().lifetimeSeconds() >= 0) {
        text.append(", age ").append(past.decision().ageSeconds());
        text.append(" of ").append(past.decision().lifetimeSeconds());
      }
    }
    text.append(past.serverStatus() == 0 ? "" : ", origin said " + past.serverStatus());
    String reason = past.serverStatus() == 0 ? ", failed: " : ", not stored: ";
    text.append(past.notStored() == null ? "" : reason + past.notStored());
    text.append(past.collapsed() ? ", collapsed" : "");
    text.append(past.fromDisk() ? ", from disk" : "");
    text.append(past.aborted() ? ", cut" : "");
    text.append(past.micros() < 0 ? "" : ", " + past.micros() + " us");
    text.append(past.requestId() == null ? "" : ", id " + past.requestId()).append('\n');
    if (past.stageMicros().size() > 1) {
      text.append("    stages, us:");
      past.stageMicros()
          .forEach(
              (stage, micros) -> text.append(' ').append(stage.text()).append(' ').append(micros));
      text.append('\n');
    }
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append("  ").append(name).append(" ".repeat(Math.max(1, 11 - name.length())));
    text.append(value).append('\n');
  }

  private static void term(StringBuilder text, long seconds, String what) {
    String number = Long.toString(seconds);
    text.append(" ".repeat(Math.max(1, 14 - number.length()))).append(number);
    text.append("  ").append(what).append('\n');
  }
}
