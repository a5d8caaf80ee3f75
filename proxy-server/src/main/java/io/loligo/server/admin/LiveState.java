package io.loligo.server.admin;

import io.loligo.server.history.History;
import io.loligo.server.history.HistorySources;
import io.loligo.server.history.Interval;
import io.loligo.server.history.PresentNumbers;
import io.loligo.server.history.Series;
import io.loligo.server.json.JsonWriter;
import io.loligo.server.metrics.LatencySnapshot;
import io.loligo.server.metrics.MemoryOwners;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Protocol;
import io.loligo.server.record.Stage;
import io.loligo.store.disk.DiskStats;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of the proxy as one line of JSON, for the live page: the totals of all counters, the
 * gauges, and the times of the last minute. The page makes rates of the differences of two states,
 * so it may miss some. Confined to the admin server's event loop.
 */
final class LiveState {
  /** The times are those of this many seconds. */
  private static final int WINDOW_SECONDS = 60;

  /** Sections of the page that are there only with a page of this name. */
  private static final List<String> SECTIONS = List.of("traffic", "whatif", "lint");

  private static final double NANOS_IN_MICRO = 1_000;

  private final ProxyMetrics metrics;
  private final Supplier<PresentNumbers> source;
  private final Supplier<@Nullable History> history;
  private final Operations operations;
  private final Supplier<List<DiskStats>> disks;
  private final AdminPages pages;
  private final String version;
  private final LongSupplier millisClock;
  private final LatencySnapshot merged = new LatencySnapshot();

  /** Null until the first state. */
  private @Nullable PresentNumbers numbers;

  /**
   * @param source asked for once, when the first page is opened
   * @param history null where there is none: the times are then those since the start
   */
  LiveState(
      ProxyMetrics metrics,
      Supplier<PresentNumbers> source,
      Supplier<@Nullable History> history,
      Operations operations,
      Supplier<List<DiskStats>> disks,
      AdminPages pages,
      String version,
      LongSupplier millisClock) {
    this.metrics = metrics;
    this.source = source;
    this.history = history;
    this.operations = operations;
    this.disks = disks;
    this.pages = pages;
    this.version = version;
    this.millisClock = millisClock;
  }

  /** A new string without line breaks. */
  String json() {
    JsonWriter json = JsonWriter.compact().beginObject();
    json.member("time", millisClock.getAsLong());
    json.member("version", version);
    json.member("upSeconds", ManagementFactory.getRuntimeMXBean().getUptime() / 1000);
    json.member("ready", operations.ready());
    json.member("reason", operations.notReadyReason());
    json.name("sections").beginArray();
    SECTIONS.stream().filter(name -> pages.at("/" + name) != null).forEach(json::value);
    json.endArray();
    numbers(json);
    History kept = history.get();
    json.member("history", kept != null);
    if (kept == null) {
      timesSinceStart(json);
    } else {
      times(json, kept);
    }
    protocols(json);
    json.name("memory").beginArray();
    metrics.ledger().owners().forEach(owner -> owner(json, owner));
    json.endArray().name("disks").beginArray();
    disks.get().forEach(disk -> DiskJson.add(json, disk));
    json.endArray().name("loopLagMicros").beginArray();
    for (int i = 0; i < metrics.loops(); i++) {
      json.value(metrics.loop(i).lag().nanos() / NANOS_IN_MICRO);
    }
    return json.endArray().endObject().toString();
  }

  private void numbers(JsonWriter json) {
    if (numbers == null) {
      numbers = source.get();
    }
    numbers.read();
    json.name("counters").beginObject();
    numbers.counters(
        (name, value) -> {
          if (value != 0) {
            json.member(name, value);
          }
        });
    json.endObject().name("gauges").beginObject();
    numbers.gauges(json::member);
    json.endObject();
  }

  private static void times(JsonWriter json, History history) {
    Interval window = history.last(WINDOW_SECONDS);
    Interval newest = history.last(1);
    json.member("windowSeconds", Math.max(1, Math.round(window.coveredMillis() / 1000.0)));
    json.name("classes").beginObject();
    for (HitClass one : HitClass.values()) {
      Series series = series(history, HistorySources.name(one));
      json.name(word(one)).beginObject();
      percentiles(json, window, series);
      percentile(json, "newestP95", newest.percentileNanos(series, 95));
      json.endObject();
    }
    json.endObject().name("stages").beginObject();
    for (Stage stage : Stage.values()) {
      if (stage.inSequence()) {
        Series series = series(history, HistorySources.name(stage));
        stage(json, stage, window.count(series), window.meanNanos(series));
      }
    }
    json.endObject();
  }

  private static Series series(History history, String name) {
    Series series = history.series(name);
    assert series != null : "the history has all classes and stages";
    return series;
  }

  private static void percentiles(JsonWriter json, Interval window, Series series) {
    json.member("count", window.count(series));
    percentile(json, "p50", window.percentileNanos(series, 50));
    percentile(json, "p95", window.percentileNanos(series, 95));
    percentile(json, "p99", window.percentileNanos(series, 99));
  }

  private static void percentiles(JsonWriter json, LatencySnapshot times) {
    json.member("count", times.count());
    percentile(json, "p50", times.percentileNanos(50));
    percentile(json, "p95", times.percentileNanos(95));
    percentile(json, "p99", times.percentileNanos(99));
  }

  /** Those since the start: the history has none of them. */
  private void protocols(JsonWriter json) {
    json.name("protocols").beginObject();
    for (Protocol one : Protocol.values()) {
      merged.clear();
      metrics.addLatency(one, merged);
      json.name(one.text()).beginObject();
      percentiles(json, merged);
      json.endObject();
    }
    json.endObject();
  }

  private void timesSinceStart(JsonWriter json) {
    json.member("windowSeconds", 0);
    json.name("classes").beginObject();
    for (HitClass one : HitClass.values()) {
      merged.clear();
      metrics.addLatency(Stage.TOTAL, one, merged);
      json.name(word(one)).beginObject();
      percentiles(json, merged);
      json.endObject();
    }
    json.endObject().name("stages").beginObject();
    for (Stage stage : Stage.values()) {
      if (stage.inSequence()) {
        merged.clear();
        for (HitClass one : HitClass.values()) {
          metrics.addLatency(stage, one, merged);
        }
        stage(json, stage, merged.count(), merged.meanNanos());
      }
    }
    json.endObject();
  }

  private static void percentile(JsonWriter json, String name, long nanos) {
    json.name(name).value(nanos / NANOS_IN_MICRO);
  }

  private static void stage(JsonWriter json, Stage stage, long count, long meanNanos) {
    json.name(stage.text()).beginObject().member("count", count);
    json.name("mean").value(meanNanos / NANOS_IN_MICRO).endObject();
  }

  private static void owner(JsonWriter json, MemoryOwners.Owner owner) {
    json.beginObject().member("owner", owner.name()).member("text", owner.text());
    json.member("usedBytes", owner.usedBytes().getAsLong());
    json.member("limitBytes", owner.limitBytes().getAsLong()).endObject();
  }

  private static String word(Enum<?> one) {
    return one.name().toLowerCase(Locale.ROOT);
  }
}
