package io.loligo.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.loligo.core.acl.AclList;
import io.loligo.core.caching.CacheGroups;
import io.loligo.core.config.ValueChange;
import io.loligo.server.CapturedLog;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.SampleDisk;
import io.loligo.store.disk.DiskStats;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import io.loligo.store.purge.UrlPattern;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class AdminServerTest {
  private static final String SECRET = "s3cret";

  private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
  private final CapturedLog audit = new CapturedLog("io.loligo.audit");
  private final LinkedBlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final CompletableFuture<Purged> later = new CompletableFuture<>();
  private AdminServer server;

  private static Purged done(int memory, int disk) {
    return new Purged(Purged.Outcome.DONE, memory, disk);
  }

  private static String shown(Purge what) {
    if (what instanceof Purge.Url url) {
      return (url.soft() ? "softly " : "") + url.key();
    }
    if (what instanceof Purge.Groups groups) {
      return (groups.soft() ? "softly " : "") + Arrays.toString(groups.numbers());
    }
    Purge.Matching matching = (Purge.Matching) what;
    UrlPattern pattern = matching.pattern();
    return (matching.soft() ? "softly " : "") + pattern.regex() + " of " + pattern.host();
  }

  private Reloaded reloaded =
      Reloaded.done(List.of(new ValueChange("via", "on", "off", "conf:1", "")), List.of());

  private final class TestOperations extends RecordingOperations {
    TestOperations() {
      super(calls);
    }

    @Override
    public CompletableFuture<Purged> purge(Purge what) {
      calls.add("purge " + shown(what));
      boolean waits = what instanceof Purge.Url url && url.key().toString().endsWith("/later");
      return waits ? later : CompletableFuture.completedFuture(done(2, 1));
    }

    @Override
    public List<Ban> bans() {
      return List.of(new Ban(0, UrlPattern.of("h", "\"")));
    }

    @Override
    protected Reloaded reloaded() {
      return reloaded;
    }
  }

  @BeforeEach
  void start() throws IOException {
    server = start(SECRET);
  }

  private AdminServer start(String secret) throws IOException {
    Operations operations = new TestOperations();
    AdminPages pages = new AdminPages();
    ProxyPages.addTo(
        pages,
        operations,
        new ProxyMetrics(1),
        () -> "# metrics\n",
        () -> "# EOF\n",
        () -> "{\"config\":1}",
        () -> List.of(SampleDisk.of("/d<i>\"", DiskStats.State.OFF, "<worn out>")));
    return AdminServer.start(
        port("127.0.0.1", 0), terms(secret, "Proxy.Example"), new AdminTls(), operations, pages);
  }

  private static HttpPort port(String address, int number) {
    return HttpPort.at(address, number).build();
  }

  static AdminTerms terms(String secret, String... names) {
    return new AdminTerms(secret, Set.of(names), AclList.allowAll());
  }

  @AfterEach
  void stop() {
    server.close();
    audit.close();
  }

  /** Sends bytes, returns all that comes until the server closes. */
  private String send(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
      socket.getOutputStream().write(request.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private String ask(String line, String... fields) throws IOException {
    String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
    return send(line + " HTTP/1.1\r\nConnection: close\r\n" + more + "\r\n");
  }

  private static String secret() {
    return "Authorization: Bearer " + SECRET;
  }

  @Test
  void aScraperThatAsksForOpenMetricsGetsIt() throws IOException {
    String accept = "Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5,*/*;q=0.1";
    assertThat(ask("GET /metrics", "Host: localhost", accept))
        .containsIgnoringCase(
            "content-type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n")
        .endsWith("# EOF\n");
    assertThat(ask("GET /metrics", "Host: localhost", "Accept: text/plain")).contains("# metrics");
    assertThat(ask("GET /health/live", "Host: localhost", accept)).contains("live");
  }

  @ParameterizedTest
  @CsvSource({
    "/metrics, # metrics, text/plain; version=0.0.4; charset=utf-8",
    "/config, '{\"config\":1}', application/json",
    "/health/live, live, text/plain; charset=utf-8",
    "/health/ready, ready, text/plain; charset=utf-8"
  })
  void servesPages(String path, String content, String type) throws IOException {
    assertThat(ask("GET " + path, "Host: localhost"))
        .startsWith("HTTP/1.1 200 OK\r\n")
        .containsIgnoringCase("content-type: " + type + "\r\n")
        .containsIgnoringCase("cache-control: no-store\r\n")
        .contains(content);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"GET /%zz", "GET /metrics?%zz=1", "GET /explain?url=%", "POST /purge?url=%4"})
  void answersAnInvalidPercentEncoding(String line) throws IOException {
    assertThat(ask(line, "Host: localhost", secret())).startsWith("HTTP/1.1 400 ");
    assertThat(calls).isEmpty();
  }

  @Test
  void answersHeadWithoutContent() throws IOException {
    assertThat(ask("HEAD /health/live", "Host: localhost"))
        .startsWith("HTTP/1.1 200 OK\r\n")
        .containsIgnoringCase("content-length: 5\r\n")
        .endsWith("\r\n\r\n");
  }

  @Test
  void keepsConnectionsAlive() throws IOException {
    assertThat(
            send(
                String.join(
                    "\r\n",
                    "GET /health/live HTTP/1.1",
                    "Host: localhost",
                    "",
                    "GET /config HTTP/1.1",
                    "Host: localhost",
                    "Connection: close",
                    "",
                    "")))
        .contains("live\n")
        .contains("{\"config\":1}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LOCALHOST:3129",
        "127.0.0.1",
        "127.1.2.3:80",
        "[::1]:3129",
        "proxy.example",
        "proxy.example.:80"
      })
  void acceptsOwnNames(String host) throws IOException {
    assertThat(ask("GET /health/live", "Host: " + host)).startsWith("HTTP/1.1 200");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.0.2.1",
        "localhost:x",
        "[::1",
        ""
      })
  void refusesForeignNames(String host) throws IOException {
    assertThat(ask("GET /metrics", "Host: " + host)).startsWith("HTTP/1.1 403");
  }

  @Test
  void needsExactlyOneHost() throws IOException {
    assertThat(ask("GET /metrics")).startsWith("HTTP/1.1 400");
    assertThat(ask("GET /metrics", "Host: localhost", "Host: evil")).startsWith("HTTP/1.1 400");
    assertThat(send("GET /health/live HTTP/1.0\r\n\r\n")).startsWith("HTTP/1.1 200");
    assertThat(send("POST /drain HTTP/1.0\r\n" + secret() + "\r\n\r\n")).startsWith("HTTP/1.1 400");
  }

  @Test
  void refusesOtherSites() throws IOException {
    String host = "Host: localhost:3129";
    assertThat(ask("POST /rotate", host, secret(), "Origin: http://evil.example"))
        .startsWith("HTTP/1.1 403");
    assertThat(ask("POST /rotate", host, secret(), "Origin: null")).startsWith("HTTP/1.1 403");
    assertThat(ask("GET /metrics", host, "Origin: http://localhost:8080"))
        .startsWith("HTTP/1.1 403");
    assertThat(ask("GET /metrics", host, "Sec-Fetch-Site: cross-site")).startsWith("HTTP/1.1 403");
    assertThat(calls).isEmpty();
    assertThat(ask("POST /rotate", host, secret(), "Origin: http://localhost:3129"))
        .startsWith("HTTP/1.1 202");
    assertThat(calls).containsExactly("rotate");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/purge?url=http://h/", "/reload", "/rotate", "/drain"})
  void changesNeedTheSecret(String path) throws IOException {
    String host = "Host: localhost";
    assertThat(ask("POST " + path, host)).startsWith("HTTP/1.1 403");
    assertThat(ask("POST " + path, host, "Authorization: Bearer wrong")).startsWith("HTTP/1.1 403");
    assertThat(ask("POST " + path, host, "Authorization: Basic " + SECRET))
        .startsWith("HTTP/1.1 403");
    assertThat(ask("GET " + path, host, secret()))
        .startsWith("HTTP/1.1 405")
        .containsIgnoringCase("allow: POST");
    assertThat(calls).isEmpty();
    assertThat(ask("POST " + path, host, secret())).startsWith("HTTP/1.1 20");
    assertThat(calls).hasSize(1);
  }

  @Test
  void withoutSecretNothingCanBeChanged() throws IOException {
    server.close();
    server = start(null);
    assertThat(ask("POST /drain", "Host: localhost", "Authorization: Bearer "))
        .startsWith("HTTP/1.1 403")
        .contains("no secret is configured");
    assertThat(calls).isEmpty();
  }

  @Test
  void purges() throws IOException {
    assertThat(ask("POST /purge?url=http%3A%2F%2Fh%2Fp%3Fq%3D1", "Host: localhost", secret()))
        .startsWith("HTTP/1.1 200")
        .endsWith("{\"purged\":2,\"memory\":2,\"disk\":1}\n");
    assertThat(calls).containsExactly("purge http://h/p?q=1");
    assertThat(ask("POST /purge", "Host: localhost", secret())).startsWith("HTTP/1.1 400");
    assertThat(ask("POST /purge?url=x", "Host: localhost", secret())).startsWith("HTTP/1.1 400");
  }

  @Test
  void purgesByKeyGroupAndPattern() throws IOException {
    String host = "Host: localhost";
    ask("POST /purge?url=http://h/a&soft=1", host, secret());
    ask("POST /purge?key=a&key=b+c&soft=true", host, secret());
    ask("POST /purge?group=g&origin=http://H:80/x", host, secret());
    ask("POST /purge?pattern=%5C.png%24&host=H", host, secret());
    ask("POST /purge?pattern=a&soft=1", host, secret());
    long[] keys = {CacheGroups.ofKey("a"), CacheGroups.ofKey("b"), CacheGroups.ofKey("c")};
    assertThat(calls)
        .containsExactly(
            "purge softly http://h/a",
            "purge softly " + Arrays.toString(keys),
            "purge [" + CacheGroups.ofGroup("http://h", "g") + "]",
            "purge \\.png$ of h",
            "purge softly a of ");
  }

  @Test
  void namesTheHostOfAPatternAsKeysDo() throws IOException {
    for (String host : List.of("a.Test.", "%5BFE80::1%5D", "fe80::1", "")) {
      ask("POST /purge?pattern=x&host=" + host, "Host: localhost", secret());
    }
    assertThat(calls)
        .containsExactly(
            "purge x of a.test", "purge x of fe80::1", "purge x of fe80::1", "purge x of ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "url=http://h/&key=a",
        "url=http://h/&url=http://g/",
        "group=a",
        "group=a&origin=x",
        "key=",
        "pattern=%28",
        "pattern=a&host=h:80",
        "pattern=a&host=http://h/",
        "pattern=a&host=h/p",
        "pattern=a&host=u@h",
        "pattern=a&host=a+b",
        "pattern=a&host=%5B::1%5D:80",
        "soft=1"
      })
  void refusesAnInvalidPurge(String parameters) throws IOException {
    assertThat(ask("POST /purge?" + parameters, "Host: localhost", secret()))
        .startsWith("HTTP/1.1 400");
    assertThat(calls).isEmpty();
  }

  @Test
  void showsPatternsThatAreNotThrough() throws IOException {
    assertThat(ask("GET /bans", "Host: localhost"))
        .contains(
            "{\"since\": \"1970-01-01T00:00:00Z\", \"host\": \"h\", \"pattern\": \"\\\"\","
                + " \"soft\": false}");
  }

  @Test
  void purgeIsAnsweredWhenTheDiskHasConfirmedIt() throws Exception {
    Thread asking =
        new Thread(
            () -> {
              try {
                answers.add(
                    send(
                        "POST /purge?url=http://h/later HTTP/1.1\r\nHost: localhost\r\n"
                            + secret()
                            + "\r\n\r\nGET /health/live HTTP/1.1\r\nHost: localhost\r\n"
                            + "Connection: close\r\n\r\n"));
              } catch (IOException e) {
                answers.add(e.toString());
              }
            });
    asking.start();
    // the port is not held up
    assertThat(ask("GET /health/ready", "Host: localhost")).endsWith("ready\n");
    assertThat(answers).isEmpty();
    later.complete(done(0, Purged.LATER));
    assertThat(answers.take())
        .containsSubsequence("{\"purged\":0,\"memory\":0,\"disk\":null}", "live");
    asking.join();
  }

  @Test
  void purgeThatADiskDoesNotConfirmIsAnError() throws IOException {
    later.complete(new Purged(Purged.Outcome.NOT_CONFIRMED, 0, 0));
    assertThat(ask("POST /purge?url=http://h/later", "Host: localhost", secret()))
        .startsWith("HTTP/1.1 500")
        .contains("purge again");
    assertThat(audit.lines().get(0)).contains("not confirmed");
  }

  @Test
  void showsStateAndNumbersOfEachCacheDir() throws IOException {
    assertThat(ask("GET /disk", "Host: localhost"))
        .contains(
            "{\"path\": \"/d<i>\\\"\", \"source\": \"squid.conf:7\", \"state\": \"off\","
                + " \"reason\": \"<worn out>\", \"capacity_bytes\": 1, \"used_bytes\": 2,")
        .contains("\"scrubbed_blocks\": 16}");
    assertThat(ask("GET /health/ready", "Host: localhost")).endsWith("ready\n");
  }

  @Test
  void leavesAnAuditTrailWithoutQueryOrLineBreaks() throws IOException {
    ask("POST /purge?url=http://h/p%3Fsecret", "Host: localhost", secret());
    ask("POST /purge?key=a%0Ab", "Host: localhost", secret());
    ask("POST /drain", "Host: localhost", "Authorization: Bearer guess");
    assertThat(audit.lines())
        .containsExactly(
            "admin purge http://h/p? from 127.0.0.1: memory=2, disk=1",
            "admin purge keys [a_b] from 127.0.0.1: memory=2, disk=1",
            "admin /drain from 127.0.0.1: refused, wrong or missing secret; next: send"
                + " loligo_admin_secret, or find out who uses this address");
  }

  @Test
  void isNotReadyWhileDraining() throws IOException {
    ask("POST /drain", "Host: localhost", secret());
    assertThat(ask("GET /health/ready", "Host: localhost"))
        .startsWith("HTTP/1.1 503")
        .contains("draining");
    assertThat(ask("GET /health/live", "Host: localhost")).startsWith("HTTP/1.1 200");
  }

  @Test
  void refusesUnknownPathsMethodsAndOversizedRequests() throws IOException {
    String host = "Host: localhost";
    assertThat(ask("GET /nothing", host)).startsWith("HTTP/1.1 404");
    assertThat(ask("POST /metrics", host)).startsWith("HTTP/1.1 405");
    assertThat(ask("GET /" + "x".repeat(10_000), host)).startsWith("HTTP/1.1 400");
    assertThat(ask("GET /", host, "X: " + "x".repeat(20_000))).startsWith("HTTP/1.1 400");
    assertThat(ask("POST /drain", host, secret(), "Content-Length: 1000000"))
        .startsWith("HTTP/1.1 413");
    assertThat(calls).isEmpty();
  }

  @Test
  void tellsWhichPortCannotBeHad() {
    assertThatThrownBy(
            () ->
                AdminServer.start(
                    port("127.0.0.1", server.address().getPort()),
                    terms(null),
                    new AdminTls(),
                    new TestOperations(),
                    new AdminPages()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("loligo_admin_port 127.0.0.1:" + server.address().getPort());
  }

  @Test
  void explainsInTextAndJson() throws IOException {
    String query = "/explain?url=http%3A%2F%2Fh%2F&header=A%3A+b&method=HEAD";
    assertThat(ask("GET " + query, "Host: localhost"))
        .contains("200 OK", "text/plain", "the origin is asked", "cookie: (not shown)")
        .contains("else       served stale", "fetch      in progress", "disk       damaged")
        .contains("321 us\n    stages, us: diskFirstRead 21 total 321\n")
        .contains("105  current age", "TCP_HIT/200 VALIDATE: stale, age 105 of 60");
    assertThat(ask("GET " + query + "&format=json", "Host: localhost"))
        .contains("application/json", "\"outcome\": \"validate\"", "\"etag\": \"\\\"a\\\\b\\\"\"")
        .contains("\"refusal\": null, \"forecast\": {", "\"recent\": [{\"ended\": ")
        .contains("\"stages\": {\"diskFirstRead\": 21, \"total\": 321}");
    assertThat(calls).containsOnly("explain HEAD http://h/ [A: b]");
  }

  @Test
  void explainsOnlyAValidQuestion() throws IOException {
    assertThat(ask("GET /explain", "Host: localhost")).contains(" 400 ", "parameter url");
    assertThat(ask("GET /explain?url=http://h/busy", "Host: localhost")).contains(" 503 ");
    assertThat(ask("POST /explain?url=http://h/", "Host: localhost", "Content-Length: 0"))
        .contains(" 405 ");
    assertThat(ask("GET /misses", "Host: localhost")).contains(" 200 ", "application/json");
  }

  @Test
  void reloadsAndSaysHowItWent() throws IOException {
    assertThat(ask("POST /reload", "Host: localhost", secret()))
        .startsWith("HTTP/1.1 200 OK")
        .contains("{\"reloaded\":true,\"lines\":[\"via on -> off (conf:1)\"],");
    reloaded = Reloaded.failed(List.of("conf:7: ERROR: x"));
    assertThat(ask("POST /reload", "Host: localhost", secret()))
        .startsWith("HTTP/1.1 422 ")
        .contains("{\"reloaded\":false,\"lines\":[\"conf:7: ERROR: x\"],");
    assertThat(audit.lines())
        .containsExactly(
            "admin reload from 127.0.0.1: done",
            "admin reload from 127.0.0.1: failed; next: see the line before");
  }

  @Test
  void asksForTheNewSecretAfterAReload() throws IOException {
    server.reconfigure(terms("other", "named.example"));
    assertThat(ask("POST /rotate", "Host: localhost", secret())).startsWith("HTTP/1.1 403");
    assertThat(ask("POST /rotate", "Host: named.example", "Authorization: Bearer other"))
        .startsWith("HTTP/1.1 202");
    server.reconfigure(terms(null));
    assertThat(ask("POST /rotate", "Host: localhost", "Authorization: Bearer other"))
        .startsWith("HTTP/1.1 403");
    assertThat(ask("GET /metrics", "Host: named.example")).startsWith("HTTP/1.1 403");
  }

  @Test
  void boundsTheRateOfWrongSecrets() throws IOException {
    for (int i = 0; i < SecretAttempts.BURST; i++) {
      assertThat(ask("POST /rotate", "Host: localhost", "Authorization: Bearer guess" + i))
          .startsWith("HTTP/1.1 403");
    }
    for (int i = 0; i < 3; i++) {
      assertThat(ask("POST /rotate", "Host: localhost", secret()))
          .startsWith("HTTP/1.1 429")
          .containsIgnoringCase("retry-after: 6")
          .contains("too many wrong secrets");
    }
    assertThat(calls).isEmpty();
    assertThat(server.refusals()).isEqualTo(SecretAttempts.BURST + 3L);
    assertThat(audit.lines()).hasSize(SecretAttempts.BURST + 1);
    assertThat(ask("GET /health/live", "Host: localhost")).startsWith("HTTP/1.1 200");
  }
}
