package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.server.tls.TestAuthority;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ports with require-proxy-header. */
class ProxyProtocolWireTest extends WireTest {
  private static final String HEADER = "PROXY TCP4 192.0.2.7 198.51.100.1 1234 8080\r\n";
  private static final String GET = "GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n";

  private void start(String... lines) throws Exception {
    String[] all = new String[lines.length + 2];
    System.arraycopy(lines, 0, all, 0, lines.length);
    all[lines.length] = "http_port 127.0.0.1:0 accel require-proxy-header";
    all[lines.length + 1] =
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver";
    startProxy(all);
    origin.onOk("/a", "hello", "Cache-Control: max-age=1000");
  }

  @Test
  void rulesLimitsAndLogsSeeTheAddressesOfTheHeader() throws Exception {
    start(
        "proxy_protocol_access allow localhost",
        "acl client src 192.0.2.7",
        "acl here localport 8080",
        "http_access allow client here",
        "http_access deny all");
    RawClient client = client();
    client.send(HEADER + GET);
    assertThat(client.response().status()).isEqualTo(200);
    RawClient other = client();
    other.send(HEADER.replace("192.0.2.7", "192.0.2.8") + GET);
    assertThat(other.response().status()).isEqualTo(403);
    assertThat(origin.lastRequest().field("X-Forwarded-For")).isEqualTo("192.0.2.7");
    assertThat(stopAndReadLog().get(1)).contains(" 192.0.2.8 TCP_DENIED/403 ");
  }

  @Test
  void aHeaderOfVersion2MayComeInPieces() throws Exception {
    start("proxy_protocol_access allow all");
    byte[] header =
        HexFormat.of().parseHex("0d0a0d0a000d0a515549540a2111000cc0000207c633640104d20050");
    RawClient client = client();
    for (byte b : header) {
      client.send(new byte[] {b});
    }
    client.send(GET);
    assertThat(client.response().text()).isEqualTo("hello");
    assertThat(stopAndReadLog().get(0)).contains(" 192.0.2.7 ");
  }

  @Test
  void aLocalConnectionOfTheBalancerKeepsItsAddress() throws Exception {
    start("proxy_protocol_access allow all");
    RawClient client = client();
    client.send("PROXY UNKNOWN\r\n" + GET);
    assertThat(client.response().status()).isEqualTo(200);
    assertThat(stopAndReadLog().get(0)).contains(" 127.0.0.1 TCP_MISS/200 ");
  }

  @Test
  void withoutALineNobodysHeaderIsBelieved() throws Exception {
    start();
    RawClient client = client();
    client.send(HEADER + GET);
    assertThat(client.untilClose()).isEmpty();
    assertThat(proxy.counted(Counter.PROXY_HEADERS_REFUSED)).isEqualTo(1);
    assertThat(origin.requests()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {GET, "PROXY TCP4 1 2 3 4\r\n" + GET, "\r\n\r\n\1"})
  void otherFirstBytesEndTheConnection(String bytes) throws Exception {
    start("proxy_protocol_access allow all");
    RawClient client = client();
    client.send(bytes);
    assertThat(client.untilClose()).isEmpty();
    assertThat(proxy.counted(Counter.PROXY_HEADERS_REFUSED)).isEqualTo(1);
    awaitCount(() -> proxy.open(ConnectionGauge.CLIENT_OPEN), 0);
  }

  @Test
  void connectionsCountForTheAddressOfTheHeader() throws Exception {
    start("proxy_protocol_access allow all", "client_ip_max_connections 1");
    RawClient first = client();
    first.send(HEADER + GET);
    assertThat(first.response().status()).isEqualTo(200);
    RawClient second = client();
    second.send(HEADER + GET);
    assertThat(second.untilClose()).isEmpty();
    RawClient other = client();
    other.send(HEADER.replace("192.0.2.7", "192.0.2.9") + GET);
    assertThat(other.response().status()).isEqualTo(200);
  }

  @Test
  void tlsFollowsTheHeader() throws Exception {
    TestAuthority root = TestAuthority.root("Root");
    String pair =
        root.issue(TestAuthority.server("www.example.com", "127.0.0.1"))
            .write(dir, "www.pem")
            .toString();
    startProxy(
        "https_port 127.0.0.1:0 accel require-proxy-header tls-cert=" + pair,
        "proxy_protocol_access allow all",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    origin.onOk("/a", "hello");
    Socket plain = new Socket(InetAddress.getLoopbackAddress(), proxy.port(1));
    plain.getOutputStream().write(HEADER.getBytes(StandardCharsets.US_ASCII));
    RawClient client = closing(RawClient.over(TlsClient.trusting(root).over(plain, proxy.port(1))));
    client.send(GET);
    assertThat(client.response().text()).isEqualTo("hello");
    assertThat(stopAndReadLog().get(0)).contains(" 192.0.2.7 TCP_MISS/200 ");
  }

  private static byte[] version2(byte[] extensions) {
    ByteBuffer header = ByteBuffer.allocate(28 + extensions.length);
    header.put("\r\n\r\n\0\r\nQUIT\n".getBytes(ISO_8859_1)).put((byte) 0x21).put((byte) 0x11);
    header.putShort((short) (12 + extensions.length));
    header.put(new byte[] {(byte) 192, 0, 2, 7, (byte) 198, 51, 100, 1});
    header.putShort((short) 1234).putShort((short) 8080).put(extensions);
    return header.array();
  }

  @Test
  void logsShowTheHeaderAndItsExtensions() throws Exception {
    start(
        "proxy_protocol_access allow all",
        "logformat header %{:version}proxy_protocol::>h %{:command}proxy_protocol::>h"
            + " %{:src_addr}proxy_protocol::>h %proxy_protocol::>h{:dst_port}"
            + " %proxy_protocol::>h{2} %proxy_protocol::>h{224} %{225}proxy_protocol::>h",
        "access_log stdio:" + dir.resolve("access.log") + " header");
    origin.onOk("/a", "hello");
    byte[] extensions = "\2\0\6a.test\340\0\5a b\r\n".getBytes(ISO_8859_1);
    for (byte[] header : List.of(version2(extensions), HEADER.getBytes(ISO_8859_1))) {
      try (RawClient client = RawClient.connect(proxy.port())) {
        client.send(header).send(GET);
        assertThat(client.response().text()).isEqualTo("hello");
      }
    }
    assertThat(stopAndReadLog())
        .containsExactly(
            "2.0 PROXY 192.0.2.7 8080 a.test a%20b%0D%0A -", "1.0 PROXY 192.0.2.7 8080 - - -");
  }
}
