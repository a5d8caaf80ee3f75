package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.metrics.Counter;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Peers that move nothing any more, through real sockets: the proxy cuts each after one window. No
 * test waits for anything but that. Peers that move a byte now and then are played on a clock that
 * a test moves, in {@code Http1ConnectionTest} and {@code ResponseTest}.
 */
class SlowPeersWireTest extends WireTest {
  private static final String WINDOW = "loligo_rate_window 1 second";

  /** Begins a head and does not go on; returns when the proxy has answered. */
  private WireMessage answerToHalfAHead() throws Exception {
    return client().send("GET http://x/ HTTP/1.1\r\nA: x").response();
  }

  @Test
  void answers408ToAHeadThatStops() throws Exception {
    startProxy(WINDOW);
    assertThat(answerToHalfAHead().status()).isEqualTo(408);
    awaitCount(() -> proxy.refusals().get(ParseFailure.TOO_SLOW), 1);
    assertThat(stopAndReadLog()).hasSize(1).first().asString().contains("TIMEDOUT/408");
  }

  @Test
  void answers408ToContentThatStops() throws Exception {
    startProxy(WINDOW);
    origin.on("/up", call -> assertThat(call.in().readAllBytes()).isNotEmpty());
    RawClient client =
        client().send(RawClient.head("POST", origin.url("/up"), "Content-Length: 100000") + "x");
    assertThat(client.response().status()).isEqualTo(408);
    awaitCount(() -> proxy.refusals().get(ParseFailure.TOO_SLOW), 1);
    assertThat(stopAndReadLog()).hasSize(1).first().asString().contains("TIMEDOUT/408");
  }

  @Test
  void cutsAClientThatStopsReading() throws Exception {
    startProxy(WINDOW);
    origin.onOk("/large", "x".repeat(24 << 20));
    RawClient client = closing(RawClient.connect(proxy.port(), 4_096));
    client.get(origin.url("/large")).responseHead();
    awaitCount(() -> proxy.counted(Counter.CLIENT_TOO_SLOW), 1);
    assertThat(client.untilClose().length()).isLessThan(24 << 20);
    assertThat(stopAndReadLog()).hasSize(1).first().asString().contains("TIMEDOUT");
  }

  /** Two others are cut meanwhile, the second one after a window that began when it was quiet. */
  @Test
  void leavesAQuietEventStreamAlone() throws Exception {
    startProxy(WINDOW);
    CountDownLatch waited = new CountDownLatch(1);
    origin.on(
        "/events",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n");
          await(waited);
          call.send("2\r\nb\n\r\n");
          assertThat(call.in().read()).isEqualTo(-1);
        });
    RawClient client = client().get(origin.url("/events"));
    String head = client.responseHead();
    client.readContent(head, 2);
    assertThat(answerToHalfAHead().status()).isEqualTo(408);
    assertThat(answerToHalfAHead().status()).isEqualTo(408);
    waited.countDown();
    assertThat(client.readContent(head, 2)).isEqualTo("b\n");
  }

  @Test
  void cutsAnAnswerThatStops() throws Exception {
    startProxy(WINDOW);
    origin.on(
        "/slow",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx");
          assertThat(call.in().read()).as("the proxy closes").isEqualTo(-1);
        });
    RawClient client = client().get(origin.url("/slow"));
    client.responseHead();
    assertThat(client.untilClose()).isEqualTo("x");
    awaitCount(() -> proxy.refusals().get(ParseFailure.TOO_SLOW), 1);
  }
}
