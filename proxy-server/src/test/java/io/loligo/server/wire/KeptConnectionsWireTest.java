package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http2.ErrorCode;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * How long connections are kept ({@code pconn_lifetime}), and the requests that are sent on one
 * that was used before ({@code server_pconn_for_nonretriable}).
 */
class KeptConnectionsWireTest extends WireTest {
  private static final String LIFETIME = "pconn_lifetime 2 seconds";

  private final HeldTime time = new HeldTime();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);

  private void growOld() throws Exception {
    awaitLoop();
    time.passTimeouts(2_200);
  }

  /** Answers when the test says so. */
  private void answerLater(ScriptedOrigin.Call call) throws Exception {
    asked.countDown();
    await(answer);
    call.ok("late");
  }

  // ---- clients

  @Test
  void anOldIdleConnectionIsClosed() throws Exception {
    startProxy(time, LIFETIME);
    origin.onOk("/a", "x");
    RawClient client = client();
    assertThat(client.get(origin.url("/a")).response().status()).isEqualTo(200);
    time.passTimeouts(1_500);
    WireMessage second = client.get(origin.url("/a")).response();
    assertThat(second.field("Connection")).isNotEqualTo("close");
    time.passTimeouts(1_000);
    client.expectClose();
  }

  @Test
  void aRequestInProgressIsAnsweredAndIsTheLast() throws Exception {
    startProxy(time, LIFETIME);
    origin.on("/a", this::answerLater);
    RawClient client = client().get(origin.url("/a"));
    await(asked);
    growOld();
    answer.countDown();
    WireMessage last = client.response();
    assertThat(last.text()).isEqualTo("late");
    assertThat(last.field("Connection")).isEqualTo("close");
    client.expectClose();
  }

  @Test
  void aResponseThatHasBegunIsTheLast() throws Exception {
    startProxy(time, LIFETIME);
    origin.on(
        "/a",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
          await(answer);
          call.send("half");
        });
    RawClient client = client().get(origin.url("/a"));
    client.readContent(client.responseHead(), 4);
    growOld();
    answer.countDown();
    assertThat(client.untilClose()).isEqualTo("half");
  }

  @Test
  void aTunnelGoesOn() throws Exception {
    startProxy(time, LIFETIME);
    origin.onOk("/a", "x");
    RawClient client = client().request("CONNECT", origin.authority());
    client.responseHead();
    growOld();
    client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("x");
  }

  @Test
  void anOldConnectionOfHttp2EndsWithoutAnError() throws Exception {
    startProxy(
        time,
        LIFETIME,
        "http_port 127.0.0.1:0 accel h2c",
        "http_port 127.0.0.1:0",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver",
        "never_direct allow all");
    origin.on("/a", this::answerLater);
    Http2Client client = closing(Http2Client.connect(proxy.port(0)));
    client.get(1, "site.test", "/a");
    await(asked);
    time.passTimeouts(2_200);
    answer.countDown();
    assertThat(client.response(1).text()).isEqualTo("late");
    assertThat(client.end()).isEqualTo(ErrorCode.NO_ERROR);
  }

  // ---- origins

  /** Answers, and tells when the proxy has closed the connection. */
  private CountDownLatch closedAfter(String path, ScriptedOrigin.Script script) {
    CountDownLatch closed = new CountDownLatch(1);
    origin.on(
        path,
        call -> {
          script.answer(call);
          assertThat(call.in().read()).isEqualTo(-1);
          closed.countDown();
          call.close();
        });
    return closed;
  }

  @Test
  void anOldIdleConnectionToTheOriginIsClosed() throws Exception {
    startProxy(time, LIFETIME);
    CountDownLatch closed = closedAfter("/a", call -> call.ok("x"));
    get("/a");
    growOld();
    await(closed);
  }

  @Test
  void anOldConnectionToTheOriginIsNotUsedAgain() throws Exception {
    startProxy(time, LIFETIME);
    CountDownLatch closed = closedAfter("/a", this::answerLater);
    RawClient client = client().get(origin.url("/a"));
    await(asked);
    growOld();
    answer.countDown();
    assertThat(client.response().text()).isEqualTo("late");
    await(closed);
    origin.onOk("/b", "x");
    get("/b");
    assertThat(origin.connections()).isEqualTo(2);
  }

  @Test
  void anOldConnectionOfHttp2ToTheOriginTakesNoFurtherRequest() throws Exception {
    TestAuthority root = TestAuthority.root("Test Root");
    TestAuthority.Issued issued = root.issue(TestAuthority.server("127.0.0.1"));
    Http2Origin secure =
        closing(Http2Origin.start(SecureServer.of(issued), call -> call.ok("over HTTP/2")));
    startProxy(time, LIFETIME, "tls_outgoing_options cafile=" + root.write(dir, "root.pem"));
    for (int i = 0; i < 2; i++) {
      assertThat(client().get(secure.url("/" + i)).response().text()).isEqualTo("over HTTP/2");
    }
    assertThat(secure.connections()).isEqualTo(1);
    growOld();
    assertThat(client().get(secure.url("/2")).response().text()).isEqualTo("over HTTP/2");
    assertThat(secure.connections()).isEqualTo(2);
  }

  // ---- requests that must not be sent twice

  private void keepOne() throws IOException {
    origin.onOk("/kept", "x");
    assertThat(get("/kept").status()).isEqualTo(200);
  }

  @Test
  void aPostGetsAConnectionOfItsOwn() throws Exception {
    startProxy("acl risk method PUT", "server_pconn_for_nonretriable allow risk");
    keepOne();
    origin.onOk("/post", "done");
    assertThat(send("POST", "/post", "x").text()).isEqualTo("done");
    assertThat(origin.connections()).isEqualTo(2);
  }

  @Test
  void anAllowedPostRisksAKeptConnection() throws Exception {
    startProxy("acl risk method POST", "server_pconn_for_nonretriable allow risk");
    keepOne();
    origin.onOk("/post", "done");
    assertThat(send("POST", "/post", "x").text()).isEqualTo("done");
    assertThat(origin.connections()).isEqualTo(1);
  }

  /** Whether it was carried out is unknown (RFC 9110 section 9.2.2). */
  @Test
  void aPostThatFailsThereIsNotRepeated() throws Exception {
    startProxy("server_pconn_for_nonretriable allow all");
    keepOne();
    origin.on("/post", ScriptedOrigin.Call::close);
    assertThat(send("POST", "/post", "x").status()).isEqualTo(502);
    assertThat(origin.fetches("/post")).isEqualTo(1);
    assertThat(origin.connections()).isEqualTo(1);
  }

  /** The same lines in Squid: the same status, and the same connections. */
  @Test
  void squidRisksTheSame() throws Exception {
    String[] lines = {"acl risk method POST", "server_pconn_for_nonretriable allow risk"};
    startProxy(lines);
    String ours = risked(proxy.port());
    int port = ProxyProcess.freePort();
    String all = String.join("\n", lines) + "\nhttp_access allow all\ncache deny all";
    try (ProxyProcess squid =
        SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), List.of(all))) {
      squid.awaitPort(port);
      assertThat(ours).isEqualTo(risked(port));
    }
  }

  private String risked(int port) throws IOException {
    origin.onOk("/kept", "x");
    origin.onOk("/post", "done");
    origin.on("/fails", ScriptedOrigin.Call::close);
    int before = origin.connections();
    StringBuilder seen = new StringBuilder();
    for (String each : new String[] {"GET /kept", "POST /post", "PUT /post", "POST /fails"}) {
      String[] parts = each.split(" ", -1);
      String content = parts[0].equals("GET") ? "" : "Content-Length: 1\r\n";
      try (RawClient client = RawClient.connect(port)) {
        client.send(
            parts[0]
                + " "
                + origin.url(parts[1])
                + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                + content
                + "\r\n"
                + (content.isEmpty() ? "" : "x"));
        seen.append(each).append(' ').append(client.responseTo(parts[0]).status());
        seen.append(' ').append(origin.connections() - before).append('\n');
      }
    }
    return seen.toString();
  }
}
