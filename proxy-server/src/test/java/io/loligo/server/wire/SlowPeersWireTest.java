package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.Waiting;
import io.loligo.server.metrics.Counter;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Peers that move nothing any more, through real sockets: the proxy cuts a client after one window
 * and an origin after two, which the test lets pass. Peers that move a byte now and then are in
 * {@code Http1ConnectionTest} and {@code ResponseTest}.
 */
class SlowPeersWireTest extends WireTest {
  private static final String WINDOW = "loligo_rate_window 1 second";
  private static final int WINDOW_MILLIS = 1_000;

  private final HeldTime time = new HeldTime();

  /** Begins a head and does not go on; the proxy has read that much. */
  private RawClient halfAHead() throws Exception {
    RawClient client = client().send("GET http://x/ HTTP/1.1\r\nA: x");
    awaitLoop();
    return client;
  }

  private long tooSlow() {
    return proxy.refusals().get(ParseFailure.TOO_SLOW);
  }

  /** Lets this many windows pass; a peer that owes bytes since now is cut then, not before. */
  private void passWindows(int count) throws Exception {
    long before = tooSlow();
    time.passTimeouts(count * WINDOW_MILLIS - 100);
    assertThat(tooSlow()).isEqualTo(before);
    time.passTimeouts(300);
    awaitCount(this::tooSlow, before + 1);
  }

  @Test
  void answers408ToAHeadThatStops() throws Exception {
    startProxy(time, WINDOW);
    RawClient client = halfAHead();
    passWindows(1);
    assertThat(client.response().status()).isEqualTo(408);
    assertThat(stopAndReadLog()).last().asString().contains("TIMEDOUT/408");
  }

  @Test
  void answers408ToContentThatStops() throws Exception {
    startProxy(time, WINDOW);
    origin.on("/up", call -> assertThat(call.in().readAllBytes()).isNotEmpty());
    RawClient client =
        client().send(RawClient.head("POST", origin.url("/up"), "Content-Length: 100000") + "x");
    origin.awaitRequest("/up");
    awaitLoop();
    passWindows(1);
    assertThat(client.response().status()).isEqualTo(408);
    assertThat(stopAndReadLog()).last().asString().contains("TIMEDOUT/408");
  }

  /**
   * The system takes some of the response into its buffers first; the client owes nothing then. The
   * content is in memory, because the windows that pass would otherwise cut the origin too.
   */
  @Test
  void cutsAClientThatStopsReading() throws Exception {
    startProxy(
        time,
        WINDOW,
        "cache_mem 64 MB",
        "maximum_object_size 32 MB",
        "maximum_object_size_in_memory 32 MB");
    origin.onOk("/large", "x".repeat(24 << 20), "Cache-Control: max-age=60");
    assertThat(get("/large").text()).hasSize(24 << 20);
    RawClient client = closing(RawClient.connect(proxy.port(), 4_096));
    client.get(origin.url("/large")).responseHead();
    Waiting.until(
        "the client is cut",
        () -> {
          awaitLoop();
          time.passTimeouts(WINDOW_MILLIS);
          return proxy.counted(Counter.CLIENT_TOO_SLOW) == 1;
        });
    assertThat(client.untilClose().length()).isLessThan(24 << 20);
    assertThat(origin.requests()).hasSize(1);
    assertThat(stopAndReadLog()).last().asString().contains("TIMEDOUT");
  }

  /** Two others are cut meanwhile, the second one after a window that began when it was quiet. */
  @Test
  void leavesAQuietEventStreamAlone() throws Exception {
    startProxy(time, WINDOW);
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
    for (int i = 0; i < 2; i++) {
      RawClient slow = halfAHead();
      passWindows(1);
      assertThat(slow.response().status()).isEqualTo(408);
    }
    waited.countDown();
    assertThat(client.readContent(head, 2)).isEqualTo("b\n");
  }

  @Test
  void cutsAnAnswerThatStops() throws Exception {
    startProxy(time, WINDOW);
    origin.on(
        "/slow",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx");
          assertThat(call.in().read()).as("the proxy closes").isEqualTo(-1);
        });
    RawClient client = client().get(origin.url("/slow"));
    client.readContent(client.responseHead(), 1);
    awaitLoop();
    passWindows(2);
    assertThat(client.untilClose()).isEmpty();
  }
}
