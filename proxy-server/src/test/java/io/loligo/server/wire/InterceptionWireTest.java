package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.loligo.server.admin.Reloaded;
import io.loligo.server.metrics.Counter;
import io.loligo.server.wire.LyingDns.Entry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients of {@code http_port ... intercept}, whose original destinations the test gives. The names
 * a.test and both.test lead to the origin, b.test and both.test to another one on the same port.
 */
class InterceptionWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private ScriptedOrigin other;
  private volatile InetSocketAddress destination;

  @BeforeEach
  void startOther() throws IOException {
    other = closing(ScriptedOrigin.start(InetAddress.getByName("127.0.0.2"), origin.port()));
    destination = new InetSocketAddress(InetAddress.getLoopbackAddress(), origin.port());
  }

  private void start(String... lines) throws Exception {
    Path hosts = dir.resolve("hosts");
    Files.writeString(hosts, "127.0.0.1 a.test both.test\n127.0.0.2 b.test both.test\n");
    List<String> all = new ArrayList<>();
    if (Arrays.stream(lines).noneMatch(line -> line.startsWith("http_port"))) {
      all.add("http_port 127.0.0.1:0 intercept");
      all.add("http_port 127.0.0.1:0 name=forward");
    }
    all.add("hosts_file " + hosts);
    all.addAll(List.of(lines));
    proxy =
        ProxyUnderTest.startIntercepting(
            configuration(all.toArray(String[]::new)), (channel, how) -> destination);
  }

  private WireMessage ask(String path, String host, String... lines) throws IOException {
    return askWith("GET", path, host, lines);
  }

  private WireMessage askWith(String method, String path, String host, String... lines)
      throws IOException {
    StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    head.append("Host: ").append(host).append("\r\n");
    for (String line : lines) {
      head.append(line).append("\r\n");
    }
    return client().send(head + "\r\n").responseTo(method);
  }

  private String withPort(String host) {
    return host + ":" + origin.port();
  }

  private WireMessage forward(String host, String path) throws IOException {
    return client(1).get("http://" + withPort(host) + path).response();
  }

  private static String cacheStatus(WireMessage response) {
    return response.field("Cache-Status");
  }

  @Test
  void aRequestWhoseHostLeadsThereIsAnOrdinaryOne() throws Exception {
    start("logformat mine %Sh %<a %ru %>la %>lp", "access_log stdio:" + dir.resolve("l") + " mine");
    origin.onOk("/a", "hello", FRESH);
    assertThat(ask("/a", withPort("a.test")).text()).isEqualTo("hello");
    assertThat(origin.lastRequest().field("Host")).isEqualTo(withPort("a.test"));
    assertHit(ask("/a", withPort("a.test")));
    assertHit(forward("a.test", "/a"));
    String url = "http://" + withPort("a.test") + "/a";
    assertThat(stopAndReadLog("l"))
        .startsWith(
            "ORIGINAL_DST 127.0.0.1 " + url + " 127.0.0.1 " + origin.port(),
            "HIER_NONE - " + url + " 127.0.0.1 " + origin.port());
  }

  @Test
  void anInterceptedClientIsNeverAskedForALogin() throws Exception {
    start(
        "auth_param basic program /x/basic_ncsa_auth "
            + LoginFile.write(dir.resolve("users"), "bob:secret"),
        "acl users proxy_auth REQUIRED",
        "acl open urlpath_regex ^/open",
        "http_access allow open !users",
        "http_access allow users");
    origin.otherwise(call -> call.ok("x"));
    String login = LoginFile.line("bob:secret");
    assertThat(ask("/a", withPort("a.test")).status()).isEqualTo(403);
    assertThat(ask("/a", withPort("a.test"), login).status()).isEqualTo(403);
    assertThat(ask("/open", withPort("a.test")).status()).isEqualTo(200);
    assertThat(forward("a.test", "/a").status()).isEqualTo(407);
  }

  @Test
  void thePortOfTheConnectionIsThatOfAHostWithoutPort() throws Exception {
    start();
    origin.onOk("/a", "hello", FRESH);
    assertThat(ask("/a", "a.test").text()).isEqualTo("hello");
    assertThat(origin.lastRequest().field("Host")).isEqualTo(withPort("a.test"));
    assertHit(forward("a.test", "/a"));
  }

  @Test
  void withoutHostTheAddressIsTheHost() throws Exception {
    start();
    origin.onOk("/a", "hello", FRESH);
    String head = client().send("GET /a HTTP/1.0\r\n\r\n").untilClose();
    assertThat(head).endsWith("hello");
    assertThat(origin.lastRequest().field("Host")).isEqualTo(withPort("127.0.0.1"));
    assertHit(forward("127.0.0.1", "/a"));
  }

  @Test
  void anAbsoluteTargetIsTakenAtItsWord() throws Exception {
    start();
    origin.onOk("/a", "hello");
    String url = "http://" + withPort("a.test") + "/a";
    String head = "GET " + url + " HTTP/1.1\r\nHost: b.test\r\n\r\n";
    assertThat(client().send(head).response().text()).isEqualTo("hello");
    String secure = head.replace("http:", "https:");
    assertThat(client().send(secure).response().status()).isEqualTo(501);
  }

  @Test
  void aConnectionToAnHttp10ClientPersistsIfItAsks() throws Exception {
    start();
    origin.onOk("/a", "hello");
    RawClient client = client();
    String head = "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    assertThat(client.send(head).response().text()).isEqualTo("hello");
    assertThat(client.send(head).response().text()).isEqualTo("hello");
  }

  @Test
  void noTunnelIsOpened() throws Exception {
    start();
    String authority = withPort("a.test");
    String connect = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n";
    assertThat(client().send(connect).response().status()).isEqualTo(405);
    assertThat(proxy.forwardedConnections()).isZero();
  }

  // ---- hosts that are elsewhere

  @Test
  void aHostElsewhereNeitherReadsNorWritesTheStore() throws Exception {
    start();
    origin.onOk("/a", "from the address", FRESH);
    other.onOk("/a", "from the host", FRESH);
    assertThat(forward("b.test", "/a").text()).isEqualTo("from the host");
    for (int i = 0; i < 2; i++) {
      WireMessage response = ask("/a", withPort("b.test"));
      assertThat(response.text()).isEqualTo("from the address");
      assertThat(cacheStatus(response)).contains("fwd=bypass", "host is elsewhere");
      assertThat(origin.lastRequest().field("Host")).isEqualTo(withPort("b.test"));
    }
    assertThat(origin.requests()).hasSize(2);
    WireMessage stored = forward("b.test", "/a");
    assertHit(stored);
    assertThat(stored.text()).isEqualTo("from the host");
    assertThat(other.requests()).hasSize(1);
    String log = String.join("\n", stopAndReadLog());
    assertThat(log).contains("HIER_DIRECT/127.0.0.2", "TCP_MISS/200", "ORIGINAL_DST/127.0.0.1");
  }

  @Test
  void explainTellsOfIt() throws Exception {
    start();
    origin.onOk("/a", "hello");
    assertThat(ask("/a", withPort("b.test")).status()).isEqualTo(200);
    String path = "/explain?port=forward&url=http://" + withPort("b.test") + "/a";
    String question = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      assertThat(admin.send(question).response().text())
          .contains("GET TCP_MISS/200 BYPASS: host is elsewhere");
    }
  }

  @Test
  void anotherPortInHostIsElsewhere() throws Exception {
    start();
    origin.onOk("/a", "hello", FRESH);
    for (String host : List.of("a.test:80", "a.test:1")) {
      assertThat(cacheStatus(ask("/a", host))).contains("host is elsewhere");
      assertThat(origin.lastRequest().field("Host")).isEqualTo(host.replace(":80", ""));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.2", "[2001:db8::1]", "[::1]"})
  void anotherAddressInHostIsElsewhere(String host) throws Exception {
    start();
    origin.onOk("/a", "hello", FRESH);
    assertThat(cacheStatus(ask("/a", withPort(host)))).contains("host is elsewhere");
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "[::ffff:127.0.0.1]"})
  void theAddressItselfMayBeTheHost(String host) throws Exception {
    start();
    origin.onOk("/a", "hello", FRESH);
    assertThat(ask("/a", withPort(host)).text()).isEqualTo("hello");
    assertHit(ask("/a", withPort(host)));
  }

  @Test
  void namesAreAskedFor() throws Exception {
    try (LyingDns dns = new LyingDns()) {
      Entry address = Entry.a("there.example", 127, 0, 0, 1);
      dns.on("there.example", question -> question.send(question.message(0, 0, address)));
      proxy =
          ProxyUnderTest.startIntercepting(
              configuration("http_port 127.0.0.1:0 intercept"),
              dns.address(),
              (channel, how) -> destination);
      origin.onOk("/a", "hello", FRESH);
      assertThat(ask("/a", "there.example").text()).isEqualTo("hello");
      assertHit(ask("/a", "there.example"));
      assertThat(cacheStatus(ask("/a", "unknown.example"))).contains("host is elsewhere");
      assertThat(dns.asked()).contains("there.example", "unknown.example");
    }
  }

  @Test
  void aDeniedClientCausesNoQuestionForANameserver() throws Exception {
    try (LyingDns dns = new LyingDns()) {
      proxy =
          ProxyUnderTest.startIntercepting(
              configuration("http_port 127.0.0.1:0 intercept", "http_access deny all"),
              dns.address(),
              (channel, how) -> destination);
      assertThat(ask("/a", "there.example").status()).isEqualTo(403);
      assertThat(dns.asked()).isEmpty();
    }
  }

  @Test
  void anUnsafeRequestForAHostElsewhereInvalidatesNothing() throws Exception {
    start();
    origin.onOk("/a", "done", "Cache-Group-Invalidation: \"g\"");
    other.onOk("/a", "from the host", FRESH, "Cache-Groups: \"g\"");
    assertThat(forward("b.test", "/a").status()).isEqualTo(200);
    WireMessage response = askWith("DELETE", "/a", withPort("b.test"));
    assertThat(response.text()).isEqualTo("done");
    assertHit(forward("b.test", "/a"));
  }

  @Test
  void aParentGetsOnlyRequestsWhoseHostLeadsThere() throws Exception {
    try (ScriptedOrigin parent = ScriptedOrigin.start()) {
      start("cache_peer 127.0.0.1 parent " + parent.port() + " 0 no-query");
      parent.onOk(origin.url("a.test", "/a"), "from the parent");
      origin.onOk("/a", "from the origin");
      assertThat(ask("/a", withPort("a.test")).text()).isEqualTo("from the parent");
      assertThat(ask("/a", withPort("b.test")).text()).isEqualTo("from the origin");
      assertThat(parent.requests()).hasSize(1);
    }
  }

  @Test
  void neverDirectLeavesNoWayToAHostElsewhere() throws Exception {
    try (ScriptedOrigin parent = ScriptedOrigin.start()) {
      start(
          "cache_peer 127.0.0.1 parent " + parent.port() + " 0 no-query", "never_direct allow all");
      assertThat(ask("/a", withPort("b.test")).status()).isEqualTo(503);
      assertThat(parent.requests()).isEmpty();
      assertThat(origin.requests()).isEmpty();
    }
  }

  // ---- directives

  @Test
  void hostVerifyStrictRefusesConflicts() throws Exception {
    start("host_verify_strict on");
    origin.onOk("/a", "hello");
    assertThat(ask("/a", withPort("a.test")).text()).isEqualTo("hello");
    for (String host : List.of(withPort("b.test"), "a.test:80")) {
      WireMessage refused = ask("/a", host);
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.text()).contains("ERR_CONFLICT_HOST");
    }
    assertThat(origin.requests()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"b.test:P", "a.test", "a.test:1", ""})
  void hostVerifyStrictComparesTheTargetOfAForwardPort(String host) throws Exception {
    start("host_verify_strict on");
    origin.onOk("/a", "hello");
    String said = host.replace("P", String.valueOf(origin.port()));
    String target = "http://" + withPort("a.test") + "/a";
    String get = "GET " + target + " HTTP/1.1\r\nHost: " + said + "\r\n\r\n";
    assertThat(client(1).send(get).response().status()).isEqualTo(409);
    String agreed = get.replace("Host: " + said, "Host: A.Test.:" + origin.port());
    assertThat(client(1).send(agreed).response().text()).isEqualTo("hello");
  }

  @Test
  void hostVerifyStrictComparesTheTargetOfATunnel() throws Exception {
    start("host_verify_strict on");
    String connect = "CONNECT " + withPort("a.test") + " HTTP/1.1\r\nHost: ";
    assertThat(client(1).send(connect + "b.test\r\n\r\n").response().status()).isEqualTo(409);
    RawClient agreeing = client(1).send(connect + "a.test\r\n\r\n");
    assertThat(WireMessage.status(agreeing.responseHead())).isEqualTo(200);
  }

  @Test
  void clientDstPassthruKeepsTheAddressOfTheClient() throws Exception {
    start();
    destination = new InetSocketAddress("127.0.0.2", origin.port());
    other.onOk("/a", "from the other");
    assertThat(ask("/a", withPort("both.test")).text()).isEqualTo("from the other");
    assertThat(stopAndReadLog().get(0)).contains("ORIGINAL_DST/127.0.0.2");
  }

  @Test
  void clientDstPassthruOffGoesByName() throws Exception {
    start("client_dst_passthru off");
    for (ScriptedOrigin each : List.of(origin, other)) {
      each.onOk("/a", "hello");
    }
    assertThat(ask("/a", withPort("both.test")).text()).isEqualTo("hello");
    assertThat(cacheStatus(ask("/a", withPort("b.test")))).contains("host is elsewhere");
    assertThat(stopAndReadLog().get(0)).contains("HIER_DIRECT/");
  }

  @Test
  void rulesAboutTheDestinationSeeTheAddressOfTheClient() throws Exception {
    start("acl here dst 127.0.0.1", "http_access deny here", "http_access allow all");
    assertThat(ask("/a", withPort("a.test")).status()).isEqualTo(403);
    assertThat(ask("/a", withPort("b.test")).status()).as("a host elsewhere").isEqualTo(403);
    destination = new InetSocketAddress("127.0.0.2", origin.port());
    other.onOk("/a", "hello");
    assertThat(ask("/a", withPort("both.test")).text()).isEqualTo("hello");
    assertThat(origin.requests()).isEmpty();
  }

  @Test
  void aParentGetsNoRequestWhoseHostHasADeniedAddress() throws Exception {
    try (ScriptedOrigin parent = ScriptedOrigin.start()) {
      start(
          "cache_peer 127.0.0.1 parent " + parent.port() + " 0 no-query",
          "acl here dst 127.0.0.1",
          "http_access deny here",
          "http_access allow all");
      destination = new InetSocketAddress("127.0.0.2", origin.port());
      other.onOk("/a", "hello");
      assertThat(ask("/a", withPort("both.test")).text()).isEqualTo("hello");
      assertThat(parent.requests()).as("it chooses among the addresses itself").isEmpty();
    }
  }

  @Test
  void aRevalidationGoesToTheSameAddress() throws Exception {
    start();
    other.onOk("/a", "old", "Cache-Control: max-age=0, stale-while-revalidate=1000", "ETag: \"1\"");
    destination = new InetSocketAddress("127.0.0.2", origin.port());
    assertThat(ask("/a", withPort("both.test")).text()).isEqualTo("old");
    other.awaitRequest("/a");
    other.onOk("/a", "new", FRESH);
    assertThat(ask("/a", withPort("both.test")).text()).isEqualTo("old");
    other.awaitRequest("/a");
    assertThat(origin.requests()).isEmpty();
  }

  // ---- connections that are not served

  private void assertClosed() throws Exception {
    RawClient client = client();
    assertThat(
            client.sendIgnoringReset("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n".getBytes(US_ASCII)))
        .isSameAs(client);
    client.expectClose();
    awaitCount(() -> proxy.counted(Counter.DESTINATIONS_UNKNOWN), 1);
    assertThat(proxy.counted(Counter.CLIENT_CONNECTIONS)).isZero();
  }

  @Test
  void aConnectionWithoutADestinationIsClosed() throws Exception {
    destination = null;
    start();
    assertClosed();
  }

  @Test
  void aConnectionToThePortItselfIsClosed() throws Exception {
    start();
    destination = new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port());
    assertClosed();
  }

  @Test
  void aConnectionToThePortAtAnotherAddressOfThisMachineIsClosed() throws Exception {
    start("http_port 0.0.0.0:0 intercept");
    destination = new InetSocketAddress("127.0.0.3", proxy.port());
    assertClosed();
  }

  @Test
  void anotherPortOfThisProxyIsRefused() throws Exception {
    start(
        "http_port 127.0.0.1:0 intercept",
        "http_port 127.0.0.1:0 accel defaultsite=a.test",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    for (int port : List.of(proxy.port(1), proxy.adminPort())) {
      destination = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      assertThat(ask("/a", "127.0.0.1").status()).isEqualTo(403);
    }
    assertThat(proxy.forwardedConnections()).isZero();
  }

  @Test
  void aLoopEndsAtVia() throws Exception {
    start();
    origin.onOk("/a", "hello");
    assertThat(ask("/a", withPort("a.test")).status()).isEqualTo(200);
    String via = "Via: " + origin.lastRequest().field("Via");
    assertThat(ask("/b", withPort("a.test"), via).status()).isEqualTo(508);
  }

  // ---- reloads

  @Test
  void aReloadChangesTheModeForNewConnections() throws Exception {
    proxy =
        ProxyUnderTest.startIntercepting(
            configuration("http_port 127.0.0.1:0"), (channel, how) -> destination);
    origin.onOk("/a", "hello");
    RawClient before = client();
    assertThat(before.get(origin.url("/a")).response().status()).isEqualTo(200);
    for (String mode : List.of("intercept", "")) {
      Reloaded reloaded = proxy.reload(configuration("http_port 127.0.0.1:0 " + mode));
      assertThat(reloaded.done()).as(reloaded.toString()).isTrue();
      int expected = mode.isEmpty() ? 400 : 200;
      assertThat(ask("/a", "127.0.0.1").status()).as(mode).isEqualTo(expected);
      assertThat(before.get(origin.url("/a")).response().status()).isEqualTo(200);
    }
  }

  @Test
  void aReloadToAModeThatTheTransportLacksIsRefused() throws Exception {
    String nio = "loligo_transport nio";
    startProxy("http_port 127.0.0.1:0", nio);
    Reloaded reloaded = proxy.reload(configuration("http_port 127.0.0.1:0 intercept", nio));
    assertThat(reloaded.done()).isFalse();
    assertThat(reloaded.lines()).anyMatch(line -> line.contains("epoll or io_uring"));
    origin.onOk("/a", "hello");
    assertThat(get("/a").text()).as("the old mode holds").isEqualTo("hello");
  }

  // ---- the PROXY protocol

  @Test
  void theDestinationInAHeaderCounts() throws Exception {
    start(
        "http_port 127.0.0.1:0 intercept require-proxy-header",
        "proxy_protocol_access allow all",
        "acl there localport " + origin.port(),
        "http_access allow there",
        "http_access deny all");
    destination = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    other.onOk("/a", "hello", FRESH);
    String header = "PROXY TCP4 192.0.2.7 127.0.0.2 1234 " + origin.port() + "\r\n";
    String get = "GET /a HTTP/1.1\r\nHost: b.test\r\n\r\n";
    assertThat(client().send(header + get).response().text()).isEqualTo("hello");
    assertHit(client().send(header + get).response());
    String own = header.replace("127.0.0.2", "127.0.0.1");
    String ofPort = own.replace(" " + origin.port(), " " + proxy.port());
    client().send(ofPort + get).expectClose();
    assertThat(proxy.counted(Counter.DESTINATIONS_UNKNOWN)).isEqualTo(1);
  }

  @Test
  void withoutAddressesInTheHeaderTheSystemIsAsked() throws Exception {
    start(
        "http_port 127.0.0.1:0 intercept require-proxy-header", "proxy_protocol_access allow all");
    origin.onOk("/a", "hello");
    String get = "PROXY UNKNOWN\r\nGET /a HTTP/1.1\r\nHost: a.test\r\n\r\n";
    assertThat(client().send(get).response().text()).isEqualTo("hello");
  }

  // ---- HTTP/2

  @Test
  void aStreamOfHttp2HasTheDestinationOfItsConnection() throws Exception {
    start("http_port 127.0.0.1:0 intercept h2c");
    origin.onOk("/a", "hello", FRESH);
    try (Http2Client client = Http2Client.connect(proxy.port())) {
      client.get(1, "a.test", "/a");
      assertThat(client.response(1).status()).isEqualTo(200);
    }
    assertThat(origin.lastRequest().field("Host")).isEqualTo(withPort("a.test"));
  }

  @Test
  void theTransportMustKnowDestinations() {
    assertThat(
            catchThrowable(
                () -> startProxy("http_port 127.0.0.1:0 intercept", "loligo_transport nio")))
        .hasMessageContaining("epoll or io_uring")
        .hasMessageContaining("test.conf:");
  }
}
