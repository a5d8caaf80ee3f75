package io.loligo.server.explain;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.caching.CacheSettings;
import io.loligo.core.caching.FreshnessSum;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.server.config.Configs;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.Stage;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** An explanation with everything in it. */
public final class SampleExplanation {
  /** Sun, 06 Nov 1994 08:49:37 GMT. */
  private static final long NOW = 784_111_777_000L;

  private SampleExplanation() {}

  private static Map<Stage, Integer> stages() {
    Map<Stage, Integer> micros = new EnumMap<>(Stage.class);
    micros.put(Stage.DISK_FIRST_READ, 21);
    micros.put(Stage.TOTAL, 321);
    return micros;
  }

  public static Explanation of(String url) {
    byte[] etag = "\"a\\b\"".getBytes(StandardCharsets.ISO_8859_1);
    StoredMeta meta =
        StoredMeta.builder(200)
            .requestTimeMillis(NOW - 101_000)
            .responseTimeMillis(NOW - 100_000)
            .dateMillis(NOW - 105_000)
            .initialAgeSeconds(5)
            .lifetimeSeconds(60)
            .staleWhileRevalidateSeconds(30)
            .flags(StoredMeta.MUST_REVALIDATE)
            .etag(etag)
            .contentLength(1234)
            .build();
    String fields = "Cache-Control: max-age=60\r\n\r\n";
    FreshnessSum sum =
        new FreshnessSum(
            meta,
            StoredFields.index(fields.getBytes(StandardCharsets.ISO_8859_1)),
            url,
            new CacheSettings(Configs.of(""), 0),
            NOW);
    CacheDecision decision = new CacheDecision(Outcome.VALIDATE, CacheReason.STALE, 105, 60);
    return Explanation.of("GET", NOW)
        .url(url)
        .forecast(new Forecast(decision, 0, LogTag.TCP_REFRESH_MODIFIED, true, 0, false))
        .stored(
            List.of(
                new StoredVariant(
                    true,
                    true,
                    meta,
                    List.of("cookie: (not shown)"),
                    List.of("Cache-Control: max-age=60"),
                    sum,
                    500,
                    7)))
        .disk("damaged")
        .fetching(true)
        .recent(
            List.of(
                PastDecision.of(LogTag.TCP_HIT)
                    .endMillis(NOW)
                    .method("GET")
                    .status(200)
                    .decision(decision)
                    .stageMicros(stages())
                    .collapsed(true)
                    .fromDisk(true)
                    .aborted(true)
                    .notStored("too large")
                    .build()))
        .build();
  }
}
