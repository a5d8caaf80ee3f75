package io.loligo.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.SampleRecord;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OriginMissesTest {
  private static ExchangeRecord miss(String host, CacheReason reason) {
    ExchangeRecord record = SampleRecord.of("GET http://" + host + "/ HTTP/1.1", "Host: " + host);
    record.decision = new CacheDecision(Outcome.FETCH, reason, -1, -1);
    return record;
  }

  @Test
  void addsUpTheLoops() {
    ProxyMetrics metrics = new ProxyMetrics(2);
    metrics.loop(0).finished(miss("a", CacheReason.URI_MISS));
    metrics.loop(1).finished(miss("a", CacheReason.URI_MISS));
    ExchangeRecord refused = miss("b:81", CacheReason.STALE);
    refused.refusal = "private response";
    metrics.loop(1).finished(refused);
    assertThat(metrics.originMisses())
        .containsExactly(
            Map.entry("a", Map.of("nothing stored", 2L)),
            Map.entry("b:81", Map.of("stale", 1L, "not stored: private response", 1L)));
  }

  @Test
  void aStormOfOriginsIsBoundedAndLosesNoMiss() {
    ProxyMetrics metrics = new ProxyMetrics(1);
    for (int i = 0; i < 100; i++) {
      metrics.loop(0).finished(miss("busy", CacheReason.STALE));
    }
    int storm = 10 * OriginMisses.KEPT;
    for (int i = 0; i < storm; i++) {
      metrics.loop(0).finished(miss("h" + i, CacheReason.URI_MISS));
    }
    Map<String, Map<String, Long>> misses = metrics.originMisses();
    assertThat(misses).hasSize(OriginMisses.SHOWN + 1);
    assertThat(misses.keySet()).startsWith("busy").endsWith(OriginMisses.OTHER);
    assertThat(misses.get("busy")).containsEntry("stale", 100L);
    assertThat(misses.values().stream().mapToLong(m -> m.getOrDefault("nothing stored", 0L)).sum())
        .isEqualTo(storm);
  }
}
