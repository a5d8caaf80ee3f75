package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The client behind trusted proxies: for rules, logs and the origin. */
class RealClientWireTest extends WireTest {
  private static final String TRUST_LOOPBACK = "follow_x_forwarded_for allow localhost";
  private static final String TRUST_TEN = "follow_x_forwarded_for allow ten";
  private static final String TEN = "acl ten src 10.0.0.0/8";
  private static final String CLIENT = "acl client src 192.0.2.7";

  @BeforeEach
  void answer() {
    origin.otherwise(call -> call.ok("x"));
  }

  private int status(String... fieldLines) throws Exception {
    return get("/", fieldLines).status();
  }

  @Test
  void aParentLearnsTheWayOfATunnel() throws Exception {
    startProxy(
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query",
        "never_direct allow all",
        "loligo_forwarded on");
    origin.otherwise(call -> call.send("HTTP/1.1 200 OK\r\n\r\n"));
    RawClient client = client();
    client.send("CONNECT host.test:443 HTTP/1.1\r\nHost: x\r\nVia: 1.0 before\r\n\r\n");
    assertThat(client.responseHead()).contains(" 200 ");
    assertThat(origin.lastRequest().head())
        .contains("X-Forwarded-For: 127.0.0.1\r\n", "Via: 1.0 before\r\n", "Via: 1.1 proxy.test")
        .contains("Forwarded: for=127.0.0.1;host=\"host.test:443\"\r\n");
  }

  @Test
  void rulesSeeTheAddressThatATrustedProxyNotes() throws Exception {
    startProxy(TRUST_LOOPBACK, CLIENT, "http_access allow client");
    assertThat(status("X-Forwarded-For: 192.0.2.7")).isEqualTo(200);
    assertThat(status("X-Forwarded-For: 192.0.2.8")).isEqualTo(403);
    assertThat(status()).isEqualTo(403);
  }

  @Test
  void theWalkEndsAtTheFirstAddressThatIsNotTrusted() throws Exception {
    startProxy(TEN, TRUST_TEN, TRUST_LOOPBACK, CLIENT, "http_access allow client");
    assertThat(status("X-Forwarded-For: 192.0.2.7, 10.0.0.1, 10.9.9.9")).isEqualTo(200);
    assertThat(status("X-Forwarded-For: 198.51.100.1, 192.0.2.7", "X-Forwarded-For: 10.0.0.1"))
        .isEqualTo(200);
    assertThat(status("X-Forwarded-For: 192.0.2.7, 198.51.100.1, 10.0.0.1")).isEqualTo(403);
  }

  @Test
  void aMemberThatIsNoAddressEndsTheWalk() throws Exception {
    startProxy(TEN, TRUST_TEN, TRUST_LOOPBACK, "acl last src 10.0.0.1", "http_access allow last");
    assertThat(status("X-Forwarded-For: 192.0.2.7, unknown, 10.0.0.1")).isEqualTo(200);
    assertThat(status("X-Forwarded-For: 192.0.2.7, 10.0.0.1")).isEqualTo(403);
  }

  @Test
  void theWalkEndsAfter64Addresses() throws Exception {
    startProxy(
        TEN, TRUST_TEN, TRUST_LOOPBACK, "acl deepest src 10.0.0.64", "http_access allow deepest");
    String last64 =
        IntStream.rangeClosed(1, 64)
            .mapToObj(i -> "10.0.0." + (65 - i))
            .collect(Collectors.joining(", "));
    assertThat(status("X-Forwarded-For: 192.0.2.7, " + last64)).isEqualTo(200);
  }

  @Test
  void noClientIsTrustedWithoutALine() throws Exception {
    startProxy(CLIENT, "http_access deny client", "http_access allow all");
    assertThat(status("X-Forwarded-For: 192.0.2.7", "Forwarded: for=192.0.2.7")).isEqualTo(200);
    assertThat(stopAndReadLog().get(0)).contains(" 127.0.0.1 ");
  }

  @Test
  void aStrangerIsNotTrusted() throws Exception {
    startProxy(TEN, TRUST_TEN, CLIENT, "http_access allow client");
    assertThat(status("X-Forwarded-For: 192.0.2.7")).isEqualTo(403);
  }

  @Test
  void logsShowTheIndirectClient() throws Exception {
    startProxy(
        TRUST_LOOPBACK,
        CLIENT,
        "logformat who %>a %>A",
        "access_log stdio:" + dir.resolve("access.log") + " who",
        "access_log stdio:" + dir.resolve("client.log") + " who client");
    get("/", "X-Forwarded-For: 192.0.2.7");
    get("/", "X-Forwarded-For: 2001:DB8::1");
    get("/");
    assertThat(stopAndReadLog())
        .containsExactly("192.0.2.7 192.0.2.7", "2001:db8::1 2001:db8::1", "127.0.0.1 127.0.0.1");
    assertThat(stopAndReadLog("client.log")).containsExactly("192.0.2.7 192.0.2.7");
  }

  @Test
  void logsShowTheConnectionIfTheyAreToldTo() throws Exception {
    startProxy(TRUST_LOOPBACK, "log_uses_indirect_client off", CLIENT, "http_access allow client");
    assertThat(status("X-Forwarded-For: 192.0.2.7")).isEqualTo(200);
    assertThat(stopAndReadLog().get(0)).contains(" 127.0.0.1 ");
  }

  @Test
  void rulesSeeTheConnectionIfTheyAreToldTo() throws Exception {
    startProxy(
        TEN,
        TRUST_TEN,
        TRUST_LOOPBACK,
        "acl_uses_indirect_client off",
        "http_access allow localhost");
    // each address is tested all the same: 10.0.0.1 is trusted, so 192.0.2.7 is the client
    assertThat(status("X-Forwarded-For: 192.0.2.7, 10.0.0.1")).isEqualTo(200);
    assertThat(stopAndReadLog().get(0)).contains(" 192.0.2.7 ");
  }

  @Test
  void theOriginGetsTheAddressOfTheConnection() throws Exception {
    startProxy(TRUST_LOOPBACK, "loligo_forwarded on");
    get("/", "X-Forwarded-For: 192.0.2.7");
    assertThat(origin.lastRequest().fields("X-Forwarded-For"))
        .containsExactly("192.0.2.7, 127.0.0.1");
    assertThat(origin.lastRequest().fields("Forwarded"))
        .containsExactly("for=127.0.0.1;host=\"" + origin.authority() + "\";proto=http");
  }

  @Test
  void forwardedIsReadInsteadIfItIsNamed() throws Exception {
    startProxy(TRUST_LOOPBACK, "loligo_follow_field Forwarded", CLIENT, "http_access allow client");
    assertThat(status("Forwarded: for=\"evil, for=192.0.2.7;proto=https")).isEqualTo(200);
    assertThat(status("X-Forwarded-For: 192.0.2.7")).isEqualTo(403);
    assertThat(status("Forwarded: for=192.0.2.8", "X-Forwarded-For: 192.0.2.7")).isEqualTo(403);
  }

  @Test
  void forwardedIsNotReadIfXForwardedForIs() throws Exception {
    startProxy(TRUST_LOOPBACK, CLIENT, "http_access allow client");
    assertThat(status("Forwarded: for=192.0.2.7")).isEqualTo(403);
    assertThat(status("Forwarded: for=192.0.2.7", "X-Forwarded-For: 192.0.2.8")).isEqualTo(403);
  }

  @Test
  void maxconnCountsTheConnectionsOfTheIndirectClient() throws Exception {
    startProxy(
        TRUST_LOOPBACK, "acl busy maxconn 1", "http_access deny busy", "http_access allow all");
    RawClient first = client();
    first.get(origin.url("/")).response();
    assertThat(status()).isEqualTo(403);
    assertThat(status("X-Forwarded-For: 192.0.2.7")).isEqualTo(200);
  }

  @Test
  void rulesForStoredResponsesSeeTheIndirectClient() throws Exception {
    startProxy(TRUST_LOOPBACK, CLIENT, "send_hit deny client", "send_hit allow all");
    origin.onOk("/page", "content", "Cache-Control: max-age=1000");
    get("/page");
    assertHit(get("/page"));
    assertForwarded(get("/page", "X-Forwarded-For: 192.0.2.7"), "bypass");
  }

  @Test
  void tunnelsHaveAnIndirectClientToo() throws Exception {
    startProxy(TRUST_LOOPBACK, CLIENT, "http_access allow client");
    RawClient client = client();
    String connect = "CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n";
    assertThat(client.send(connect + "X-Forwarded-For: 192.0.2.8\r\n\r\n").response().status())
        .isEqualTo(403);
    RawClient other = client();
    String head = other.send(connect + "X-Forwarded-For: 192.0.2.7\r\n\r\n").responseHead();
    assertThat(head).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void aReloadChangesTheTrust() throws Exception {
    startProxy(TRUST_LOOPBACK, CLIENT, "http_access allow client");
    assertThat(status("X-Forwarded-For: 192.0.2.7")).isEqualTo(200);
    assertThat(proxy.reload(configuration(CLIENT, "http_access allow client")).done()).isTrue();
    assertThat(status("X-Forwarded-For: 192.0.2.7")).isEqualTo(403);
  }
}
