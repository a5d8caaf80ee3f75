package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.server.config.TextSource;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The effect of each option of cache_peer, as its tag names it. */
class PeerOptionsWireTest extends WireTest {
  private static final String URL = "http://site.example/a";
  private static final String FRESH = "Cache-Control: max-age=1000";

  private static String peer(int port, String options) {
    return "cache_peer 127.0.0.1 parent " + port + " 0 no-digest " + options;
  }

  /** Starts it with the origin as the only way onward, with these options. */
  private void startWith(String options) throws Exception {
    startProxy(peer(origin.port(), options), "never_direct allow all");
  }

  private WireMessage ask(String... fieldLines) throws IOException {
    return client().get(URL, fieldLines).response();
  }

  private static String basic(String credentials) {
    byte[] bytes = credentials.getBytes(StandardCharsets.ISO_8859_1);
    return "Basic " + Base64.getEncoder().encodeToString(bytes);
  }

  private List<String> hierarchy() throws Exception {
    return stopAndReadLog().stream().map(line -> line.split(" +", -1)[8]).toList();
  }

  @Test
  void everyDocumentedOptionHasATest() {
    Set<String> tested = PortOptionsWireTest.tested(getClass());
    tested.addAll(PortOptionsWireTest.tested(ParentHashWireTest.class));
    tested.addAll(PortOptionsWireTest.tested(PeerChecksWireTest.class));
    tested.addAll(PortOptionsWireTest.tested(StandbyWireTest.class));
    tested.addAll(PortOptionsWireTest.tested(SecurePeerWireTest.class));
    tested.addAll(PortOptionsWireTest.tested(Http2OriginWireTest.class));
    tested.addAll(PortOptionsWireTest.tested(PeerProxyProtocolWireTest.class));
    tested.addAll(PortOptionsWireTest.tested(KerberosPeerWireTest.class));
    tested.addAll(PortOptionsWireTest.tested(IcpWireTest.class));
    tested.addAll(PortOptionsWireTest.tested(HtcpWireTest.class));
    tested.addAll(PortOptionsWireTest.tested(PeerDigestWireTest.class));
    assertThat(tested)
        .isEqualTo(PortOptionsWireTest.documented("cache_peer"))
        .contains("no-query", "forceddomain");
  }

  @Test
  @Tag("no-query")
  void noQueryIsAPeerThatIsNotAsked() throws Exception {
    try (DatagramSocket icp = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      startProxy(
          "icp_port " + IcpNeighbour.freePort(),
          "udp_incoming_address 127.0.0.1",
          "cache_peer 127.0.0.1 parent " + origin.port() + " " + icp.getLocalPort() + " no-query",
          "never_direct allow all");
      origin.onOk(URL, "content");
      assertThat(ask().text()).isEqualTo("content");
      icp.setSoTimeout(1);
      assertThat(PortOptionsWireTest.receives(icp)).isFalse();
    }
  }

  @Test
  @Tag("originserver")
  void originserverGetsOriginForm() throws Exception {
    startWith("originserver");
    origin.onOk("/a", "content");
    assertThat(ask().text()).isEqualTo("content");
    assertThat(origin.lastRequest().startLine()).isEqualTo("GET /a HTTP/1.1");
  }

  /** The options of Squid 5.7 that have no effect: each warning tells why. */
  @ParameterizedTest
  @CsvSource({
    "multicast-siblings, group",
    "connection-auth=on, NTLM",
    "connection-auth=off, NTLM",
  })
  void anOptionWithoutEffectIsTold(String option, String reason) {
    String line = "cache_peer a parent 80 0 no-query " + option;
    ConfigResult read = TextSource.load("http_port 3128\n" + line);
    assertThat(read.errors()).isEmpty();
    assertThat(read.warnings())
        .extracting(ConfigProblem::advice)
        .anyMatch(text -> text.startsWith("accepted without effect") && text.contains(reason));
  }

  @Test
  void aParentGetsAbsoluteForm() throws Exception {
    startWith("no-query");
    origin.onOk(URL, "content");
    assertThat(ask().text()).isEqualTo("content");
    assertThat(origin.lastRequest().startLine()).isEqualTo("GET " + URL + " HTTP/1.1");
  }

  @Test
  @Tag("name")
  void accessLinesUseTheNameAndOneHostMayHaveSeveral() throws Exception {
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    startProxy(
        peer(origin.port(), "name=one"),
        peer(other.port(), "name=two"),
        "cache_peer_access one deny all",
        "never_direct allow all");
    other.onOk(URL, "from two");
    assertThat(ask().text()).isEqualTo("from two");
    assertThat(origin.connections()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"default, DEFAULT_PARENT", "no-query, ANY_OLD_PARENT"})
  @Tag("default")
  void defaultIsTheParentOfLastResort(String option, String code) throws Exception {
    int port = ProxyProcess.freePort();
    startProxy(peer(port, "connect-fail-limit=1 " + option), "never_direct allow all");
    assertThat(ask().status()).isEqualTo(503);
    assertThat(ask().status()).isEqualTo(503); // it is known to be down now
    assertThat(hierarchy()).containsExactly("FIRSTUP_PARENT/127.0.0.1", code + "/127.0.0.1");
  }

  @Test
  @Tag("round-robin")
  @Tag("weight")
  void roundRobinTakesTurnsByWeight() throws Exception {
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    startProxy(
        peer(origin.port(), "round-robin name=one weight=3"),
        peer(other.port(), "round-robin name=two"),
        "cache deny all",
        "never_direct allow all");
    origin.onOk(URL, "one");
    other.onOk(URL, "two");
    for (int i = 0; i < 8; i++) {
      ask();
    }
    assertThat(origin.requests()).hasSize(6);
    assertThat(other.requests()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    "originserver, Authorization, u:p, u:p",
    "no-query, Proxy-Authorization, u:p, u:p",
    "no-query, Proxy-Authorization, u:p%3a%20x, u:p: x",
  })
  @Tag("login")
  void loginIsSent(String option, String field, String login, String sent) throws Exception {
    startWith(option + " login=" + login);
    origin.onOk(option.equals("originserver") ? "/a" : URL, "content");
    // credentials of the client for others are not beside it
    assertThat(ask(field + ": " + basic("client:own")).text()).isEqualTo("content");
    assertThat(origin.lastRequest().fields(field)).containsExactly(basic(sent));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PASS", "PASSTHRU"})
  void loginPassSendsTheClientsToAnOriginServer(String login) throws Exception {
    startWith("originserver login=" + login);
    origin.onOk("/a", "content");
    String own = basic("client:own");
    assertThat(ask("Authorization: " + own).text()).isEqualTo("content");
    assertThat(origin.lastRequest().fields("Authorization")).containsExactly(own);
  }

  @ParameterizedTest
  @CsvSource({
    "no-query, PASS, bob:secret",
    "no-query, PASSTHRU, bob:secret",
    "no-query, *:both, bob:both",
    "no-query, *, bob",
    "originserver, *:both, bob:both",
  })
  void aParentLearnsTheLoginOfTheUser(String option, String login, String sent) throws Exception {
    boolean toOrigin = option.equals("originserver");
    startWithUsers(option + " login=" + login, "http_access allow users");
    origin.otherwise(call -> call.ok("content"));
    try (RawClient client = RawClient.connect(proxy.port())) {
      String url = "http://a.test/a";
      assertThat(client.get(url).response().status()).isEqualTo(407);
      assertThat(client.get(url, LoginFile.line("bob:wrong")).response().status()).isEqualTo(407);
      assertThat(client.get(url, LoginFile.line("bob:secret")).response().status()).isEqualTo(200);
    }
    WireMessage seen = origin.lastRequest();
    assertThat(seen.fields(toOrigin ? "Authorization" : "Proxy-Authorization"))
        .containsExactly(LoginFile.basic(sent));
    assertThat(seen.fields(toOrigin ? "Proxy-Authorization" : "Authorization")).isEmpty();
  }

  @Test
  void aParentLearnsTheLoginOfATunnelToo() throws Exception {
    startWithUsers("no-query login=PASS", "http_access allow users");
    origin.otherwise(call -> call.send("HTTP/1.1 200 OK\r\n\r\n"));
    try (RawClient client = RawClient.connect(proxy.port())) {
      String head = "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n";
      client.send(head + LoginFile.line("bob:secret") + "\r\n\r\n");
      assertThat(client.responseHead()).startsWith("HTTP/1.1 200 ");
    }
    assertThat(origin.lastRequest().fields("Proxy-Authorization"))
        .containsExactly(LoginFile.basic("bob:secret"));
  }

  @ParameterizedTest
  @CsvSource({"login=PASS, true", "login=PASSTHRU, true", "login=u:p, false", "'', false"})
  void theChallengeOfAParentReachesTheClientOnlyWithPass(String login, boolean passed)
      throws Exception {
    startWith("no-query " + login);
    String[] challenges = {"Basic realm=\"parent\"", "Negotiate"};
    String head =
        "HTTP/1.1 407 Login\r\nContent-Length: 0\r\nProxy-Authenticate: "
            + String.join("\r\nProxy-Authenticate: ", challenges)
            + "\r\n\r\n";
    origin.otherwise(call -> call.send(head));
    RawClient client = closing(RawClient.connect(proxy.port()));
    WireMessage plain = client.get("http://a.test/a").response();
    assertThat(plain.status()).isEqualTo(407);
    assertThat(plain.fields("Proxy-Authenticate"))
        .isEqualTo(passed ? List.of(challenges) : List.of());
    client.send("CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n");
    WireMessage tunnel = client.responseTo("CONNECT");
    assertThat(tunnel.status()).isEqualTo(passed ? 407 : 502);
    assertThat(tunnel.fields("Proxy-Authenticate"))
        .isEqualTo(passed ? List.of(challenges) : List.of());
  }

  @ParameterizedTest
  @CsvSource({"'', false", "login=PASS, true", "login=PASSTHRU, true", "login=o:p, false"})
  void anOriginServerGetsTheLoginAtThisProxyOnlyWithPass(String login, boolean sent)
      throws Exception {
    startWithUsers(
        "originserver " + login,
        "http_port 127.0.0.1:0 accel defaultsite=site.test",
        "acl open urlpath_regex ^/open",
        "http_access allow open",
        "http_access allow users");
    origin.otherwise(call -> call.ok("content"));
    String own = LoginFile.basic("bob:secret");
    String head = " HTTP/1.1\r\nHost: site.test\r\nAuthorization: " + own + "\r\n\r\n";
    RawClient client = closing(RawClient.connect(proxy.port()));
    assertThat(client.send("GET /a" + head).response().status()).isEqualTo(200);
    assertThat(origin.lastRequest().fields("Authorization").contains(own)).isEqualTo(sent);
    // where no rule has asked, the field is the client's own
    assertThat(client.send("GET /open" + head).response().status()).isEqualTo(200);
    assertThat(origin.lastRequest().fields("Authorization"))
        .containsExactly(login.equals("login=o:p") ? LoginFile.basic("o:p") : own);
  }

  private void startWithUsers(String options, String... lines) throws Exception {
    List<String> all = new ArrayList<>();
    all.add("cache_peer 127.0.0.1 parent " + origin.port() + " 0 " + options);
    all.add("never_direct allow all");
    all.add(
        "auth_param basic program /x/basic_ncsa_auth "
            + LoginFile.write(dir.resolve("users"), "bob:secret"));
    all.add("acl users proxy_auth REQUIRED");
    all.addAll(List.of(lines));
    startProxy(all.toArray(String[]::new));
  }

  @Test
  @Tag("forceddomain")
  void forceddomainIsTheHostThatThePeerSees() throws Exception {
    startWith("originserver forceddomain=inner.example");
    origin.onOk("/a", "content", FRESH);
    assertThat(ask().text()).isEqualTo("content");
    assertThat(origin.lastRequest().fields("Host")).containsExactly("inner.example");
    assertHit(ask()); // it is stored under the client's URL
  }

  @Test
  @Tag("connect-fail-limit")
  void connectFailLimitFailuresMakeAPeerDead() throws Exception {
    int port = ProxyProcess.freePort();
    startProxy(
        "logformat tries %request_attempts",
        "access_log stdio:" + dir.resolve("access.log") + " tries",
        peer(port, "name=down connect-fail-limit=2"),
        peer(origin.port(), "name=up"),
        "never_direct allow all");
    origin.onOk(URL, "content");
    for (int i = 0; i < 3; i++) {
      assertThat(ask().text()).isEqualTo("content");
    }
    // a kept connection to the other one is a try, too
    assertThat(stopAndReadLog()).containsExactly("2", "2", "1");
  }

  @Test
  @Tag("max-conn")
  void maxConnLeavesMoreToTheNextPeer() throws Exception {
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    startProxy(
        peer(origin.port(), "name=one max-conn=1"),
        peer(other.port(), "name=two"),
        "cache deny all",
        "never_direct allow all");
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    origin.on(
        URL,
        call -> {
          asked.countDown();
          await(goOn);
          call.ok("one");
        });
    other.onOk(URL, "two");
    RawClient first = client().get(URL);
    await(asked);
    assertThat(ask().text()).isEqualTo("two");
    goOn.countDown();
    assertThat(first.response().text()).isEqualTo("one");
    assertThat(origin.requests()).hasSize(1);
  }

  @Test
  @Tag("max-conn")
  void maxConnHoldsWhereThereIsNoOtherPeer() throws Exception {
    startProxy(peer(origin.port(), "max-conn=1"), "cache deny all", "never_direct allow all");
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    origin.on(
        URL,
        call -> {
          asked.countDown();
          await(goOn);
          call.ok("one");
        });
    RawClient first = client().get(URL);
    await(asked);
    assertThat(ask().status()).isEqualTo(503);
    goOn.countDown();
    assertThat(first.response().text()).isEqualTo("one");
    assertThat(origin.connections()).isEqualTo(1);
  }

  /** A listener that accepts nothing: connections beyond the backlog get no answer. */
  @Test
  @Tag("connect-timeout")
  void connectTimeoutGoesOnToTheNextPeer() throws Exception {
    List<Socket> waiting = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address = (InetSocketAddress) full.getLocalSocketAddress();
      boolean taken = true;
      while (taken) {
        Socket one = new Socket();
        waiting.add(one);
        taken = PortOptionsWireTest.connects(one, address);
      }
      startProxy(
          "peer_connect_timeout 1 hour",
          "connect_timeout 1 hour",
          "forward_timeout 1 hour",
          peer(full.getLocalPort(), "name=silent connect-timeout=1"),
          peer(origin.port(), "name=up"),
          "never_direct allow all");
      origin.onOk(URL, "content");
      assertThat(ask().text()).isEqualTo("content");
    } finally {
      for (Socket one : waiting) {
        one.close();
      }
    }
  }

  // ---- proxy-only

  @Test
  @Tag("proxy-only")
  void proxyOnlyKeepsNothingOfThePeer() throws Exception {
    startWith("proxy-only");
    origin.onOk(URL, "content", FRESH);
    assertForwarded(ask(), "uri-miss");
    assertForwarded(ask(), "uri-miss");
    assertThat(origin.requests()).hasSize(2);
  }

  @Test
  @Tag("no-delay")
  void delayPoolsDoNotHoldForAPeerWithoutDelay() throws Exception {
    String[] pool = {
      "delay_pools 1",
      "delay_class 1 1",
      "delay_parameters 1 0/0",
      "delay_access 1 allow all",
      "never_direct allow all"
    };
    List<String> lines = new ArrayList<>(List.of(pool));
    lines.add(peer(origin.port(), "no-delay"));
    startProxy(lines.toArray(String[]::new));
    origin.onOk(URL, "content", FRESH);
    assertThat(ask().text()).isEqualTo("content");
    try (RawClient tunnel = RawClient.connect(proxy.port())) {
      origin.on("site.example:443", "HTTP/1.1 200 OK\r\n\r\n");
      tunnel.request("CONNECT", "site.example:443").responseHead();
    }
  }

  @Test
  void proxyOnlyIsAboutThatPeerAlone() throws Exception {
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    startProxy(
        "acl b url_regex /b$",
        peer(origin.port(), "name=one proxy-only"),
        peer(other.port(), "name=two"),
        "cache_peer_access one deny b",
        "cache_peer_access one allow all",
        "never_direct allow all");
    origin.onOk(URL, "content", FRESH);
    other.onOk("http://site.example/b", "content", FRESH);
    ask();
    assertForwarded(ask(), "uri-miss");
    client().get("http://site.example/b").response();
    assertHit(client().get("http://site.example/b").response());
  }

  @Test
  void proxyOnlyResponsesAreNotShared() throws Exception {
    startWith("proxy-only");
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    origin.on(
        URL,
        call -> {
          asked.countDown();
          await(goOn);
          call.ok("content " + call.number(), FRESH);
        });
    RawClient first = client().get(URL);
    await(asked);
    RawClient second = client().get(URL);
    goOn.countDown();
    assertThat(List.of(first.response().text(), second.response().text()))
        .containsExactlyInAnyOrder("content 1", "content 2");
  }

  // ---- front-end-https

  @ParameterizedTest
  @Tag("front-end-https")
  @CsvSource({
    "'', http, Off",
    "front-end-https, http, On",
    "front-end-https=on, http, On",
    "front-end-https=auto, http, ''",
    "front-end-https=auto, https, On",
    "'', https, Off"
  })
  void frontEndHttpsTellsOfTls(String option, String scheme, String seen) throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel protocol=" + scheme,
        peer(origin.port(), "originserver " + option),
        "never_direct allow all");
    origin.onOk("/a", "content");
    String request = "GET /a HTTP/1.1\r\nHost: site.example\r\nFront-End-Https: Off\r\n\r\n";
    assertThat(client().send(request).response().text()).isEqualTo("content");
    assertThat(String.join(",", origin.lastRequest().fields("Front-End-Https"))).isEqualTo(seen);
  }
}
