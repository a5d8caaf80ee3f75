package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.tls.TestAuthority;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS to cache_peers: origins behind an accelerator, and parents. */
class SecurePeerWireTest extends WireTest {
  private static final TestAuthority ROOT = TestAuthority.root("Test Root");

  private ScriptedOrigin secure;
  private Path authorities;

  @BeforeEach
  void startSecure() throws Exception {
    authorities = ROOT.write(dir, "root.pem");
    TestAuthority.Issued issued = ROOT.issue(TestAuthority.server("peer.test"));
    secure = closing(ScriptedOrigin.startSecure(SecureServer.of(issued)));
  }

  private String peer(String options) {
    return "cache_peer 127.0.0.1 parent " + secure.port() + " 0 no-query no-digest " + options;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tls tls-domain=peer.test tls-cafile=",
        "ssl ssldomain=Peer.Test sslcafile=",
        "tls tls-flags=DONT_VERIFY_DOMAIN tls-cafile="
      })
  @Tag("tls")
  void anOriginServerGetsRequestsOverTls(String options) throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=www.example.com",
        peer("originserver " + options + authorities));
    secure.onOk("/", "content", "Cache-Control: max-age=1000");
    String request = "GET / HTTP/1.1\r\nHost: www.example.com\r\n\r\n";
    assertThat(client().send(request).response().text()).isEqualTo("content");
    assertThat(secure.lastRequest().startLine()).isEqualTo("GET / HTTP/1.1");
    assertThat(secure.lastRequest().fields("Host")).containsExactly("www.example.com");
    assertHit(client().send(request).response());
  }

  @Test
  @Tag("tls-domain")
  void thePeersNameIsVerified() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=www.example.com",
        peer("originserver tls tls-cafile=" + authorities));
    WireMessage refused = client().send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").response();
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.text()).contains("SQUID_X509_V_ERR_DOMAIN_MISMATCH", "peer.test");
    assertThat(secure.requests()).isEmpty();
  }

  @Test
  void aParentGetsAbsoluteFormOverTls() throws Exception {
    startProxy(
        peer("tls tls-domain=peer.test tls-cafile=" + authorities), "never_direct allow all");
    secure.onOk("http://a.example/", "from the parent");
    secure.onOk("https://a.example/", "of another scheme");
    assertThat(client().get("http://a.example/").response().text()).isEqualTo("from the parent");
    assertThat(client().get("https://a.example/").response().text()).isEqualTo("of another scheme");
    assertThat(secure.connections()).isEqualTo(1);
  }

  @Test
  void aParentOpensTunnelsOverTls() throws Exception {
    startProxy(
        peer("tls tls-domain=peer.test tls-cafile=" + authorities), "never_direct allow all");
    secure.on(
        "a.example:443",
        call -> {
          call.send("HTTP/1.1 200 OK\r\n\r\n");
          byte[] asked = call.in().readNBytes(4);
          call.send(asked);
          assertThat(call.in().read()).isEqualTo(-1);
          call.send("end");
          call.close();
        });
    RawClient client = client();
    client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
    assertThat(client.responseHead()).startsWith("HTTP/1.1 200 ");
    client.send("ping");
    assertThat(client.read(4)).isEqualTo("ping");
    client.halfClose();
    assertThat(client.untilClose()).isEqualTo("end");
  }

  @Test
  void theNextPeerFollowsAFailedHandshake() throws Exception {
    origin.onOk("/", "from the second");
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=www.example.com",
        peer("originserver name=one tls"),
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=two");
    assertThat(client().send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").response().text())
        .isEqualTo("from the second");
  }

  @Test
  void httpsSitesStayWithTheirPeers() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel protocol=https defaultsite=www.example.com",
        peer("originserver tls tls-domain=peer.test tls-cafile=" + authorities));
    secure.onOk("/", "content");
    assertThat(client().send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").response().text())
        .isEqualTo("content");
    secure.stop();
    WireMessage failed = client().send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n").response();
    assertThat(failed.status()).isEqualTo(503);
    assertThat(stopAndReadLog().get(1)).doesNotContain("HIER_DIRECT");
  }

  @Test
  void httpsSitesMayGoToTheirOriginsIfThePortSaysSo() throws Exception {
    TestAuthority.Issued issued = ROOT.issue(TestAuthority.server("127.0.0.1"));
    ScriptedOrigin site = closing(ScriptedOrigin.startSecure(SecureServer.of(issued)));
    site.onOk("/", "of the origin");
    startProxy(
        "http_port 127.0.0.1:0 accel vhost allow-direct protocol=https",
        "tls_outgoing_options cafile=" + authorities);
    String request = "GET / HTTP/1.1\r\nHost: " + site.authority() + "\r\n\r\n";
    assertThat(client().send(request).response().text()).isEqualTo("of the origin");
  }
}
