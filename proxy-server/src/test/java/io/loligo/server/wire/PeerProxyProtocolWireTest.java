package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.IpText;
import io.loligo.core.proxyprotocol.ProxyHeader;
import io.loligo.server.tls.TestAuthority;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers of the PROXY protocol to a cache_peer with proxy-protocol. */
class PeerProxyProtocolWireTest extends WireTest {
  private static final String GET = "GET /a HTTP/1.1\r\nHost: www.example.com\r\n\r\n";

  private String peer(int port, String options) {
    return "cache_peer 127.0.0.1 parent " + port + " 0 no-query no-digest " + options;
  }

  /** Starts an accelerator of the origin, which answers /a. */
  private void accelerate(String options, String... lines) throws Exception {
    String[] all = new String[lines.length + 2];
    System.arraycopy(lines, 0, all, 0, lines.length);
    all[lines.length] = "http_port 127.0.0.1:0 accel";
    all[lines.length + 1] = peer(origin.port(), "originserver " + options);
    startProxy(all);
    origin.expectProxyHeaders();
    origin.onOk("/a", "content", "Cache-Control: no-store");
  }

  private static String told(ProxyHeader header) {
    assertThat(header.source()).as("the header names a client").isNotNull();
    return IpText.text(header.source())
        + ' '
        + header.sourcePort()
        + ' '
        + IpText.text(header.destination())
        + ' '
        + header.destinationPort();
  }

  private String connectionOf(String address, RawClient client) {
    return address + ' ' + client.localPort() + " 127.0.0.1 " + proxy.port();
  }

  private RawClient clientFrom(String address) throws IOException {
    return closing(RawClient.connectFrom(address, proxy.port()));
  }

  @ParameterizedTest
  @CsvSource({"1, 1.0", "2, 2.0"})
  @Tag("proxy-protocol")
  void aConnectionBeginsWithTheAddressesOfTheClients(String version, String seen) throws Exception {
    accelerate("proxy-protocol=" + version);
    RawClient client = clientFrom("127.0.0.2");
    assertThat(client.send(GET).response().text()).isEqualTo("content");
    ProxyHeader header = origin.proxyHeaders().get(0);
    assertThat(header.fields().joined(":version")).isEqualTo(seen);
    assertThat(told(header)).isEqualTo(connectionOf("127.0.0.2", client));
  }

  @Test
  void noConnectionServesASecondRequest() throws Exception {
    accelerate("proxy-protocol=1");
    RawClient first = clientFrom("127.0.0.2");
    RawClient second = clientFrom("127.0.0.3");
    for (RawClient client : List.of(first, second, first)) {
      assertThat(client.send(GET).response().text()).isEqualTo("content");
      assertThat(origin.lastRequest().fields("Connection")).containsExactly("close");
    }
    assertThat(origin.proxyHeaders())
        .extracting(PeerProxyProtocolWireTest::told)
        .containsExactly(
            connectionOf("127.0.0.2", first),
            connectionOf("127.0.0.3", second),
            connectionOf("127.0.0.2", first));
    assertThat(origin.requests()).hasSize(3);
  }

  @Test
  void theHeaderComesBeforeTls() throws Exception {
    TestAuthority root = TestAuthority.root("Root");
    ScriptedOrigin secure =
        closing(
            ScriptedOrigin.startSecure(
                SecureServer.of(root.issue(TestAuthority.server("peer.test")))));
    secure.expectProxyHeaders();
    secure.onOk("/a", "secret");
    startProxy(
        "http_port 127.0.0.1:0 accel",
        peer(secure.port(), "originserver proxy-protocol=2 tls tls-domain=peer.test tls-cafile=")
            + root.write(dir, "root.pem"));
    RawClient client = clientFrom("127.0.0.2");
    assertThat(client.send(GET).response().text()).isEqualTo("secret");
    assertThat(secure.proxyHeaders())
        .extracting(PeerProxyProtocolWireTest::told)
        .containsExactly(connectionOf("127.0.0.2", client));
  }

  @Test
  void aTunnelThroughAParentHasIt() throws Exception {
    startProxy(peer(origin.port(), "proxy-protocol=1"), "never_direct allow all");
    origin.expectProxyHeaders();
    origin.on(
        "a.example:443",
        call -> {
          call.send("HTTP/1.1 200 OK\r\n\r\n");
          call.send(call.in().readNBytes(4));
          call.close();
        });
    RawClient client = clientFrom("127.0.0.2");
    client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
    assertThat(client.responseHead()).startsWith("HTTP/1.1 200 ");
    assertThat(client.send("ping").read(4)).isEqualTo("ping");
    assertThat(origin.proxyHeaders())
        .extracting(PeerProxyProtocolWireTest::told)
        .containsExactly(connectionOf("127.0.0.2", client));
  }

  @Test
  void aTunnelToTheOriginServerItselfHasIt() throws Exception {
    startProxy(peer(origin.port(), "originserver proxy-protocol=1"), "never_direct allow all");
    origin.expectProxyHeaders();
    origin.onOk("/a", "content");
    RawClient client = clientFrom("127.0.0.2");
    String target = origin.authority();
    client.send("CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n\r\n");
    assertThat(client.responseHead()).startsWith("HTTP/1.1 200 ");
    assertThat(client.send(GET).response().text()).isEqualTo("content");
    assertThat(origin.proxyHeaders())
        .extracting(PeerProxyProtocolWireTest::told)
        .containsExactly(connectionOf("127.0.0.2", client));
  }

  /** Not the address that only a field names. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "2"})
  void theAddressesOfAReceivedHeaderAreSentOn(String version) throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel require-proxy-header",
        "proxy_protocol_access allow all",
        "follow_x_forwarded_for allow all",
        peer(origin.port(), "originserver proxy-protocol=" + version));
    origin.expectProxyHeaders();
    origin.onOk("/a", "content");
    RawClient client = client();
    client.send("PROXY TCP6 2001:db8::7 2001:db8::1 1234 8080\r\n");
    client.send("GET /a HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.9\r\n\r\n");
    assertThat(client.response().text()).isEqualTo("content");
    assertThat(told(origin.proxyHeaders().get(0))).isEqualTo("2001:db8::7 1234 2001:db8::1 8080");
  }

  @ParameterizedTest
  @CsvSource({"1, 1.0", "2, 2.0"})
  void aValidationInTheBackgroundNamesNobody(String version, String seen) throws Exception {
    accelerate("proxy-protocol=" + version);
    origin.onOk("/a", "content", "Cache-Control: max-age=1, stale-while-revalidate=9000", "Age: 9");
    for (int i = 0; i < 2; i++) {
      assertThat(client().send(GET).response().text()).isEqualTo("content");
      origin.awaitRequest("/a");
    }
    List<ProxyHeader> headers = origin.proxyHeaders();
    assertThat(headers).hasSize(2);
    assertThat(headers.get(0).source()).isNotNull();
    assertThat(headers.get(1).fields().joined(":version")).isEqualTo(seen);
    assertThat(headers.get(1).fields().joined(":command")).isEqualTo("LOCAL");
  }
}
