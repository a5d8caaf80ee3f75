package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.wire.LyingDns.Entry;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All addresses of an origin are tried before an error: of both versions of IP, by each method. */
class AllAddressesWireTest extends WireTest {
  private static final int PORTS_TRIED = 20;

  private static final String NAME = "many.test";
  private static final Entry REFUSES = Entry.a(NAME, 127, 0, 0, 2);
  private static final Entry SILENT = Entry.a(NAME, 127, 0, 0, 3);
  private static final Entry GOOD = Entry.a(NAME, 127, 0, 0, 1);
  private static final Entry V6 = Entry.a(NAME, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);

  private void startWith(Entry... entries) throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on(NAME, q -> q.send(q.message(0, 0, entries)));
    proxy =
        ProxyUnderTest.startAsking(
            dns.address(),
            configuration(
                "connect_timeout 1 hour",
                "forward_timeout 1 hour",
                "cache deny all",
                "loligo_dns_v4_first on",
                "logformat tries %request_attempts",
                "access_log stdio:" + dir.resolve("access.log") + " tries"));
  }

  private int status(String method, int port) throws IOException {
    RawClient client = client();
    String place = NAME + ":" + port;
    return switch (method) {
      case "CONNECT" ->
          Integer.parseInt(client.request("CONNECT", place).responseHead().substring(9, 12));
      case "POST" ->
          client
              .send(RawClient.head("POST", "http://" + place + "/", "Content-Length: 1") + "x")
              .response()
              .status();
      default -> client.get("http://" + place + "/").response().status();
    };
  }

  /**
   * Takes connections up to its backlog, which is full now: others get no answer. It has the port
   * of the origin; another program may have that one at all addresses, so the origin moves then.
   */
  private void fallSilent(String address) throws IOException {
    ServerSocket full = null;
    for (int left = PORTS_TRIED; full == null; left--) {
      try {
        full = closing(new ServerSocket(origin.port(), 1, InetAddress.getByName(address)));
      } catch (BindException taken) {
        if (left == 0) {
          throw taken;
        }
        origin = closing(ScriptedOrigin.start());
      }
    }
    boolean taken = true;
    while (taken) {
      Socket one = closing(new Socket());
      taken = PortOptionsWireTest.connects(one, (InetSocketAddress) full.getLocalSocketAddress());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "POST", "CONNECT"})
  void theLastOneAnswersAfterRefusalsAndSilence(String method) throws Exception {
    fallSilent("127.0.0.3");
    origin.otherwise(call -> call.ok("x"));
    startWith(REFUSES, V6, SILENT, GOOD);
    assertThat(status(method, origin.port())).isEqualTo(200);
    awaitCount(origin::connections, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "CONNECT"})
  void theOnlyOneOfTheOtherVersionAnswers(String method) throws Exception {
    ScriptedOrigin v6 =
        closing(ScriptedOrigin.start(InetAddress.getByAddress(V6.data()), 0, call -> call.ok("x")));
    startWith(REFUSES, SILENT, V6); // nobody listens at that port of IPv4
    assertThat(status(method, v6.port())).isEqualTo(200);
    awaitCount(v6::connections, 1);
  }

  @Test
  void theLogCountsEveryConnectionThatWasTried() throws Exception {
    origin.otherwise(call -> call.ok("x"));
    startWith(REFUSES, GOOD);
    RawClient tunnel = client();
    tunnel.request("CONNECT", NAME + ":" + origin.port()).responseHead();
    tunnel.close();
    status("GET", origin.port());
    status("GET", origin.port()); // on the kept connection
    assertThat(stopAndReadLog()).containsExactlyInAnyOrder("2", "2", "1");
  }

  @Test
  void theErrorComesAfterAllOfThem() throws Exception {
    startWith(REFUSES, SILENT, V6);
    int port = ProxyProcess.freePort();
    assertThat(List.of(status("GET", port), status("CONNECT", port))).containsExactly(503, 503);
    assertThat(stopAndReadLog()).containsExactly("3", "3");
  }
}
