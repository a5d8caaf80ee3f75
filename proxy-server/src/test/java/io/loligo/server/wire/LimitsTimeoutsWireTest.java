package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Timeouts and limits through real sockets. The time of a timeout is let pass. */
class LimitsTimeoutsWireTest extends WireTest {
  private final HeldTime time = new HeldTime();

  /** Lets more than a second pass, from when the proxy has read everything sent so far. */
  private void passASecond() throws Exception {
    awaitLoop();
    time.passTimeouts(1_200);
  }

  @Test
  void answers408ToAHeadThatDoesNotEnd() throws Exception {
    startProxy(time, "request_timeout 1 second");
    RawClient client = client();
    client.send("GET http://x/ HTTP/1.1\r\nHost:");
    passASecond();
    assertThat(client.response().status()).isEqualTo(408);
    client.expectClose();
    assertThat(stopAndReadLog()).last().asString().contains("/408 ");
  }

  @Test
  void closesAConnectionThatNeverAsks() throws Exception {
    startProxy(time, "request_start_timeout 1 second");
    RawClient client = client();
    passASecond();
    String last = client.untilClose();
    assertThat(last)
        .satisfiesAnyOf(
            text -> assertThat(text).isEmpty(),
            text -> assertThat(text).startsWith("HTTP/1.1 408 "));
  }

  @Test
  void closesAnIdleKeptConnection() throws Exception {
    startProxy(time, "client_idle_pconn_timeout 1 second");
    origin.onOk("/i", "x");
    RawClient client = client();
    assertThat(client.get(origin.url("/i")).response().status()).isEqualTo(200);
    passASecond();
    client.expectClose();
  }

  @Test
  void closesAnIdleOriginConnection() throws Exception {
    startProxy(time, "server_idle_pconn_timeout 1 second");
    CountDownLatch closed = new CountDownLatch(1);
    origin.on(
        "/i",
        call -> {
          call.ok("x");
          assertThat(call.in().read()).isEqualTo(-1);
          closed.countDown();
          call.close();
        });
    get("/i");
    passASecond();
    await(closed);
  }

  @Test
  void answers504WhereTheOriginDoesNotAnswer() throws Exception {
    startProxy(time, "read_timeout 1 second");
    origin.on("/stall", call -> assertThat(call.in().read()).isEqualTo(-1));
    RawClient client = client().get(origin.url("/stall"));
    origin.awaitRequest("/stall");
    passASecond();
    assertThat(client.response().status()).isEqualTo(504);
  }

  @Test
  void cutsAResponseThatStopsComing() throws Exception {
    startProxy(time, "read_timeout 1 second");
    origin.on(
        "/stall",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
          assertThat(call.in().read()).isEqualTo(-1);
        });
    RawClient client = client().get(origin.url("/stall"));
    client.readContent(client.responseHead(), 4);
    passASecond();
    client.expectClose();
  }

  @Test
  void answers504WhereAConnectionCannotBeMadeInTime() throws Exception {
    startProxy(time, "connect_timeout 1 second");
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<Socket> waiting = fill(full, 1);
      RawClient client = client().get("http://127.0.0.1:" + full.getLocalPort() + "/");
      passASecond();
      assertThat(client.response().status()).isIn(503, 504);
      for (Socket socket : waiting) {
        socket.close();
      }
    }
  }

  @Test
  void answers504WhereNoWayIsFoundInTime() throws Exception {
    startProxy(time, "forward_timeout 1 second", "connect_timeout 1 hour");
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<Socket> waiting = fill(full, 1);
      RawClient client = client().get("http://127.0.0.1:" + full.getLocalPort() + "/");
      passASecond();
      assertThat(client.response().status()).isIn(503, 504);
      for (Socket socket : waiting) {
        socket.close();
      }
    }
  }

  /** Fills the queue of a listener that accepts nothing: Linux keeps one more than the backlog. */
  static List<Socket> fill(ServerSocket full, int backlog) throws Exception {
    List<Socket> waiting = new ArrayList<>();
    for (int i = 0; i <= backlog; i++) {
      waiting.add(new Socket(full.getInetAddress(), full.getLocalPort()));
    }
    return waiting;
  }

  @Test
  void answers413ForTooMuchContent() throws Exception {
    startProxy("request_body_max_size 1 KB");
    origin.on("/b", call -> call.ok(call.whole().text()));
    WireMessage small = send("POST", "/b", "x".repeat(1000));
    assertThat(small.status()).isEqualTo(200);
    RawClient client = client();
    client.send(RawClient.head("POST", origin.url("/b"), "Content-Length: 2000"));
    assertThat(client.response().status()).isEqualTo(413);
    assertThat(origin.fetches("/b")).isEqualTo(1);
  }

  @Test
  void answersOneRequestPerConnectionWherePersistenceIsOff() throws Exception {
    startProxy("client_persistent_connections off", "server_persistent_connections off");
    origin.onOk("/p", "x");
    RawClient client = client();
    WireMessage answer = client.get(origin.url("/p")).response();
    assertThat(answer.field("Connection")).isEqualToIgnoringCase("close");
    client.expectClose();
    get("/p");
    assertThat(origin.connections()).isEqualTo(2);
  }

  @Test
  void deniesAboveMaxconn() throws Exception {
    startProxy("acl many maxconn 2", "http_access deny many", "http_access allow all");
    origin.onOk("/m", "x");
    for (int connections = 1; connections <= 3; connections++) {
      int expected = connections <= 2 ? 200 : 403;
      assertThat(client().get(origin.url("/m")).response().status()).isEqualTo(expected);
    }
  }
}
