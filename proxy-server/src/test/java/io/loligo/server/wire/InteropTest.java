package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * With other people's programs on all sides: curl as client, nginx as origin, Squid as child and as
 * parent. Skipped, visibly, where a program is absent.
 */
class InteropTest extends PeersTest {
  private String proxyUrl(int port) {
    return "http://127.0.0.1:" + port;
  }

  /** Starts Squid with these lines. */
  private int squid(String... lines) throws Exception {
    int port = ProxyProcess.freePort();
    List<String> all = new ArrayList<>(List.of("http_access allow all"));
    all.addAll(List.of(lines));
    closing(SquidProcess.start(dir, List.of("http_port 127.0.0.1:" + port), all)).awaitPort(port);
    return port;
  }

  @Test
  void curlGetsAHitTheSecondTime() throws Exception {
    startProxy();
    origin.onOk("/c", "hello", "Cache-Control: max-age=1000");
    String first = curl("-i", "-x", proxyUrl(proxy.port()), origin.url("/c"));
    String second = curl("-i", "-x", proxyUrl(proxy.port()), origin.url("/c"));
    assertThat(first).startsWith("HTTP/1.1 200").endsWith("hello").contains("fwd=uri-miss");
    assertThat(second)
        .startsWith("HTTP/1.1 200")
        .endsWith("hello")
        .containsPattern("proxy.test; ?hit");
    assertThat(origin.fetches("/c")).isEqualTo(1);
  }

  @Test
  void curlPostsAndPutsThroughTheProxy() throws Exception {
    startProxy();
    origin.on("/p", call -> call.ok(call.head().substring(0, 4) + call.whole().body().length));
    Path file = Files.write(dir.resolve("upload"), new byte[3_000_000]);
    assertThat(curl("-x", proxyUrl(proxy.port()), "-d", "a=b", origin.url("/p")))
        .isEqualTo("POST3");
    assertThat(curl("-x", proxyUrl(proxy.port()), "-T", file.toString(), origin.url("/p")))
        .isEqualTo("PUT 3000000");
    assertThat(
            curl(
                "-x",
                proxyUrl(proxy.port()),
                "-H",
                "Transfer-Encoding: chunked",
                "-T",
                file.toString(),
                origin.url("/p")))
        .isEqualTo("PUT 3000000");
  }

  @Test
  void curlTunnelsThroughConnect() throws Exception {
    startProxy();
    origin.onOk("/t", "tunnelled");
    assertThat(curl("-p", "-x", proxyUrl(proxy.port()), origin.url("/t"))).isEqualTo("tunnelled");
    assertThat(origin.lastRequest().field("Via")).isNull();
    assertThat(stopAndReadLog()).singleElement().asString().contains(" TCP_TUNNEL/200 ");
  }

  @Test
  void cachesAndValidatesResponsesOfNginx() throws Exception {
    startProxy();
    int nginx =
        nginx(
            "location /stale { add_header Cache-Control no-cache; }",
            "location / { expires 1h; }",
            "gzip on; gzip_proxied any; gzip_types text/plain; gzip_vary on; gzip_min_length 10;"
                + " gzip_http_version 1.0;");
    Path www = dir.resolve("www");
    Files.writeString(www.resolve("file.txt"), "0123456789".repeat(1000));
    Files.writeString(www.resolve("stale"), "validated");
    String base = "http://127.0.0.1:" + nginx;
    String via = proxyUrl(proxy.port());

    assertThat(curl("-i", "-x", via, base + "/file.txt")).contains("fwd=uri-miss");
    assertThat(curl("-i", "-x", via, base + "/file.txt")).containsPattern("proxy.test; ?hit");
    assertThat(curl("-i", "--compressed", "-x", via, base + "/file.txt"))
        .contains("fwd=vary-miss", "Content-Encoding: gzip");
    String zipped = curl("-i", "--compressed", "-x", via, base + "/file.txt");
    assertThat(zipped).containsPattern("proxy.test; ?hit").endsWith("0123456789");
    assertThat(curl("-x", via, "-r", "5-7", base + "/file.txt")).isEqualTo("567");
    assertThat(curl("-x", via, base + "/stale")).isEqualTo("validated");
    assertThat(curl("-x", via, base + "/stale")).isEqualTo("validated");
    List<String> log = stopAndReadLog();
    assertThat(log.get(log.size() - 1)).contains(" TCP_REFRESH_UNMODIFIED/200 ");
    Path nginxLog = dir.resolve("nginx.log");
    Waiting.until(
        "nginx has logged the validation",
        () -> Files.readString(nginxLog).contains("\"GET /stale HTTP/1.1\" 304 "));
  }

  @Test
  void acceleratesNginx() throws Exception {
    int nginx = nginx("location / { expires 1h; }");
    byte[] content = new byte[2_000_000];
    new java.util.Random(1).nextBytes(content);
    Files.write(dir.resolve("www").resolve("big.bin"), content);
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=www.example.com",
        "cache_peer 127.0.0.1 parent " + nginx + " 0 no-query originserver name=nginx",
        "maximum_object_size_in_memory 4 MB");
    for (int i = 0; i < 2; i++) {
      Path copy = dir.resolve("copy" + i);
      curl("-o", copy.toString(), proxyUrl(proxy.port()) + "/big.bin");
      assertThat(Files.readAllBytes(copy)).isEqualTo(content);
    }
    assertThat(stopAndReadLog().get(1)).contains(" TCP_MEM_HIT/200 ");
  }

  @Test
  void servesSquidAsItsParent() throws Exception {
    startProxy();
    origin.onOk("/s", "through both", "Cache-Control: no-store");
    int squid =
        squid(
            "cache_peer 127.0.0.1 parent " + proxy.port() + " 0 no-query default",
            "never_direct allow all");
    assertThat(curl("-x", proxyUrl(squid), origin.url("/s"))).isEqualTo("through both");
    assertThat(curl("-x", proxyUrl(squid), "-d", "x=y", origin.url("/s")))
        .isEqualTo("through both");
    assertThat(curl("-p", "-x", proxyUrl(squid), origin.url("/s"))).isEqualTo("through both");
    assertThat(String.join(", ", origin.requests().get(0).fields("Via")))
        .matches("1\\.1 squid\\.test[^,]*, 1\\.1 proxy\\.test.*");
  }

  @Test
  void usesSquidAsItsParent() throws Exception {
    int squid = squid();
    startProxy(
        "cache_peer 127.0.0.1 parent " + squid + " 0 no-query default name=up",
        "never_direct allow all");
    origin.onOk("/s", "through both", "Cache-Control: no-store");
    String via = proxyUrl(proxy.port());
    assertThat(curl("-x", via, origin.url("/s"))).isEqualTo("through both");
    assertThat(curl("-x", via, "-d", "x=y", origin.url("/s"))).isEqualTo("through both");
    assertThat(curl("-p", "-x", via, origin.url("/s"))).isEqualTo("through both");
    assertThat(String.join(", ", origin.requests().get(0).fields("Via")))
        .matches("1\\.1 proxy\\.test[^,]*, 1\\.1 squid\\.test.*");
    assertThat(stopAndReadLog().get(0)).containsPattern("(DEFAULT|FIRSTUP)_PARENT/127\\.0\\.0\\.1");
  }
}
