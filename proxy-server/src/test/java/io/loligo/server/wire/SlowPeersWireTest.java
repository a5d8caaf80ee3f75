package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.metrics.Counter;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Peers that move an octet now and then, through real sockets. The pauses are the peer's pace; what
 * is waited for is that the proxy cuts it.
 */
class SlowPeersWireTest extends WireTest {
  private static final int PAUSE_MILLIS = 100;
  private static final String WINDOW = "loligo_rate_window 1 second";

  /** Sends an octet after each pause until an answer begins; the answer. */
  private WireMessage answerToTrickle(RawClient client) throws IOException {
    client.guard(PAUSE_MILLIS);
    for (int i = 0; i < RawClient.GUARD_MILLIS / PAUSE_MILLIS; i++) {
      client.sendIgnoringReset(new byte[] {'x'});
      client.in().mark(1);
      try {
        if (client.in().read() >= 0) {
          client.in().reset();
          client.guard(RawClient.GUARD_MILLIS);
          return client.response();
        }
      } catch (SocketTimeoutException nothingYet) {
        assertThat(nothingYet).isNotNull();
      }
    }
    throw new AssertionError("no answer to an octet every " + PAUSE_MILLIS + " ms");
  }

  @Test
  void answers408ToAHeadThatTrickles() throws Exception {
    startProxy(WINDOW);
    RawClient client = client().send("GET http://x/ HTTP/1.1\r\nA: ");
    assertThat(answerToTrickle(client).status()).isEqualTo(408);
    awaitCount(() -> proxy.refusals().get(ParseFailure.TOO_SLOW), 1);
    assertThat(stopAndReadLog()).hasSize(1).first().asString().contains("TIMEDOUT/408");
  }

  @Test
  void answers408ToContentThatTrickles() throws Exception {
    startProxy(WINDOW);
    origin.on("/up", call -> assertThat(call.in().readAllBytes()).isNotEmpty());
    RawClient client =
        client().send(RawClient.head("POST", origin.url("/up"), "Content-Length: 100000"));
    assertThat(answerToTrickle(client).status()).isEqualTo(408);
    awaitCount(() -> proxy.refusals().get(ParseFailure.TOO_SLOW), 1);
    assertThat(stopAndReadLog()).hasSize(1).first().asString().contains("TIMEDOUT/408");
  }

  @Test
  void cutsAClientThatTakesAnOctetNowAndThen() throws Exception {
    startProxy(WINDOW);
    origin.onOk("/large", "x".repeat(24 << 20));
    RawClient client = closing(RawClient.connect(proxy.port(), 4_096));
    client.get(origin.url("/large")).responseHead();
    for (int i = 0; proxy.counted(Counter.CLIENT_TOO_SLOW) == 0; i++) {
      assertThat(i).isLessThan(RawClient.GUARD_MILLIS / PAUSE_MILLIS);
      client.read(1);
      Thread.sleep(PAUSE_MILLIS); // the client's pace
    }
    assertThat(stopAndReadLog()).hasSize(1).first().asString().contains("TIMEDOUT");
  }

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
    client.guard(2_500);
    assertThatThrownBy(client::untilClose).isInstanceOf(SocketTimeoutException.class);
    client.guard(RawClient.GUARD_MILLIS);
    waited.countDown();
    assertThat(client.readContent(head, 2)).isEqualTo("b\n");
  }

  @Test
  void cutsAnAnswerThatTrickles() throws Exception {
    startProxy(WINDOW);
    CountDownLatch over = new CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
          try {
            while (over.getCount() > 0) {
              call.send("x");
              Thread.sleep(PAUSE_MILLIS); // the origin's pace
            }
          } finally {
            call.close();
          }
        });
    RawClient client = client().get(origin.url("/slow"));
    client.responseHead();
    assertThat(client.untilClose().length()).isLessThan(1_000);
    over.countDown();
    awaitCount(() -> proxy.refusals().get(ParseFailure.TOO_SLOW), 1);
  }
}
