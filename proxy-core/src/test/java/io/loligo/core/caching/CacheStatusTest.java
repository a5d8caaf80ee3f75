package io.loligo.core.caching;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.message.FieldLines;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("RFC 9211: Cache-Status")
class CacheStatusTest {
  @Test
  void hitShowsTheRemainingLifetime() {
    CacheDecision decision = new CacheDecision(Outcome.SERVE, CacheReason.FRESH, 10, 60);
    assertThat(hit("proxy.example", decision))
        .isEqualTo("Cache-Status: proxy.example; hit; ttl=50\r\n");
  }

  @Test
  void staleHitShowsANegativeOneAndWhy() {
    CacheDecision decision =
        new CacheDecision(
            Outcome.SERVE_STALE_AND_REVALIDATE, CacheReason.STALE_WHILE_REVALIDATE, 70, 60);
    assertThat(hit("p", decision))
        .isEqualTo("Cache-Status: p; hit; ttl=-10; detail=stale-while-revalidate\r\n");
  }

  @Test
  void hitFromDiskSaysSoUnlessThereIsMoreToSay() {
    FieldLines lines = new FieldLines(128);
    CacheDecision fresh = new CacheDecision(Outcome.SERVE, CacheReason.FRESH, 1, 60);
    CacheStatus.appendHit(lines, "p", fresh, true, null);
    CacheDecision negative = new CacheDecision(Outcome.SERVE, CacheReason.NEGATIVE, 1, 60);
    CacheStatus.appendHit(lines, "p", negative, true, null);
    assertThat(new String(lines.toBytes(), ISO_8859_1))
        .isEqualTo(
            "Cache-Status: p; hit; ttl=59; detail=disk\r\n"
                + "Cache-Status: p; hit; ttl=59; detail=negative\r\n");
  }

  @Test
  void forwardShowsReasonStatusAndFate() {
    CacheDecision decision = new CacheDecision(Outcome.FETCH, CacheReason.URI_MISS, -1, -1);
    assertThat(forward(decision, 200, true, false))
        .isEqualTo("Cache-Status: p; fwd=uri-miss; fwd-status=200; stored; ttl=55\r\n");
    assertThat(forward(decision, 0, false, true))
        .isEqualTo("Cache-Status: p; fwd=uri-miss; collapsed\r\n");
  }

  @Test
  @DisplayName("2.6: false where waiting for another's fetch was in vain")
  void tellsThatWaitingWasInVain() {
    FieldLines lines = new FieldLines(128);
    CacheDecision miss = new CacheDecision(Outcome.FETCH, CacheReason.URI_MISS, -1, -1);
    CacheStatus.appendForward(lines, "p", miss, 200, null, true, false, Responses.NOW, null);
    assertThat(new String(lines.toBytes(), ISO_8859_1))
        .isEqualTo("Cache-Status: p; fwd=uri-miss; fwd-status=200; collapsed=?0\r\n");
  }

  @Test
  void aStaleResponseServedOnErrorWasForwarded() {
    FieldLines lines = new FieldLines(128);
    CacheDecision why = new CacheDecision(Outcome.VALIDATE, CacheReason.STALE, 70, 60);
    CacheDecision now = new CacheDecision(Outcome.SERVE, CacheReason.VALIDATED, 0, 60);
    CacheStatus.appendStandIn(lines, "p", why, 304, now, "http://a/\"");
    assertThat(new String(lines.toBytes(), ISO_8859_1))
        .isEqualTo(
            "Cache-Status: p; fwd=stale; fwd-status=304; ttl=60; key=\"http://a/\\\"\""
                + "; detail=validated\r\n");
  }

  @Test
  @DisplayName("2.2: request only where it kept a fresh response from being used")
  void aRequestDirectiveIsTheCauseIfAFreshResponseIsStored() {
    CacheReason reason = CacheReason.REQUEST_NO_CACHE;
    assertThat(forward(new CacheDecision(Outcome.VALIDATE, reason, 1, 2), 200, false, false))
        .isEqualTo("Cache-Status: p; fwd=request; fwd-status=200; detail=no-cache\r\n");
    assertThat(forward(new CacheDecision(Outcome.VALIDATE, reason, 2, 2), 200, false, false))
        .isEqualTo("Cache-Status: p; fwd=stale; fwd-status=200; detail=no-cache\r\n");
    assertThat(forward(new CacheDecision(Outcome.FETCH, reason, -1, -1), 200, false, false))
        .isEqualTo("Cache-Status: p; fwd=miss; fwd-status=200; detail=no-cache\r\n");
  }

  @ParameterizedTest
  @CsvSource({"URI_MISS, uri-miss", "VARY_MISS, vary-miss", "DISK_UNREADABLE, miss"})
  @DisplayName("2.2: the kind of miss is given if it is known")
  void aRequestDirectiveDoesNotChangeTheCauseOfAMiss(CacheReason miss, String token) {
    CacheReason reason = CacheReason.REQUEST_NO_STORE;
    CacheDecision decision = new CacheDecision(Outcome.FETCH, reason, -1, -1, miss);
    assertThat(forward(decision, 200, false, false))
        .isEqualTo("Cache-Status: p; fwd=" + token + "; fwd-status=200; detail=no-store\r\n");
  }

  @ParameterizedTest
  @EnumSource(CacheReason.class)
  @DisplayName("2.2: every reason is one of the RFC's forward reasons")
  void reasonsAreTheRfcs(CacheReason reason) {
    CacheDecision decision = new CacheDecision(Outcome.FETCH, reason, 1, 2);
    assertThat(forward(decision, 200, false, false))
        .matches(
            "Cache-Status: p; fwd=(bypass|method|uri-miss|vary-miss|miss|request|stale|partial)"
                + "; fwd-status=200(; detail=.+)?\r\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "proxy.example|proxy.example",
        "Loligo|Loligo",
        "*x|*x",
        "host:3128|host:3128",
        "10.0.0.1|\"10.0.0.1\"",
        "my cache|\"my cache\"",
        "a\"b\\c|\"a\\\"b\\\\c\"",
        "café|\"caf?\"",
        "''|\"\""
      })
  @DisplayName("RFC 8941: a name is a token or a string")
  void quotesNamesThatAreNoTokens(String name, String item) {
    CacheDecision decision = new CacheDecision(Outcome.SERVE, CacheReason.FRESH, 0, 1);
    assertThat(hit(name, decision)).isEqualTo("Cache-Status: " + item + "; hit; ttl=1\r\n");
  }

  private static String hit(String name, CacheDecision decision) {
    FieldLines lines = new FieldLines(128);
    CacheStatus.appendHit(lines, name, decision, false, null);
    return new String(lines.toBytes(), ISO_8859_1);
  }

  private static String forward(
      CacheDecision decision, int status, boolean stored, boolean collapsed) {
    FieldLines lines = new FieldLines(128);
    StoredMeta meta =
        Responses.storability(Heads.get(), Heads.response(200, "Cache-Control: max-age=60")).meta();
    CacheStatus.appendForward(
        lines,
        "p",
        decision,
        status,
        stored ? meta : null,
        collapsed,
        collapsed,
        Responses.NOW + 5_000,
        null);
    return new String(lines.toBytes(), ISO_8859_1);
  }
}
