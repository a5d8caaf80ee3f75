package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.wire.LyingDns.Entry;
import io.loligo.server.wire.hostile.VectorBytes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The addresses to which the forward proxy connects, for any name that clients use and any answer
 * of nameservers: only those that the rules allow, and never its own.
 */
class AddressesWireTest extends WireTest {
  private static final Path SPELLINGS = Path.of("src/test/addresses/denied.txt");
  private static final String[] DENY = {
    "acl local dst 127.0.0.0/8 ::1/128 10.0.0.0/8 169.254.0.0/16",
    "http_access deny local",
    "http_access allow all"
  };

  /** A line of the file. */
  private record Spelling(String host, int ofGet, int ofConnect) {
    int status(String method) {
      return method.equals("CONNECT") ? ofConnect : ofGet;
    }
  }

  private static List<Spelling> spellings() throws IOException {
    List<Spelling> all = new ArrayList<>();
    for (String line : Files.readAllLines(SPELLINGS, UTF_8)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        String[] words = line.split(" +", 3);
        int slash = words[1].indexOf('/');
        int ofConnect = Integer.parseInt(words[1].substring(slash + 1));
        int ofGet = slash < 0 ? ofConnect : Integer.parseInt(words[1].substring(0, slash));
        all.add(new Spelling(VectorBytes.of(words[0], Map.of()), ofGet, ofConnect));
      }
    }
    return all;
  }

  private int status(String method, String host, int port) throws IOException {
    String authority = host + ":" + port;
    String target = method.equals("CONNECT") ? authority : "http://" + authority + "/";
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.send(method + " " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
      return WireMessage.status(client.responseHead());
    }
  }

  @Test
  void noSpellingGetsRoundTheRules() throws Exception {
    startProxy(DENY);
    List<String> wrong = new ArrayList<>();
    List<Spelling> all = spellings();
    assertThat(all).hasSizeGreaterThan(90);
    for (Spelling each : all) {
      for (String method : List.of("GET", "CONNECT")) {
        int status = status(method, each.host(), origin.port());
        if (status != each.status(method)) {
          wrong.add(method + " " + each.host() + ": " + status);
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(origin.connections()).isZero();
  }

  /**
   * An address with invalid syntax is refused without rules, too, and nothing reaches the proxy
   * itself.
   */
  @Test
  void noSpellingLeadsToOurselves() throws Exception {
    startProxy("http_port 0.0.0.0:0");
    List<String> hosts = new ArrayList<>();
    spellings().forEach(each -> hosts.add(each.host()));
    NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .map(InetAddress::getHostAddress)
        .map(text -> text.indexOf(':') < 0 ? text : "[" + text.replaceFirst("%.*", "") + "]")
        .forEach(hosts::add);
    hosts.removeIf(host -> host.startsWith("10.0.0.1") || host.contains("169.254.") || far(host));
    for (String host : hosts) {
      for (int port : List.of(proxy.port(), proxy.adminPort())) {
        for (String method : List.of("GET", "CONNECT")) {
          assertThat(status(method, host, port)).as("%s %s", method, host).isIn(400, 403);
        }
      }
    }
    assertThat(proxy.forwardedConnections()).as("connections to anywhere").isZero();
  }

  /** Addresses of other machines: nothing to do with us, and connecting to them takes its time. */
  private static boolean far(String host) {
    return host.contains("10.0.0.1")
        || host.contains("a00:")
        || host.contains("f5ff:")
        || host.contains("a9fe:");
  }

  @Test
  void aForwardPortMayAskOneThatStandsForAnOrigin() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0",
        "http_port 127.0.0.1:0 accel defaultsite=site.test",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=site",
        "acl toSite dstdomain site.test",
        "cache_peer_access site allow toSite",
        "cache_peer_access site deny all",
        "always_direct allow !toSite");
    origin.onOk("/a", "from the origin");
    assertThat(client().get("http://127.0.0.1:" + proxy.port(1) + "/a").response().status())
        .as("Via tells that it was here")
        .isEqualTo(508);
  }

  @Test
  void withoutViaNoPortOfOursIsAsked() throws Exception {
    startProxy("http_port 127.0.0.1:0 accel vhost allow-direct defaultsite=site.test", "via off");
    RawClient client = client();
    client.send("GET /a HTTP/1.1\r\nHost: 127.0.0.1:" + proxy.port() + "\r\n\r\n");
    assertThat(client.response().status()).isEqualTo(403);
    assertThat(proxy.forwardedConnections()).isZero();
  }

  /**
   * The content of a tunnel has no Via, and the rules of the port would take the proxy for the
   * client.
   */
  @Test
  void noTunnelLeadsToAPortThatStandsForAnOrigin() throws Exception {
    for (String via : List.of("via on", "via off")) {
      startProxy(
          "http_port 127.0.0.1:0",
          "http_port 0.0.0.0:0 accel defaultsite=site.test",
          "http_port 127.0.0.1:0 accel defaultsite=site.test",
          "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=site",
          via);
      for (int port : List.of(proxy.port(1), proxy.port(2))) {
        for (String host :
            List.of("127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "[::127.0.0.1]")) {
          assertThat(status("CONNECT", host, port)).as("%s %s", via, host).isEqualTo(403);
        }
      }
      assertThat(proxy.forwardedConnections()).isZero();
      proxy.close();
    }
  }

  // ---- names

  private void startWith(LyingDns dns, String... lines) throws Exception {
    proxy = ProxyUnderTest.startAsking(dns.address(), configuration(lines));
  }

  private int get(String name) throws IOException {
    return status("GET", name, origin.port());
  }

  /** Denies where the origin is, and has another server on another loopback address. */
  private ScriptedOrigin allowedServer() throws IOException {
    return closing(
        ScriptedOrigin.start(InetAddress.getByName("127.0.0.2"), origin.port())
            .otherwise(call -> call.ok("allowed")));
  }

  private static final String[] DENY_ONE = {
    "acl one dst 127.0.0.1", "http_access deny one", "http_access allow all"
  };

  @Test
  void ofSeveralAddressesOnlyTheAllowedOnesAreDialled() throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on("mixed.test", q -> q.send(q.message(0, 0, one(q), two(q))));
    dns.on("bad.test", q -> q.send(q.message(0, 0, one(q))));
    dns.on("mapped.test", q -> q.send(q.message(0, 0, mapped(q))));
    startWith(dns, DENY_ONE);
    ScriptedOrigin allowed = allowedServer();
    for (int i = 0; i < 4; i++) {
      assertThat(get("mixed.test")).isEqualTo(200);
      assertThat(status("CONNECT", "mixed.test", origin.port())).isEqualTo(200);
    }
    assertThat(get("bad.test")).isEqualTo(403);
    assertThat(status("CONNECT", "bad.test", origin.port())).isEqualTo(403);
    assertThat(get("mapped.test")).isEqualTo(403);
    assertThat(allowed.connections()).isPositive();
    assertThat(origin.connections()).isZero();
  }

  /** As in Squid, where a name has several addresses, one of them will do. */
  @Test
  void rulesAboutAnswersAndTheCacheWaitForNames() throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on("mixed.test", q -> q.send(q.message(0, 0, one(q), two(q))));
    dns.on("good.test", q -> q.send(q.message(0, 0, two(q))));
    startWith(dns, "acl one dst 127.0.0.1", "http_reply_access deny one", "cache deny one");
    allowedServer();
    for (int i = 0; i < 2; i++) {
      assertThat(get("mixed.test")).isEqualTo(403);
      assertThat(get("good.test")).isEqualTo(200);
    }
  }

  @Test
  void noParentIsAskedForWhatARuleDeniesOfAnyAddress() throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on("mixed.test", q -> q.send(q.message(0, 0, one(q), two(q))));
    dns.on("bad.test", q -> q.send(q.message(0, 0, one(q))));
    dns.on("good.test", q -> q.send(q.message(0, 0, two(q))));
    ScriptedOrigin parent = closing(ScriptedOrigin.start());
    parent.otherwise(call -> call.ok("by the parent"));
    allowedServer();
    String peer = "cache_peer 127.0.0.1 parent " + parent.port() + " 0 no-query";
    for (boolean direct : List.of(false, true)) {
      List<String> lines = new ArrayList<>(List.of(DENY_ONE));
      lines.add(peer);
      lines.add("nonhierarchical_direct off");
      lines.add("never_direct " + (direct ? "deny" : "allow") + " all");
      startWith(dns, lines.toArray(String[]::new));
      for (String method : List.of("GET", "CONNECT")) {
        int before = parent.connections();
        assertThat(status(method, "bad.test", origin.port())).isEqualTo(403);
        assertThat(status(method, "64:ff9b::7f00:1", origin.port())).isEqualTo(400);
        assertThat(status(method, "[64:ff9b::7f00:1]", origin.port())).isEqualTo(403);
        assertThat(status(method, "mixed.test", origin.port())).isEqualTo(direct ? 200 : 403);
        assertThat(parent.connections()).isEqualTo(before);
        assertThat(status(method, "good.test", origin.port())).isEqualTo(200);
      }
      assertThat(parent.connections()).isPositive();
      proxy.close();
    }
    assertThat(origin.connections()).isZero();
  }

  @Test
  void theLogKnowsWhereRequestsWentAndWhatNobodyAskedForIsInIt() throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on("good.test", q -> q.send(q.message(0, 0, two(q))));
    dns.on("bad.test", q -> q.send(q.message(0, 0, one(q))));
    String log = "access_log stdio:" + dir.resolve("access.log") + " squid";
    startWith(dns, "acl one dst 127.0.0.1", "access_log none one", log);
    allowedServer();
    assertThat(get("bad.test")).isEqualTo(404);
    assertThat(get("good.test")).isEqualTo(200);
    client().get("http://new.test/", "Cache-Control: only-if-cached").response();
    assertThat(stopAndReadLog())
        .satisfiesExactly(
            line -> assertThat(line).contains("good.test"),
            line -> assertThat(line).contains("new.test"));
  }

  /** RFC 3986 section 3.2.2: sub-delims are bytes of a reg-name. */
  @ParameterizedTest
  @ValueSource(strings = {"a=b.test", "a!b&c.test", "*.test", "a+b$c~d.test"})
  void aNameWithSubDelimsIsAHost(String name) throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on(name, q -> q.send(q.message(0, 0, one(q))));
    startWith(dns);
    origin.onOk("/", "x", "Cache-Control: max-age=60");
    assertThat(get(name)).isEqualTo(200);
    assertThat(origin.lastRequest().field("Host")).isEqualTo(name + ":" + origin.port());
    assertThat(get(name)).isEqualTo(200);
    assertThat(origin.fetches("/")).isEqualTo(1);
    assertThat(status("CONNECT", name, origin.port())).isEqualTo(200);
    assertThat(stopAndReadLog()).allSatisfy(line -> assertThat(line).contains(name));
  }

  /** A later answer does not matter: the checked address is the one that is dialled. */
  @Test
  void anAnswerThatChangesLeadsNowhereElse() throws Exception {
    LyingDns dns = closing(new LyingDns());
    int[] asked = {0};
    dns.on(
        "rebind.test",
        q ->
            q.send(q.message(0, 0, q.type == LyingDns.A && asked[0]++ % 2 == 0 ? two(q) : one(q))));
    startWith(dns, DENY_ONE);
    allowedServer();
    for (int i = 0; i < 20; i++) {
      assertThat(get("rebind.test")).isIn(200, 403);
      assertThat(status("CONNECT", "rebind.test", origin.port())).isIn(200, 403);
    }
    assertThat(origin.connections()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"wrong id", "another port", "another question", "no answer but garbage"})
  void anAnswerToAnotherQuestionIsIgnored(String lie) throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on(
        "lie.test",
        q -> {
          byte[] evil = q.message(0, 0, one(q));
          switch (lie) {
            case "wrong id" -> {
              for (int offset = 1; offset < 50; offset++) {
                q.send(q.message(offset, 0, one(q)));
              }
            }
            case "another port" -> q.sendFromElsewhere(evil);
            case "another question" ->
                q.send(q.message(1, 0, "evil.test", Entry.a("evil.test", 127, 0, 0, 1)));
            default -> {
              q.send(new byte[] {1, 2, 3});
              q.send(new byte[0]);
            }
          }
          q.send(q.message(0, 0, two(q)));
        });
    startWith(dns);
    ScriptedOrigin right = allowedServer();
    assertThat(get("lie.test")).isEqualTo(200);
    assertThat(right.connections()).isEqualTo(1);
    assertThat(origin.connections()).as("taken in by a lie").isZero();
  }

  @Test
  void answersThatLeadNowhereAreErrors() throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on("other.test", q -> q.send(q.message(0, 0, Entry.a("evil.test", 127, 0, 0, 1))));
    dns.on(
        "loop.test",
        q ->
            q.send(
                q.message(
                    0, 0, cname("loop.test", "loop2.test"), cname("loop2.test", "loop.test"))));
    dns.on("loop2.test", q -> q.send(q.message(0, 0, cname("loop2.test", "loop.test"))));
    dns.on(
        "short.test", q -> q.send(q.message(0, 0, new Entry(q.name, q.type, new byte[] {127, 1}))));
    dns.on("empty.test", q -> q.send(q.message(0, 0)));
    dns.on("fails.test", q -> q.send(q.message(0, 2)));
    dns.on("refuses.test", q -> q.send(q.message(0, 5)));
    dns.silent("silent.test");
    HeldTime time = new HeldTime();
    String minutes = configuration("dns_timeout 1 minute", "dns_retransmit_interval 1 minute");
    proxy = ProxyUnderTest.startAsking(dns.address(), minutes, time);
    for (String name : List.of("other", "loop", "short", "empty", "fails", "refuses", "unknown")) {
      assertThat(get(name + ".test")).as(name).isEqualTo(503);
    }
    RawClient client = client().get("http://silent.test:" + origin.port() + "/");
    dns.awaitUnanswered("silent.test");
    time.passTimeouts(60_200);
    assertThat(client.response().status()).isEqualTo(503);
    assertThat(origin.connections()).isZero();
  }

  private static Entry one(LyingDns.Question question) {
    return Entry.a(question.name, 127, 0, 0, 1);
  }

  private static Entry two(LyingDns.Question question) {
    return Entry.a(question.name, 127, 0, 0, 2);
  }

  private static Entry mapped(LyingDns.Question question) {
    return Entry.a(question.name, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1);
  }

  private static Entry cname(String name, String target) {
    return new Entry(name, LyingDns.CNAME, LyingDns.nameBytes(target));
  }
}
