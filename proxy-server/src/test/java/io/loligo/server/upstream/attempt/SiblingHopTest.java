package io.loligo.server.upstream.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Method;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.Settings;
import io.loligo.server.upstream.route.CachePeers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests to siblings, which answer from their store or not at all. */
class SiblingHopTest extends AttemptFixture {
  private static final String CONTROL = "max-age=259200, only-if-cached";

  private final CachePeer peer = CachePeers.of(Settings.parent("a"));
  private final Hop sibling =
      new Hop.Sibling(
          peer, HierarchyCode.SIBLING_HIT, null, null, peer.form().withCacheControl(CONTROL));

  private OutgoingRequest asked() {
    return OutgoingRequest.of("GET", Method.GET)
        .authority("origin.example")
        .path(latin1("/path?q"))
        .fieldLines(latin1("Host: origin.example\r\nCache-Control: no-transform\r\nA: b\r\n"))
        .build();
  }

  @Test
  void itIsToldToAnswerFromItsStore() {
    fetch(asked(), sibling, ORIGIN);
    assertThat(last().sent())
        .isEqualTo(
            "GET http://origin.example/path?q HTTP/1.1\r\n"
                + "Host: origin.example\r\nA: b\r\nCache-Control: "
                + CONTROL
                + "\r\nConnection: keep-alive\r\n\r\n");
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 407, 502, 503, 504})
  void theNextHopIsAskedIfItLacksTheResponse(int status) {
    Listening seen = fetch(asked(), sibling, ORIGIN);
    last().answer("HTTP/1.1 " + status + " No\r\nContent-Length: 2\r\n\r\nno");
    settle();
    assertThat(last().sent()).startsWith("GET /path?q ").contains("Cache-Control: no-transform\r");
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    assertThat(seen.stream.timings().code).isEqualTo(HierarchyCode.HIER_DIRECT);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 304, 404})
  void itsOtherResponsesAreTheAnswer(int status) {
    Listening seen = fetch(asked(), sibling, ORIGIN);
    last().answer("HTTP/1.1 " + status + " x\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.over()).isTrue();
    assertThat(seen.stream.timings().code).isEqualTo(HierarchyCode.SIBLING_HIT);
  }

  @Test
  void theLastHopsAnswerStands() {
    Listening seen = fetch(asked(), sibling);
    last().answer("HTTP/1.1 504 No\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.events).containsExactly("head 504 LENGTH", "end");
  }

  @Test
  void aSiblingThatDoesNotAnswerIsLeftAfterFiveSecondsAndNotUsedForAWhile() {
    Listening seen = fetch(asked(), sibling, ORIGIN);
    pass(4_800);
    assertThat(health.alive(peer)).isTrue();
    assertThat(transport.connections()).hasSize(1);
    pass(400);
    assertThat(health.alive(peer)).isFalse();
    assertThat(last().sent()).startsWith("GET /path?q ");
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
    pass(10_000);
    assertThat(health.alive(peer)).isTrue();
  }

  /** Else read_timeout would end the fetch with 504. */
  @Test
  void aSiblingThatDoesNotAnswerIsLeftWithinAShortReadTimeout() {
    settings.readMillis = 2_000;
    Listening seen = fetch(asked(), sibling, ORIGIN);
    pass(1_200);
    assertThat(last().sent()).startsWith("GET /path?q ");
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
  }

  @Test
  void aSiblingIsWaitedForOnceItsAnswerHasBegun() {
    Listening seen = fetch(asked(), sibling, ORIGIN);
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
    pass(20_000);
    last().answer("ok");
    settle();
    assertThat(seen.over()).isTrue();
    assertThat(health.alive(peer)).isTrue();
    assertThat(transport.connections()).hasSize(1);
  }

  @Test
  void aSiblingThatMayFetchHasItsTime() {
    Hop fetching = new Hop.Sibling(peer, HierarchyCode.SIBLING_HIT, null, null, peer.form());
    Listening seen = fetch(asked(), fetching, ORIGIN);
    pass(20_000);
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.over()).isTrue();
    assertThat(transport.connections()).hasSize(1);
  }

  @Test
  void theLastHopHasItsTime() {
    Listening seen = fetch(asked(), sibling);
    pass(20_000);
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.over()).isTrue();
  }

  @Test
  void aSiblingThatClosesIsLeft() {
    Listening seen = fetch(asked(), sibling, ORIGIN);
    last().close();
    settle();
    last().answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    assertThat(seen.events).containsExactly("head 200 LENGTH", "end");
  }
}
