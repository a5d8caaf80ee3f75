package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code config/two-sites.conf} and {@code docs/uses-sites.md}: the file itself, on ports of the
 * test's.
 */
class TwoSitesWireTest extends WireTest {
  private static final Path FOLDER = Path.of("").toAbsolutePath().getParent().resolve("config");
  private static final TestAuthority ROOT = TestAuthority.root("Test Root");
  private static final String WWW = "www.example.com";
  private static final String SHOP = "shop.example.org";
  private static final String FRESH = "Cache-Control: max-age=60";

  private final HeldTime time = new HeldTime();
  private final Map<String, Integer> health = new ConcurrentHashMap<>();
  private ScriptedOrigin www1;
  private ScriptedOrigin www2;
  private ScriptedOrigin shop;

  /** An origin whose content is its name, and whose status is that of its health. */
  private ScriptedOrigin server(String name) throws IOException {
    ScriptedOrigin server = closing(ScriptedOrigin.start());
    health.put(name, 200);
    server.otherwise(
        call -> {
          int status = health.get(name);
          call.send(
              ScriptedOrigin.response(status + " X", name, FRESH, "Surrogate-Key: all " + name));
        });
    return server;
  }

  @BeforeEach
  void start() throws Exception {
    www1 = server("www1");
    www2 = server("www2");
    shop = server("shop");
    ROOT.issue(TestAuthority.server(WWW)).write(dir, "www.pem");
    ROOT.issue(TestAuthority.server(SHOP)).write(dir, "shop.pem");
    String shipped =
        Files.readString(FOLDER.resolve("two-sites.conf"))
            .replace("https_port 443", "https_port 127.0.0.1:0")
            .replace("http_port 80", "http_port 127.0.0.1:0")
            .replace("10.0.1.1 parent 8080", "127.0.0.1 parent " + www1.port())
            .replace("10.0.1.2 parent 8080", "127.0.0.1 parent " + www2.port())
            .replace("10.0.2.1 parent 8080", "127.0.0.1 parent " + shop.port())
            .replace("src 10.0.0.0/8", "src 127.0.0.1")
            .replace("./var/log", dir.toString())
            .replace("./var/", dir + "/")
            .replace("loligo_admin_port 127.0.0.1:3129", "loligo_admin_port 127.0.0.1:0");
    proxy =
        ProxyUnderTest.start(
            shipped
                + "cache_mem 32 MB\nloligo_event_loops 1\nhosts_file none\n"
                + "visible_hostname proxy.test\n",
            time);
  }

  private SSLSocket secure(String host) throws Exception {
    Socket socket = closing(new Socket(InetAddress.getLoopbackAddress(), proxy.port(1)));
    socket.setSoTimeout(RawClient.GUARD_MILLIS);
    return closing(TlsClient.trusting(ROOT).name(host).over(socket, proxy.port(1)));
  }

  private WireMessage page(String host, String path) throws Exception {
    String head = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    return RawClient.over(secure(host)).send(head).response();
  }

  // ---- TLS and sites

  @ParameterizedTest
  @CsvSource({WWW + ", www", SHOP + ", shop"})
  void eachSiteHasItsCertificateAndItsOrigins(String host, String name) throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(page(host, "/" + i).text()).startsWith(name);
    }
    assertHit(page(host, "/0"));
    assertThat(secure(host).getSession().getPeerPrincipal().getName()).contains(host);
  }

  @Test
  void otherHostsAreDenied() throws Exception {
    String head = "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n";
    assertThat(RawClient.over(secure(WWW)).send(head).response().status()).isEqualTo(403);
  }

  @Test
  void clearTextIsSentToHttps() throws Exception {
    WireMessage sent =
        client(0).send("GET /a?b=c HTTP/1.1\r\nHost: " + WWW + "\r\n\r\n").response();
    assertThat(sent.status()).isEqualTo(301);
    assertThat(sent.field("Location")).isEqualTo("https://" + WWW + "/a?b=c");
    WireMessage other = client(0).send("GET / HTTP/1.1\r\nHost: other.test\r\n\r\n").response();
    assertThat(other.status()).as("no open redirect").isEqualTo(403);
  }

  // ---- checks

  private String peers() throws Exception {
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      return client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").response().text();
    }
  }

  private long checks(String result) throws Exception {
    String line = "loligo_peer_checks_total{peer=\"www1\",result=\"" + result + "\"} ";
    return peers()
        .lines()
        .filter(one -> one.startsWith(line))
        .mapToLong(one -> (long) Double.parseDouble(one.substring(line.length())))
        .findFirst()
        .orElseThrow();
  }

  /** Lets an interval pass, until one more check of www1 has this result. */
  private void checkAgain(String result) throws Exception {
    long before = checks(result);
    time.passTimeouts(11_300);
    Waiting.until("a check is " + result, () -> checks(result) > before);
  }

  @Test
  void anOriginThatFailsItsChecksGetsNoRequests() throws Exception {
    Waiting.until("the first check is good", () -> checks("good") == 1);
    health.put("www1", 500);
    for (int i = 0; i < 3; i++) {
      checkAgain("bad");
    }
    assertThat(peers()).contains("loligo_peer_up{peer=\"www1\"} 0.0\n");
    for (int i = 0; i < 4; i++) {
      assertThat(page(WWW, "/down" + i).text()).isEqualTo("www2");
    }
    assertThat(www1.requests()).noneMatch(request -> request.startLine().contains("/down"));
    health.put("www1", 200);
    checkAgain("good");
    checkAgain("good");
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      answers.add(page(WWW, "/up" + i).text());
    }
    assertThat(answers).contains("www1", "www2");
  }

  @Test
  void aServerErrorGoesToTheOtherOrigin() throws Exception {
    health.put("www1", 503);
    for (int i = 0; i < 4; i++) {
      assertThat(page(WWW, "/" + i).text()).isEqualTo("www2");
    }
  }

  // ---- purges

  private WireMessage purge(String from, String tag) throws Exception {
    try (RawClient client = RawClient.connectFrom(from, proxy.port(0))) {
      String head = "PURGE / HTTP/1.1\r\nHost: " + WWW + "\r\nSurrogate-Key: " + tag + "\r\n\r\n";
      return client.send(head).response();
    }
  }

  @Test
  void theApplicationPurgesByTag() throws Exception {
    page(SHOP, "/a");
    page(SHOP, "/b");
    page(WWW, "/a");
    assertThat(purge("127.0.0.2", "shop").status()).as("a stranger").isEqualTo(403);
    assertHit(page(SHOP, "/a"));
    assertThat(purge("127.0.0.1", "shop").status()).isEqualTo(200);
    page(SHOP, "/a");
    page(SHOP, "/b");
    assertThat(shop.fetches("/a") + shop.fetches("/b")).isEqualTo(4);
    assertHit(page(WWW, "/a"));
  }

  // ---- grace

  @ParameterizedTest
  @CsvSource({"500", "502", "503", "504", "0"})
  void storedResponsesServeWhileTheOriginFails(int status) throws Exception {
    page(SHOP, "/a");
    time.pass(60);
    if (status == 0) {
      shop.stop();
    } else {
      health.put("shop", status);
    }
    WireMessage stale = page(SHOP, "/a");
    assertThat(stale.status()).isEqualTo(200);
    assertThat(stale.text()).isEqualTo("shop");
    assertThat(stale.field("Cache-Status")).contains("stale-if-error");
    time.pass(86_401);
    assertThat(page(SHOP, "/a").status()).isEqualTo(status == 0 ? 503 : status);
  }
}
