package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http2.ErrorCode;
import io.loligo.server.Waiting;
import io.loligo.server.metrics.Counter;
import io.loligo.server.tls.TestAuthority;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bursts of requests to a server over TLS that no connection is open to, from one event loop. */
class SharedOpeningWireTest extends WireTest {
  private static final TestAuthority ROOT = TestAuthority.root("Test Root");
  private static final int BURST = 5;

  private Http2Origin server;
  private Http2Client client;

  @BeforeEach
  void start() throws Exception {
    TestAuthority.Issued issued = ROOT.issue(TestAuthority.server("127.0.0.1"));
    server =
        closing(Http2Origin.start(SecureServer.of(issued), call -> call.ok("of " + call.path())));
    startProxy(
        "http_port 127.0.0.1:0 accel h2c",
        "cache_peer 127.0.0.1 parent "
            + server.port()
            + " 0 no-query originserver tls tls-cafile="
            + ROOT.write(dir, "root.pem"));
    client = closing(Http2Client.connect(proxy.port()));
  }

  /** Sends requests, the first on stream {@code first}, and waits until all of them go upstream. */
  private void ask(int first) throws Exception {
    for (int i = 0; i < BURST; i++) {
      client.get(first + 2 * i, "site.test", "/" + (first + 2 * i));
    }
    client.ping(); // all frames are read
    client.ping(); // and the tasks behind them have run
  }

  private void assertAnswers(int first) throws Exception {
    for (int i = 0; i < BURST; i++) {
      int stream = first + 2 * i;
      assertThat(client.response(stream).status()).isEqualTo(200);
    }
  }

  @Test
  void shareOneConnectionIfTheOriginChoosesHttp2() throws Exception {
    CountDownLatch handshake = server.holdHandshakes();
    ask(1);
    handshake.countDown();
    assertAnswers(1);
    assertThat(server.connections()).isEqualTo(1);
    assertThat(server.requests()).hasSize(BURST);
    assertThat(proxy.counted(Counter.SERVER_HTTP2)).isEqualTo(BURST);
  }

  @Test
  void openAllConnectionsAfterTheFirstHandshakeIfItChoosesHttp1() throws Exception {
    server.choosesHttp1();
    CountDownLatch handshake = server.holdHandshakes();
    ask(1);
    Waiting.until("the first is there", () -> server.connections() == 1);
    CountDownLatch others = server.holdHandshakes();
    handshake.countDown();
    assertThat(client.response(1).status()).isEqualTo(200);
    Waiting.until("all others are dialled", () -> server.connections() == BURST);
    others.countDown();
    assertAnswers(1);
    assertThat(proxy.counted(Counter.SERVER_HTTP2)).isZero();
  }

  @Test
  void goOnWithoutTheRequestThatBeganIt() throws Exception {
    CountDownLatch handshake = server.holdHandshakes();
    ask(1);
    client.reset(1, ErrorCode.CANCEL);
    client.ping();
    handshake.countDown();
    for (int stream = 3; stream < 1 + 2 * BURST; stream += 2) {
      assertThat(client.response(stream).text()).isEqualTo("of /" + stream);
    }
    assertThat(server.connections()).isEqualTo(1);
    assertThat(server.requests()).noneMatch(request -> request.endsWith("/1"));
  }
}
