package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.tls.TestAuthority;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;

/** HTTP/2 that ALPN has chosen on an https_port. */
class Http2OverTlsWireTest extends WireTest {
  private static final TestAuthority ROOT = TestAuthority.root("Root");
  private static final String FRESH = "Cache-Control: max-age=1000";

  private void start(String options) throws Exception {
    String pair =
        ROOT.issue(TestAuthority.server("www.example.com", "127.0.0.1"))
            .write(dir, "www.pem")
            .toString();
    startProxy(
        "https_port 127.0.0.1:0 " + options + " tls-cert=" + pair,
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
  }

  @Test
  void servesAClientThatPrefersIt() throws Exception {
    start("accel");
    origin.onOk("/a", "x".repeat(100_000), FRESH);
    SSLSocket socket = TlsClient.trusting(ROOT).protocols("h2", "http/1.1").socket(proxy.port(1));
    assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
    try (Http2Client client = Http2Client.over(socket)) {
      client.get(1, "www.example.com", "/a");
      assertThat(client.response(1).content()).hasSize(100_000);
      client.get(3, "www.example.com", "/a");
      assertThat(client.response(3).content()).hasSize(100_000);
    }
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void servesManyRequestsOfTheHttpClientOfJavaOverOneConnection() throws Exception {
    start("accel");
    origin.onOk("/a", "hello", FRESH);
    HttpClient client =
        HttpClient.newBuilder()
            .sslContext(TlsClient.trusting(ROOT).context())
            .proxy(ProxySelector.of(null))
            .build();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + proxy.port(1) + "/a")).build();
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).version())
        .isEqualTo(HttpClient.Version.HTTP_2);
    for (int i = 0; i < 50; i++) {
      all.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofString()));
    }
    for (CompletableFuture<HttpResponse<String>> each : all) {
      assertThat(each.get().body()).isEqualTo("hello");
    }
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void aForwardProxyServesAbsoluteUrlsAndTunnelsOverOneConnection() throws Exception {
    start("");
    origin.onOk("/a", "hello", FRESH);
    SSLSocket socket = TlsClient.trusting(ROOT).protocols("h2", "http/1.1").socket(proxy.port(1));
    assertThat(socket.getApplicationProtocol()).isEqualTo("h2");
    try (Http2Client client = Http2Client.over(socket)) {
      client.get(1, origin.authority(), "/a");
      assertThat(client.response(1).text()).isEqualTo("hello");
      client.connect(3, origin.authority());
      client.data(3, "GET /a HTTP/1.1\r\nHost: a\r\n\r\n", false);
      assertThat(client.contentOf(3, 20).text()).startsWith("HTTP/1.1 200 OK\r\n");
    }
  }
}
