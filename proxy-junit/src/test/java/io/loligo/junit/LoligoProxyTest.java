package io.loligo.junit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.loligo.Exchange;
import io.loligo.Outcome;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** The extension as a test uses it, with several clients. */
@LoligoProxy
class LoligoProxyTest {
  private static final Duration GUARD = Duration.ofMinutes(2);

  @BeforeEach
  void script(TestOrigin origin) {
    origin.respond("/page", "hello");
  }

  private static HttpResponse<String> get(TestProxy proxy, String url) throws Exception {
    HttpClient client = HttpClient.newBuilder().proxy(proxy.proxySelector()).build();
    return client.send(
        HttpRequest.newBuilder(URI.create(url)).timeout(GUARD).build(), BodyHandlers.ofString());
  }

  // ---- clients

  @Test
  void javaNetHttp(TestProxy proxy, TestOrigin origin) throws Exception {
    assertThat(get(proxy, origin.url("/page")).body()).isEqualTo("hello");
    assertThat(get(proxy, origin.url("/page")).body()).isEqualTo("hello");

    proxy.assertMisses(1);
    proxy.assertHits(1);
    origin.assertRequests(1);
  }

  @Test
  void okHttp(TestProxy proxy, TestOrigin origin) throws Exception {
    OkHttpClient client =
        new OkHttpClient.Builder().proxySelector(proxy.proxySelector()).callTimeout(GUARD).build();
    Request request = new Request.Builder().url(origin.url("/page")).build();
    for (int i = 0; i < 2; i++) {
      try (Response response = client.newCall(request).execute()) {
        assertThat(response.body().string()).isEqualTo("hello");
      }
    }

    proxy.assertMisses(1);
    proxy.assertHits(1);
    origin.assertRequests("/page", 1);
    client.dispatcher().executorService().shutdown();
    client.connectionPool().evictAll();
  }

  @Test
  void apacheHttpClient(TestProxy proxy, TestOrigin origin) throws Exception {
    InetSocketAddress address = proxy.address();
    HttpHost host = new HttpHost("http", address.getAddress(), address.getPort());
    try (CloseableHttpClient client = HttpClients.custom().setProxy(host).build()) {
      for (int i = 0; i < 2; i++) {
        String body =
            client.execute(
                new HttpGet(origin.url("/page")),
                response -> EntityUtils.toString(response.getEntity()));
        assertThat(body).isEqualTo("hello");
      }
    }

    proxy.assertMisses(1);
    proxy.assertHits(1);
    origin.assertRequests(1);
  }

  @Test
  void curl(TestProxy proxy, TestOrigin origin) throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(run("curl", "-sS", "--noproxy", "", "-x", proxy.url() + "", origin.url("/page")))
          .isEqualTo("hello");
    }

    proxy.assertMisses(1);
    proxy.assertHits(1);
    origin.assertRequests(1);
  }

  private static String run(String... command) throws Exception {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      assumeTrue(false, command[0] + " is not installed");
      throw e;
    }
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  // ---- time

  @Test
  void storedResponsesExpireByTheClock(TestProxy proxy, TestOrigin origin) throws Exception {
    origin.respond("/page", "first").field("Cache-Control", "max-age=60");
    get(proxy, origin.url("/page"));
    origin.respond("/page", "second").field("Cache-Control", "max-age=60");

    proxy.clock().advance(Duration.ofSeconds(59));
    assertThat(get(proxy, origin.url("/page")).body()).isEqualTo("first");
    proxy.clock().advance(Duration.ofSeconds(2));
    assertThat(get(proxy, origin.url("/page")).body()).isEqualTo("second");
    proxy.clock().advance(Duration.ofSeconds(59));
    assertThat(get(proxy, origin.url("/page")).body()).isEqualTo("second");

    origin.assertRequests(2);
    assertThatThrownBy(() -> proxy.clock().advance(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  // ---- faults

  @Test
  void anOriginFails(TestProxy proxy, TestOrigin origin) throws Exception {
    OriginResponse response =
        origin.respond("/page", "broken").status(503).field("Cache-Control", "no-store");
    assertThat(get(proxy, origin.url("/page")).statusCode()).isEqualTo(503);

    response.status(200).content("mended");
    assertThat(get(proxy, origin.url("/page")).body()).isEqualTo("mended");
    assertThat(get(proxy, origin.url("/absent")).statusCode()).isEqualTo(404);
    proxy.assertMisses(3);
  }

  @Test
  void anOriginIsSlow(TestProxy proxy, TestOrigin origin) throws Exception {
    origin.respond("/page", "late").delay(Duration.ofMillis(300));

    long begin = System.nanoTime();
    assertThat(get(proxy, origin.url("/page")).body()).isEqualTo("late");
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(300_000_000);
  }

  @Test
  void aResponseIsCut(TestProxy proxy, TestOrigin origin) {
    origin.respond("/page", "x".repeat(100_000)).cutAfter(1000);

    assertThatThrownBy(() -> get(proxy, origin.url("/page"))).isInstanceOf(IOException.class);

    assertThat(proxy.loligo().stats().storedResponses()).isZero();
  }

  @Test
  void aResponseIsCutBeforeItsContent(TestProxy proxy, TestOrigin origin) {
    origin.respond("/page", "never").cutAfter(0);

    assertThatThrownBy(() -> get(proxy, origin.url("/page"))).isInstanceOf(IOException.class);
  }

  // ---- rules

  @Test
  @LoligoProxy(
      lines = {
        "acl secret urlpath_regex ^/secret",
        "http_access deny secret",
        "http_access allow localhost"
      })
  void aLineDenies(TestProxy proxy, TestOrigin origin) throws Exception {
    assertThat(get(proxy, origin.url("/secret")).statusCode()).isEqualTo(403);

    proxy.assertDenials(1);
    origin.assertRequests(0);
  }

  @Test
  @LoligoProxy(login = "Alice:s3cret")
  void aLoginIsRequired(TestProxy proxy, TestOrigin origin) throws Exception {
    assertThat(get(proxy, origin.url("/page")).statusCode()).isEqualTo(407);
    assertThat(okHttp(proxy, origin, "wrong")).isEqualTo(407);
    origin.assertRequests(0);

    assertThat(okHttp(proxy, origin, "s3cret")).isEqualTo(200);
    origin.assertRequests(1);
    assertThat(origin.requests().get(0).field("Proxy-Authorization")).isNull();
    proxy.assertMisses(1);
    proxy.assertDenials(2);
  }

  @Test
  @LoligoProxy(login = "Alice:s3cret")
  void aLoginIsRefusedForAWhile(TestProxy proxy, TestOrigin origin) throws Exception {
    assertThat(okHttp(proxy, origin, "s3cret")).isEqualTo(200);

    proxy.refuseLogins(true);
    assertThat(okHttp(proxy, origin, "s3cret")).isEqualTo(407);
    assertThat(okHttp(proxy, origin, "wrong")).isEqualTo(407);
    assertThat(get(proxy, origin.url("/page")).statusCode()).isEqualTo(407);

    proxy.refuseLogins(false);
    assertThat(okHttp(proxy, origin, "s3cret")).isEqualTo(200);
    proxy.assertDenials(3);
    origin.assertRequests(1);
  }

  @Test
  void aProxyWithoutLoginRefusesNone(TestProxy proxy) {
    assertThatThrownBy(() -> proxy.refuseLogins(true)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anOriginRefusesALogin(TestProxy proxy, TestOrigin origin) throws Exception {
    OriginResponse response =
        origin
            .respond("/page", "wrong password")
            .status(401)
            .field("WWW-Authenticate", "Basic realm=\"site\"")
            .field("Cache-Control", "no-store");
    assertThat(get(proxy, origin.url("/page")).statusCode()).isEqualTo(401);

    response.status(200).content("welcome");
    assertThat(get(proxy, origin.url("/page")).body()).isEqualTo("welcome");
  }

  private static int okHttp(TestProxy proxy, TestOrigin origin, String password) throws Exception {
    OkHttpClient client =
        new OkHttpClient.Builder()
            .proxy(new Proxy(Proxy.Type.HTTP, proxy.address()))
            .callTimeout(GUARD)
            .build();
    Request request =
        new Request.Builder()
            .url(origin.url("/page"))
            .header("Proxy-Authorization", okhttp3.Credentials.basic("Alice", password))
            .build();
    try (Response response = client.newCall(request).execute()) {
      return response.code();
    } finally {
      client.dispatcher().executorService().shutdown();
      client.connectionPool().evictAll();
    }
  }

  // ---- what a test sees

  @Test
  void seesRequestsAtTheOrigin(TestProxy proxy, TestOrigin origin) throws Exception {
    origin.respond("/form", "thanks");
    HttpClient client = HttpClient.newBuilder().proxy(proxy.proxySelector()).build();
    for (HttpRequest.BodyPublisher content :
        List.of(
            BodyPublishers.ofString("a=1"),
            BodyPublishers.fromPublisher(BodyPublishers.ofString("a=1")))) {
      client.send(
          HttpRequest.newBuilder(URI.create(origin.url("/form?x=1")))
              .header("X-Word", "one")
              .POST(content)
              .timeout(GUARD)
              .build(),
          BodyHandlers.ofString());
    }

    assertThat(origin.requests()).hasSize(2);
    for (OriginRequest request : origin.requests()) {
      assertThat(request.method()).isEqualTo("POST");
      assertThat(request.target()).isEqualTo("/form?x=1");
      assertThat(request.path()).isEqualTo("/form");
      assertThat(request.field("x-word")).isEqualTo("one");
      assertThat(request.content()).isEqualTo("a=1");
    }
    origin.assertRequests("/form", 2);
  }

  @Test
  void seesExchanges(TestProxy proxy, TestOrigin origin) throws Exception {
    get(proxy, origin.url("/page"));
    proxy.assertMisses(1);

    Exchange exchange = proxy.exchanges().get(0);
    assertThat(exchange.url()).isEqualTo(origin.url("/page"));
    assertThat(exchange.outcome()).isEqualTo(Outcome.MISS);
    assertThat(exchange.start()).isEqualTo(proxy.clock().instant());
  }

  @Test
  void assertionsTellWhatHappened(TestProxy proxy, TestOrigin origin) throws Exception {
    get(proxy, origin.url("/page"));
    proxy.assertMisses(1);

    assertThatThrownBy(() -> proxy.assertMisses(0))
        .isInstanceOf(AssertionFailedError.class)
        .hasMessageContaining("MISS: 1 (expected: 0)")
        .hasMessageContaining("/page 200 MISS");
    assertThatThrownBy(() -> origin.assertRequests(2))
        .isInstanceOf(AssertionFailedError.class)
        .hasMessageContaining("GET /page");
    assertThatThrownBy(() -> origin.assertRequests("/other", 1))
        .isInstanceOf(AssertionFailedError.class);
    proxy.assertHits(0);
    proxy.assertErrors(0);
  }
}
