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
import java.nio.charset.StandardCharsets;
import java.util.List;

/** An explanation with everything in it. */
public final class SampleExplanation {
  /** Sun, 06 Nov 1994 08:49:37 GMT. */
  private static final long NOW = 784_111_777_000L;

  private SampleExplanation() {}

  public static Explanation of(String url) {
    byte[] etag = "\"a\\b\"".getBytes(StandardCharsets.ISO_8859_1);
    StoredMeta meta =
        new StoredMeta(
            200,
            NOW - 101_000,
            NOW - 100_000,
            NOW - 105_000,
            StoredMeta.NO_TIME,
            5,
            60,
            30,
            -1,
            StoredMeta.MUST_REVALIDATE,
            etag,
            null,
            1234);
    String fields = "Cache-Control: max-age=60\r\n\r\n";
    FreshnessSum sum =
        FreshnessSum.of(
            meta,
            StoredFields.index(fields.getBytes(StandardCharsets.ISO_8859_1)),
            url,
            new CacheSettings(Configs.of(""), 0),
            NOW);
    CacheDecision decision = new CacheDecision(Outcome.VALIDATE, CacheReason.STALE, 105, 60);
    return new Explanation(
        url,
        "GET",
        NOW,
        null,
        new Forecast(decision, 0, LogTag.TCP_REFRESH_MODIFIED, true, 0, false),
        List.of(
            new StoredVariant(
                true,
                true,
                meta,
                List.of("cookie: (not shown)"),
                List.of("Cache-Control: max-age=60"),
                sum,
                500,
                7)),
        null,
        "damaged",
        true,
        List.of(
            new PastDecision(
                NOW, "GET", 200, 0, LogTag.TCP_HIT, decision, 321, true, true, true, "too large")),
        null);
  }
}
