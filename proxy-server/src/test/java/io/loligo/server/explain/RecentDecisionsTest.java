package io.loligo.server.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.SampleRecord;
import io.loligo.server.record.Stage;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecentDecisionsTest {
  private static ExchangeRecord record(long high, long low) {
    ExchangeRecord record = SampleRecord.of("GET http://h/ HTTP/1.1", "Host: h");
    record.keyHigh = high;
    record.keyLow = low;
    record.decision = new CacheDecision(Outcome.VALIDATE, CacheReason.STALE, 70, 60);
    return record;
  }

  @Test
  void returnsRecordedDecisions() {
    RecentDecisions recent = new RecentDecisions();
    ExchangeRecord record = record(-5, 7);
    record.number = 1L << 40;
    record.idPrefix = 1;
    record.tag = LogTag.TCP_REFRESH_MODIFIED;
    record.serverStatus = 404;
    record.status = 200;
    record.collapsed = true;
    record.aborted = true;
    record.refusal = "no-store response";
    record.stage(Stage.TOTAL, 1_900_000);
    record.stage(Stage.DNS, 700_999);
    record.stage(Stage.PROXY_REPLY, 1L << 60);
    recent.finished(record);
    assertThat(recent.of(-5, 7))
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(
            PastDecision.of(LogTag.TCP_REFRESH_MODIFIED)
                .endMillis(record.endMillis)
                .method("GET")
                .status(200)
                .serverStatus(404)
                .decision(record.decision)
                .stageMicros(
                    Map.of(Stage.DNS, 700, Stage.PROXY_REPLY, Integer.MAX_VALUE, Stage.TOTAL, 1900))
                .collapsed(true)
                .aborted(true)
                .notStored("no-store response")
                .requestId("0000000000000001-10000000000")
                .build());
    assertThat(recent.of(-5, 8)).isEmpty();
  }

  @Test
  void keepsRequestsWithoutDecisionAndNoneWithoutKey() {
    RecentDecisions recent = new RecentDecisions();
    ExchangeRecord record = record(1, 0);
    record.decision = null;
    recent.finished(record);
    assertThat(recent.of(1, 0)).singleElement().extracting(PastDecision::decision).isNull();
    recent.finished(record(0, 0));
    assertThat(recent.of(0, 0)).isEmpty();
  }

  @Test
  void theIdOfATrustedClientGoesWithItsOwnDecision() {
    RecentDecisions recent = new RecentDecisions();
    ExchangeRecord record = record(1, 2);
    record.givenId = "theirs";
    recent.finished(record);
    record.givenId = null;
    record.number = 5;
    recent.finished(record);
    assertThat(recent.of(1, 2))
        .extracting(PastDecision::requestId)
        .containsExactlyInAnyOrder("theirs", "0000000000000000-5");
  }

  @Test
  void aBusyKeyPushesOutItsOwnPastOnly() {
    RecentDecisions recent = new RecentDecisions();
    recent.finished(record(1L << 32, 1));
    for (int i = 0; i < 1000; i++) {
      ExchangeRecord busy = record(2L << 32, 2);
      busy.endMillis = i;
      recent.finished(busy);
    }
    assertThat(recent.of(1L << 32, 1)).hasSize(1);
    assertThat(recent.of(2L << 32, 2))
        .hasSize(RecentDecisions.WAYS)
        .allMatch(past -> past.endMillis() >= 1000 - RecentDecisions.WAYS);
  }
}
