package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.tls.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * TLS and HTTP/2 with other people's programs: nghttp, h2load and curl as clients, nginx as origin,
 * nginx and HAProxy in front. Skipped, visibly, where a program is absent.
 */
class Http2InteropTest extends PeersTest {
  private static final TestAuthority ROOT = TestAuthority.root("Root");
  private static final String FRESH = "Cache-Control: max-age=1000";

  /** Index of the port with prior knowledge, and of the one with TLS. */
  private static final int CLEAR = 0;

  private static final int SECURE = 1;

  private String pair() {
    return ROOT.issue(TestAuthority.server("127.0.0.1", "www.example.com", "localhost"))
        .write(dir, "server.pem")
        .toString();
  }

  /** Two ports for one site, with {@code lines}. */
  private void startSite(String... lines) throws Exception {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("http_port 127.0.0.1:0 accel h2c");
    all.add("https_port 127.0.0.1:0 accel tls-cert=" + pair());
    if (all.stream().noneMatch(line -> line.startsWith("cache_peer "))) {
      all.add("cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    }
    startProxy(all.toArray(String[]::new));
  }

  private String site(int port) {
    return (port == SECURE ? "https" : "http") + "://127.0.0.1:" + proxy.port(port);
  }

  private static int count(String text, String regex) {
    return (int) Pattern.compile(regex).matcher(text).results().count();
  }

  private static String random(int length) {
    Random random = new Random(1);
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append((char) ('a' + random.nextInt(26)));
    }
    return text.toString();
  }

  // ---- nghttp

  @ParameterizedTest
  @ValueSource(ints = {CLEAR, SECURE})
  void nghttpGetsManyStreamsOfOneConnection(int port) throws Exception {
    startSite();
    origin.onOk("/a", "content", FRESH);
    origin.onOk("/b", "x".repeat(300_000), FRESH);
    origin.onOk("/c", "fresh each time", "Cache-Control: no-store");
    String base = site(port);

    String frames =
        run(
            "nghttp",
            "-nv",
            "-m",
            "10",
            "-p",
            "1",
            "-p",
            "256",
            "-p",
            "16",
            base + "/a",
            base + "/b",
            base + "/c");

    assertThat(count(frames, ":status: 200")).isEqualTo(30);
    assertThat(count(frames, "send PRIORITY frame")).isPositive();
    assertThat(frames).doesNotContain("recv GOAWAY");
    assertThat(frames.contains("The negotiated protocol: h2")).isEqualTo(port == SECURE);
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(origin.fetches("/c")).isEqualTo(10);
    assertThat(stopAndReadLog()).hasSize(30);
  }

  @Test
  void nghttpReadsLargeContentThroughSmallWindows() throws Exception {
    startSite("maximum_object_size_in_memory 4 MB");
    String content = random(1_500_000);
    origin.onOk("/large", content, FRESH);

    assertThat(run("nghttp", "-w", "12", "-W", "14", site(SECURE) + "/large")).endsWith(content);
    assertThat(run("nghttp", "-w", "12", "-W", "14", site(SECURE) + "/large")).endsWith(content);
    assertThat(origin.fetches("/large")).isEqualTo(1);
  }

  @Test
  void trailersPassBothWays() throws Exception {
    startSite();
    origin.on(
        "/t",
        call -> {
          String received = call.whole().text() + call.whole().trailers();
          call.send(
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n"
                  + Integer.toHexString(received.length())
                  + "\r\n"
                  + received
                  + "\r\n0\r\nX-End: fine\r\n\r\n");
        });
    Path file = Files.writeString(dir.resolve("upload"), "some content");

    String frames =
        run(
            "nghttp",
            "-v",
            "-H",
            "te: trailers",
            "--no-content-length",
            "-d",
            file.toString(),
            "--trailer",
            "x-sum: 11",
            site(SECURE) + "/t");

    assertThat(frames).contains("some content[x-sum: 11]").containsPattern("recv .*x-end: fine");
  }

  @Test
  void headsInContinuationFramesAndAWaitForContinueAreUnderstood() throws Exception {
    startSite();
    origin.on(
        "/c",
        call -> {
          call.send("HTTP/1.1 100 Continue\r\n\r\n");
          call.ok(call.whole().text() + call.field("continuation-test-1").length());
        });
    Path file = Files.writeString(dir.resolve("upload"), "content");

    String frames =
        run(
            "nghttp",
            "-v",
            "--continuation",
            "--expect-continue",
            "-d",
            file.toString(),
            site(SECURE) + "/c");

    assertThat(frames)
        // nghttp tells of one frame, which is longer than one can be
        .containsPattern("send HEADERS frame <length=1[78]\\d{3},")
        .contains(":status: 100", ":status: 200", "content4096");
  }

  // ---- h2load

  @ParameterizedTest
  @ValueSource(ints = {CLEAR, SECURE})
  void h2loadGetsHitsOnly(int port) throws Exception {
    startSite();
    origin.onOk("/a", "x".repeat(2_000), FRESH);
    String result = h2load("-n", "3000", "-c", "6", "-m", "20", site(port) + "/a");
    assertAllSucceeded(result, 3000);
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void h2loadPostsThroughTheProxy() throws Exception {
    startSite();
    origin.on("/p", call -> call.ok("" + call.whole().body().length));
    Path file = Files.writeString(dir.resolve("upload"), "x".repeat(50_000));
    String result =
        h2load("-n", "300", "-c", "3", "-m", "10", "-d", file.toString(), site(SECURE) + "/p");
    assertAllSucceeded(result, 300);
    assertThat(result).contains("(1500) data"); // five digits each
  }

  private String h2load(String... arguments) throws Exception {
    return run("h2load", arguments);
  }

  private static void assertAllSucceeded(String result, int requests) {
    assertThat(result)
        .contains("Application protocol: h2") // or h2c
        .contains(requests + " succeeded, 0 failed, 0 errored, 0 timeout")
        .contains("status codes: " + requests + " 2xx, 0 3xx, 0 4xx, 0 5xx");
  }

  // ---- curl

  /** With each of the two, curl says {@code 2} behind the content. */
  private String curlTwo(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("--http2", "-w", " %{http_version}"));
    all.addAll(List.of(arguments));
    return curl(all.toArray(String[]::new));
  }

  @Test
  void curlSpeaksHttp2ToASite() throws Exception {
    startSite();
    origin.onOk("/a", "content", FRESH);
    String root = ROOT.write(dir, "root.pem").toString();
    for (int i = 0; i < 2; i++) {
      assertThat(curlTwo("--cacert", root, site(SECURE) + "/a")).isEqualTo("content 2");
      assertThat(curl("--http2-prior-knowledge", site(CLEAR) + "/a")).isEqualTo("content");
    }
    // one for https, one for http
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  @Test
  void curlReachesTheProxyOverTls() throws Exception {
    int nginx = nginx(secure("location / { expires 1h; }"));
    Files.writeString(dir.resolve("www").resolve("page"), "tunnelled");
    startProxy("https_port 127.0.0.1:0 tls-cert=" + pair());
    origin.onOk("/a", "forwarded", FRESH);
    String root = ROOT.write(dir, "root.pem").toString();
    String via = "https://127.0.0.1:" + proxy.port(1);

    assertThat(curl("--proxy-cacert", root, "-x", via, origin.url("/a"))).isEqualTo("forwarded");
    assertThat(
            curlTwo(
                "--proxy-cacert",
                root,
                "--cacert",
                root,
                "-x",
                via,
                "https://127.0.0.1:" + nginx + "/page"))
        .isEqualTo("tunnelled 2");
    assertThat(stopAndReadLog().get(1)).contains(" TCP_TUNNEL/200 ");
  }

  @Test
  void curlSpeaksHttp2InADecryptedTunnel() throws Exception {
    int nginx = nginx(secure("location / { expires 1h; }"));
    Files.writeString(dir.resolve("www").resolve("page"), "decrypted");
    TestAuthority office = TestAuthority.root("Office");
    startProxy(
        "http_port 127.0.0.1:0 ssl-bump tls-cert=" + office.writePair(dir, "office-pair.pem"),
        "ssl_bump bump all",
        "tls_outgoing_options cafile=" + ROOT.write(dir, "root.pem"),
        "logformat versions %Ss %rm %>rv %<rv",
        "access_log stdio:" + dir.resolve("access.log") + " versions");
    String trusted = office.write(dir, "office.pem").toString();
    String via = "http://127.0.0.1:" + proxy.port();
    for (int i = 0; i < 2; i++) {
      assertThat(curlTwo("--cacert", trusted, "-x", via, "https://127.0.0.1:" + nginx + "/page"))
          .isEqualTo("decrypted 2");
    }
    assertThat(stopAndReadLog())
        .contains("TCP_MISS GET 2.0 2.0", "TCP_MEM_HIT GET 2.0 -")
        .hasSize(4);
  }

  // ---- nginx as origin

  /** Lines of a server of HTTP/2; {@code PORT} stands for its port. */
  private String[] secure(String... lines) {
    List<String> all = new ArrayList<>(List.of(lines));
    String pair = pair();
    all.add("listen 127.0.0.1:PORT ssl http2;");
    all.add("ssl_certificate " + pair + "; ssl_certificate_key " + pair + ";");
    return all.toArray(String[]::new);
  }

  private void startBefore(int nginx) throws Exception {
    startSite(
        "maximum_object_size_in_memory 4 MB",
        "cache_peer 127.0.0.1 parent "
            + nginx
            + " 0 no-query originserver tls tls-cafile="
            + ROOT.write(dir, "root.pem"));
  }

  /** The log of nginx, which writes a line after the response, when it has this many lines. */
  private List<String> nginxLog(int least) throws Exception {
    Path log = dir.resolve("nginx.log");
    Waiting.until("nginx has logged", () -> Files.readAllLines(log).size() >= least);
    return Files.readAllLines(log);
  }

  @Test
  void nginxIsAnOriginOverHttp2() throws Exception {
    int nginx =
        nginx(secure("location /stale { add_header Cache-Control no-cache; }", "expires 1h;"));
    String content = random(800_000);
    Files.writeString(dir.resolve("www").resolve("large"), content);
    Files.writeString(dir.resolve("www").resolve("stale"), "validated");
    startBefore(nginx);
    for (int i = 0; i < 2; i++) {
      assertThat(run("nghttp", site(SECURE) + "/large")).endsWith(content);
      assertThat(run("nghttp", site(SECURE) + "/stale")).endsWith("validated");
    }
    assertThat(nginxLog(3))
        .extracting(line -> line.replaceAll(".*\"(GET [^\"]+)\" (\\d+) .*", "$1 $2"))
        .containsExactly(
            "GET /large HTTP/2.0 200", "GET /stale HTTP/2.0 200", "GET /stale HTTP/2.0 304");
  }

  /**
   * Nginx ends each connection in order (GOAWAY) after some requests, while others are sent. A POST
   * is sent again only if GOAWAY said that it was not processed.
   */
  @Test
  void noPostIsLostWhenNginxEndsConnections() throws Exception {
    startBefore(nginx(secure("keepalive_requests 25;", "location / { return 200 ok; }")));
    Path file = Files.writeString(dir.resolve("upload"), "content");
    assertAllSucceeded(
        h2load("-n", "600", "-c", "4", "-m", "10", "-d", file.toString(), site(CLEAR) + "/"), 600);
    assertThat(nginxLog(600))
        .hasSize(600)
        .allMatch(line -> line.contains("\"POST / HTTP/2.0\" 200 "));
  }

  @Test
  void nginxTakesUploadsOverHttp2() throws Exception {
    origin.on("/up", call -> call.ok("" + call.whole().body().length));
    int nginx =
        nginx(
            secure(
                "client_max_body_size 0;",
                "location /up { proxy_pass http://127.0.0.1:" + origin.port() + "; }"));
    startBefore(nginx);
    Path file = Files.write(dir.resolve("upload"), new byte[3_000_000]);
    assertThat(run("nghttp", "-d", file.toString(), site(SECURE) + "/up")).endsWith("3000000");
    assertThat(nginxLog(1).get(0)).contains("\"POST /up HTTP/2.0\" 200 ");
  }

  // ---- in front

  /** A port behind a product that ends TLS and passes bytes on with the client's address. */
  private void startBehind(String option) throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel protocol=https require-proxy-header " + option,
        "proxy_protocol_access allow all",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver",
        "logformat behind %>a %rv %ru <%proxy_protocol::>h{1}> <%proxy_protocol::>h{2}>",
        "access_log stdio:" + dir.resolve("access.log") + " behind");
    origin.onOk("/a", "content", FRESH);
  }

  /** A request for {@code /a} by a client with an address of its own. */
  private void getFromElsewhere(int port, String http) throws Exception {
    String host = "www.example.com:" + port;
    assertThat(
            curl(
                http,
                "--interface",
                "127.0.0.2",
                "--cacert",
                ROOT.write(dir, "root.pem").toString(),
                "--resolve",
                host + ":127.0.0.1",
                "https://" + host + "/a"))
        .isEqualTo("content");
  }

  @ParameterizedTest
  @CsvSource({"'', http/1.1, --http1.1, 1.1", "h2c, h2, --http2, 2.0"})
  void nginxEndsTlsAndTellsTheClient(String option, String alpn, String http, String version)
      throws Exception {
    startBehind(option);
    String pair = pair();
    int port = ProxyProcess.freePort();
    closing(
            NginxProcess.stream(
                dir,
                List.of(
                    "listen 127.0.0.1:" + port + " ssl; ssl_alpn " + alpn + ";",
                    "ssl_certificate " + pair + "; ssl_certificate_key " + pair + ";",
                    "proxy_pass 127.0.0.1:" + proxy.port() + "; proxy_protocol on;")))
        .awaitPort(port);
    getFromElsewhere(port, http);
    assertThat(stopAndReadLog())
        .containsExactly(
            "127.0.0.2 "
                + version
                + " https://www.example.com:PORT/a <-> <->".replace("PORT", "" + port));
  }

  @ParameterizedTest
  @CsvSource({"'', http/1.1, --http1.1, 1.1", "h2c, h2, --http2, 2.0"})
  void haproxyEndsTlsAndTellsTheClient(String option, String alpn, String http, String version)
      throws Exception {
    startBehind(option);
    int port =
        haproxy(
            "mode tcp",
            "alpn " + alpn,
            "send-proxy-v2 proxy-v2-options authority,unique-id,crc32c");
    getFromElsewhere(port, http);
    assertThat(stopAndReadLog())
        .containsExactly(
            "127.0.0.2 VERSION https://www.example.com:PORT/a <ALPN> <www.example.com>"
                .replace("VERSION", version)
                .replace("ALPN", alpn)
                .replace("PORT", "" + port));
  }

  @Test
  void haproxyIsAClientOfHttp2() throws Exception {
    startSite();
    origin.onOk("/a", "x".repeat(5_000), FRESH);
    int port = haproxy("mode http", "alpn h2,http/1.1", "proto h2");
    assertAllSucceeded(
        h2load("-n", "500", "-c", "4", "-m", "8", "https://127.0.0.1:" + port + "/a"), 500);
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  /** Starts HAProxy before the first port, with TLS for its own clients. */
  private int haproxy(String mode, String bindOptions, String serverOptions) throws Exception {
    int port = ProxyProcess.freePort();
    Path conf =
        Files.writeString(
            dir.resolve("haproxy.cfg"),
            """
            global
              nbthread 1
            defaults
              MODE
              timeout connect 10s
              timeout client 30s
              timeout server 30s
            frontend clients
              bind 127.0.0.1:PORT ssl crt PAIR BIND
              default_backend loligo
            backend loligo
              server loligo 127.0.0.1:TO SERVER
            """
                .replace("MODE", mode)
                .replace("PORT", "" + port)
                .replace("PAIR", pair())
                .replace("BIND", bindOptions)
                .replace("TO", "" + proxy.port())
                .replace("SERVER", serverOptions));
    closing(ProxyProcess.start(dir, InstalledProgram.path("haproxy"), "-db", "-f", conf.toString()))
        .awaitPort(port);
    return port;
  }
}
