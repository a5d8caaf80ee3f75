package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.server.CapturedLog;
import io.loligo.server.Waiting;
import io.loligo.server.bump.BumpAction;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code config/egress-firewall.conf} and {@code docs/uses-egress.md}: the file itself, on ports of
 * the test's, with servers at 127.0.0.1 in the place of public addresses.
 */
class EgressFirewallWireTest extends WireTest {
  private static final Path FOLDER = Path.of("").toAbsolutePath().getParent().resolve("config");
  private static final String SECRET = "Authorization: Bearer s3cret";
  private static final TestAuthority ROOT = TestAuthority.root("Test Root");

  private final PassingTime time = new PassingTime();
  private LyingDns dns;
  private ScriptedOrigin secure;
  private ScriptedOrigin git;
  private String config;

  @BeforeEach
  void start() throws Exception {
    secure =
        closing(
            ScriptedOrigin.startSecure(
                SecureServer.of(ROOT.issue(TestAuthority.server("allowed.test", "b.test")))));
    secure.onOk("/page", "content");
    origin.onOk("/page", "content", "Cache-Control: max-age=1000");
    git = closing(ScriptedOrigin.start());
    git.onOk("/", "not TLS");
    dns = closing(new LyingDns());
    for (String name : List.of("allowed.test", "b.test", "later.test", "git.example.com")) {
      resolves(name, LyingDns.Entry.a(name, 127, 0, 0, 1));
    }
    Path list =
        Files.writeString(dir.resolve("allowed"), "# listed\nallowed.test\nb.test\n.in.test\n");
    String shipped =
        Files.readString(FOLDER.resolve("egress-firewall.conf"))
            .replace("http_port 3128", "http_port 127.0.0.1:0")
            .replace("config/egress-allowed.txt", list.toString())
            .replace("port 80 443", "port 80 443 " + origin.port() + " " + secure.port())
            .replace("ssh_port port 22", "ssh_port port 22 " + git.port())
            .replace(" 127.0.0.0/8 ", " 127.0.0.2-127.255.255.255 ")
            .replace("loligo_admin_port 127.0.0.1:3129", "loligo_admin_port 127.0.0.1:0")
            .replace("./var/log", dir.toString());
    config =
        shipped
            + "loligo_admin_secret s3cret\ncache_mem 32 MB\nloligo_event_loops 1\n"
            + "hosts_file none\n";
    proxy = ProxyUnderTest.startAsking(dns.address(), config, time);
  }

  private void resolves(String name, LyingDns.Entry... addresses) {
    dns.on(name, question -> question.send(question.message(0, 0, addresses)));
  }

  private WireMessage ask(String method, String target) throws IOException {
    String request = method + " " + target + " HTTP/1.1\r\nHost: x\r\n\r\n";
    return client().send(request).responseTo(method);
  }

  private WireMessage page(String host) throws IOException {
    return ask("GET", origin.url(host, "/page"));
  }

  private static void assertDenied(WireMessage response, String rule) {
    assertThat(response.status()).isEqualTo(403);
    assertThat(response.field("Content-Type")).isEqualTo("application/problem+json");
    assertThat(response.text()).contains("\"rule\":\"" + rule + "\"");
  }

  // ---- the list

  @ParameterizedTest
  @CsvSource({
    "GET, http://denied.test/",
    "GET, http://denied.test:443/",
    "GET, http://sub.allowed.test/",
    "GET, http://allowed.test:22/",
    "CONNECT, denied.test:443",
    "CONNECT, allowed.test:22",
    "CONNECT, git.example.com:443",
    "CONNECT, 10.0.0.1:443",
    "CONNECT, 93.184.216.34:443",
    "CONNECT, [2001:500:88:200::8]:443",
    "GET, http://169.254.169.254/latest/meta-data/",
    "GET, http://127.0.0.1/",
    "GET, http://localhost/",
  })
  void whatIsNotListedIsDeniedWithoutAQuestionToDns(String method, String target) throws Exception {
    assertDenied(ask(method, target), "http_access deny !permitted");
    assertThat(dns.asked()).isEmpty();
  }

  @Test
  void whatIsListedPasses() throws Exception {
    assertThat(page("allowed.test").text()).isEqualTo("content");
    assertThat(page("allowed.test").text()).isEqualTo("content");
    assertThat(origin.fetches("/page")).as("nothing is cached").isEqualTo(2);
    assertThat(origin.lastRequest().field("X-Forwarded-For")).isNull();
    RawClient client = RawClient.over(inside("allowed.test", "allowed.test"));
    client.send("GET /page HTTP/1.1\r\nHost: allowed.test\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("content");
  }

  // ---- the addresses behind names

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.1.2.3",
        "100.64.0.1",
        "127.0.0.2",
        "169.254.169.254",
        "172.31.0.1",
        "192.168.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "0.0.0.0",
        "::1",
        "::",
        "::10.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:169.254.169.254",
        "fd00:ec2::254",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "64:ff9b::a00:1",
        "64:ff9b::a9fe:a9fe",
        "2002:a00:1::1",
      })
  void aListedNameLeadsToNoInternalAddress(String address) throws Exception {
    resolves("rebound.in.test", entry("rebound.in.test", address));
    assertDenied(page("rebound.in.test"), "http_access deny internal");
    assertDenied(ask("CONNECT", "rebound.in.test:443"), "http_access deny internal");
    assertThat(dns.asked()).contains("rebound.in.test");
    assertThat(proxy.forwardedConnections()).isZero();
  }

  @Test
  void oneInternalAddressAmongOthersIsNotDialled() throws Exception {
    resolves(
        "rebound.in.test",
        LyingDns.Entry.a("rebound.in.test", 10, 0, 0, 1),
        LyingDns.Entry.a("rebound.in.test", 127, 0, 0, 1));
    assertThat(page("rebound.in.test").text()).isEqualTo("content");
    assertThat(proxy.forwardedConnections()).as("that to 127.0.0.1").isEqualTo(1);
  }

  private static LyingDns.Entry entry(String name, String address) throws IOException {
    if (address.startsWith("::ffff:")) { // Java would give it as IPv4
      byte[] last = InetAddress.getByName(address.substring("::ffff:".length())).getAddress();
      byte[] mapped = new byte[16];
      mapped[10] = mapped[11] = (byte) 0xff;
      System.arraycopy(last, 0, mapped, 12, 4);
      return new LyingDns.Entry(name, LyingDns.AAAA, mapped);
    }
    byte[] bytes = InetAddress.getByName(address).getAddress();
    return new LyingDns.Entry(name, bytes.length == 4 ? LyingDns.A : LyingDns.AAAA, bytes);
  }

  // ---- tunnels

  private Socket tunnel(String authority) throws IOException {
    Socket socket = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port()));
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    InspectionWireTest.connect(socket, authority);
    return socket;
  }

  private Socket inside(String host, String serverName) throws Exception {
    return closing(
        TlsClient.trusting(ROOT)
            .name(serverName)
            .over(tunnel(host + ":" + secure.port()), secure.port()));
  }

  @ParameterizedTest
  @CsvSource({"b.test, ssl_bump%20terminate", "denied.test, http_access deny !permitted"})
  void theHandshakeNamesTheHostOfConnect(String serverName, String why) throws Exception {
    assertThatThrownBy(() -> inside("allowed.test", serverName)).isInstanceOf(IOException.class);
    awaitCount(() -> proxy.counted(CounterFamily.TUNNEL, BumpAction.TERMINATE.ordinal()), 1);
    assertThat(secure.connections()).isZero();
    assertThat(dns.asked()).doesNotContain(serverName);
    assertThat(stopAndReadLog("egress.json").get(0))
        .contains("\"serverName\":\"" + serverName + "\"", "\"bumpMode\":\"terminate\"")
        .contains(why.replace("%20", " "));
  }

  @Test
  void aTunnelWithoutTlsReachesNobody() throws Exception {
    Socket socket = tunnel("allowed.test:" + origin.port());
    socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(ISO_8859_1));
    String answer = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    assertThat(answer).startsWith("HTTP/1.1 400 ");
    assertThat(origin.connections()).isZero();
  }

  @Test
  void aListedNameAtPort22NeedsNoTls() throws Exception {
    RawClient client = RawClient.over(tunnel("git.example.com:" + git.port()));
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("not TLS");
    assertDenied(ask("CONNECT", "allowed.test:" + git.port()), "http_access deny !permitted");
    assertDenied(ask("CONNECT", "git.example.com:" + secure.port()), "http_access deny !permitted");
  }

  // ---- the audit log

  @Test
  void theLogNamesTheRuleOfEachRequest() throws Exception {
    page("allowed.test");
    ask("CONNECT", "denied.test:443");
    assertThat(stopAndReadLog("egress.json"))
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .contains("\"status\":200", "\"rule\":\"http_access allow all\"")
                    .contains("\"hop\":\"127.0.0.1\""),
            line ->
                assertThat(line)
                    .contains("\"method\":\"CONNECT\"", "\"url\":\"denied.test:443\"")
                    .contains("\"status\":403", "\"rule\":\"http_access deny !permitted\"")
                    .contains("\"ruleSource\":\"test.conf:"));
  }

  // ---- additions

  private WireMessage admin(String method, String path, String... fieldLines) throws Exception {
    String head = method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + proxy.adminPort();
    for (String line : fieldLines) {
      head += "\r\n" + line;
    }
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      return client
          .send(head + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
          .responseTo(method);
    }
  }

  private String later() {
    return "/additions?acl=opened&host=later.test:" + origin.port();
  }

  @Test
  void anOperatorAddsAHostForSomeMinutes() throws Exception {
    assertDenied(page("later.test"), "http_access deny !permitted");
    assertThat(dns.asked()).isEmpty();
    CapturedLog audit = closing(new CapturedLog("io.loligo.audit"));
    WireMessage added = admin("POST", later() + "&minutes=10", SECRET);
    assertThat(added.status()).isEqualTo(200);
    assertThat(added.text())
        .contains("\"acl\":\"opened\",\"host\":\"later.test:" + origin.port())
        .contains("\"until\":\"2026-06-02T12:10:00Z\",\"secondsLeft\":600");
    assertThat(page("later.test").text()).isEqualTo("content");
    assertDenied(ask("GET", "http://later.test:81/"), "http_access deny !permitted");
    assertDenied(ask("GET", "http://x.later.test/"), "http_access deny !permitted");
    time.pass(599);
    assertThat(page("later.test").text()).isEqualTo("content");
    assertThat(admin("GET", "/additions").text()).contains("later.test", "\"secondsLeft\": 1");
    time.pass(1);
    assertDenied(page("later.test"), "http_access deny !permitted");
    Waiting.until(
        "it is removed", () -> audit.lines().stream().anyMatch(line -> line.contains("expired")));
    assertThat(admin("GET", "/additions").text()).contains("opened").doesNotContain("later");
    assertThat(String.join("\n", audit.lines()))
        .contains("admin additions from 127.0.0.1: later.test:" + origin.port() + " added to acl")
        .contains("later.test:" + origin.port() + " has expired");
  }

  @Test
  void anAdditionLeadsToNoInternalAddress() throws Exception {
    resolves("later.test", LyingDns.Entry.a("later.test", 10, 0, 0, 1));
    admin("POST", later() + "&minutes=10", SECRET);
    assertDenied(page("later.test"), "http_access deny internal");
  }

  @Test
  void anAdditionCanBeTakenBack() throws Exception {
    admin("POST", later() + "&minutes=10", SECRET);
    assertThat(page("later.test").status()).isEqualTo(200);
    assertThat(admin("DELETE", later(), SECRET).text()).contains("\"removed\":true");
    assertThat(page("later.test").status()).isEqualTo(403);
    assertThat(admin("DELETE", later(), SECRET).status()).isEqualTo(404);
  }

  @Test
  void aReloadKeepsAdditionsWhileTheirAclIsThere() throws Exception {
    admin("POST", later() + "&minutes=10", SECRET);
    assertThat(proxy.reloadAsking(dns.address(), config + "via off\n").done()).isTrue();
    assertThat(page("later.test").status()).isEqualTo(200);
    String without =
        config
            .replace("acl opened loligo_added\n", "")
            .replace("any-of web git_ssh opened", "any-of web git_ssh");
    assertThat(proxy.reloadAsking(dns.address(), without).done()).isTrue();
    assertThat(page("later.test").status()).isEqualTo(403);
    assertThat(proxy.reloadAsking(dns.address(), config).done()).isTrue();
    assertThat(page("later.test").status()).isEqualTo(403);
  }

  @Test
  void additionsNeedTheSecret() throws Exception {
    assertThat(admin("POST", later() + "&minutes=10").status()).isEqualTo(403);
    assertThat(admin("DELETE", later(), "Authorization: Bearer wrong").status()).isEqualTo(403);
    assertThat(admin("PUT", later(), SECRET).status()).isEqualTo(405);
    assertThat(page("later.test").status()).isEqualTo(403);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "acl=web_hosts&host=a.test&minutes=1",
        "acl=none&host=a.test&minutes=1",
        "host=a.test&minutes=1",
        "acl=opened&host=a.test&minutes=0",
        "acl=opened&host=a.test&minutes=10081",
        "acl=opened&host=a.test",
        "acl=opened&host=a.test:0&minutes=1",
        "acl=opened&host=a.test:65536&minutes=1",
        "acl=opened&host=http://a.test/&minutes=1",
        "acl=opened&host=*&minutes=1",
        "acl=opened&host=.&minutes=1",
        "acl=opened&host=a.test&host=b.test&minutes=1",
      })
  void wrongAdditionsAreRefused(String parameters) throws Exception {
    WireMessage response = admin("POST", "/additions?" + parameters, SECRET);
    assertThat(response.status()).as(response.text()).isEqualTo(400);
    assertThat(response.text()).contains("expected: ");
  }

  @Test
  void thereIsALimitOfAdditions() throws Exception {
    for (int i = 0; i < 256; i++) {
      String path = "/additions?acl=opened&minutes=1&host=a" + i + ".test";
      assertThat(admin("POST", path, SECRET).status()).isEqualTo(200);
    }
    assertThat(admin("POST", later() + "&minutes=1", SECRET).status()).isEqualTo(400);
    assertThat(admin("POST", "/additions?acl=opened&minutes=9&host=a7.test", SECRET).status())
        .as("one that is there is prolonged")
        .isEqualTo(200);
  }
}
