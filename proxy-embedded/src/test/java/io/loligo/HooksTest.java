package io.loligo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rules, hooks and observers of an application. */
class HooksTest {
  private static final Duration GUARD = Duration.ofMinutes(1);

  /** Its content fills several buffers, so that a response is still arriving when a hook fails. */
  private static final byte[] LARGE = new byte[3 << 20];

  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  private final BlockingQueue<Exchange> finished = new LinkedBlockingQueue<>();
  private final Queue<Object> seen = new ConcurrentLinkedQueue<>();
  private HttpServer origin;

  @BeforeEach
  void startOrigin() throws IOException {
    origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    origin.createContext("/", this::answer);
    origin.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    String path = exchange.getRequestURI().getPath();
    received.add(
        path
            + exchange.getRequestHeaders().getOrDefault("X-Key", List.of())
            + exchange.getRequestHeaders().getOrDefault("User-Agent", List.of()));
    byte[] content = path.startsWith("/large") ? LARGE : path.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Cache-Control", "max-age=600");
    exchange.getResponseHeaders().set("Server", "an origin");
    exchange.sendResponseHeaders(200, content.length);
    exchange.getResponseBody().write(content);
    exchange.close();
  }

  @AfterEach
  void stopOrigin() {
    origin.stop(0);
  }

  private Loligo start(Consumer<LoligoConfig> settings) throws IOException {
    return Loligo.start(
        config -> {
          config.eventLoops(1).onFinished(finished::add);
          settings.accept(config);
        });
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + origin.getAddress().getPort() + path))
        .header("User-Agent", "a client")
        .timeout(GUARD);
  }

  private static HttpResponse<String> send(Loligo proxy, HttpRequest.Builder request)
      throws Exception {
    HttpClient client = HttpClient.newBuilder().proxy(proxy.proxySelector()).build();
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> get(Loligo proxy, String path) throws Exception {
    return send(proxy, request(path));
  }

  private Exchange nextFinished() throws InterruptedException {
    Exchange next = finished.poll(GUARD.toSeconds(), TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    return next;
  }

  // ---- rules

  @Test
  void theFirstRuleDecidesThenTheLines() throws Exception {
    try (Loligo proxy =
        start(
            config ->
                config
                    .deny(request -> request.url().endsWith("/both"))
                    .allow(request -> request.url().contains("/allowed"))
                    .allow(request -> request.url().endsWith("/both"))
                    .line("http_access deny all"))) {
      assertThat(get(proxy, "/allowed").statusCode()).isEqualTo(200);
      assertThat(get(proxy, "/both").statusCode()).isEqualTo(403);
      assertThat(get(proxy, "/other").statusCode()).isEqualTo(403);

      assertThat(received).hasSize(1);
      assertThat(nextFinished().outcome()).isEqualTo(Outcome.MISS);
      assertThat(nextFinished().outcome()).isEqualTo(Outcome.DENIED);
      assertThat(nextFinished().outcome()).isEqualTo(Outcome.DENIED);
      assertThat(proxy.stats().denials()).isEqualTo(2);
    }
  }

  @Test
  void aRuleSeesTheRequest() throws Exception {
    try (Loligo proxy =
        start(
            config ->
                config.deny(
                    request -> {
                      seen.add(request.method());
                      seen.add(request.host());
                      seen.add(request.fields("x-word"));
                      seen.add(String.valueOf(request.field("absent")));
                      seen.add(request.client().getAddress());
                      return false;
                    }))) {
      send(proxy, request("/page").header("X-Word", "a").header("X-Word", "b"));

      assertThat(seen)
          .containsExactly(
              "GET", "127.0.0.1", List.of("a", "b"), "null", InetAddress.getLoopbackAddress());
    }
  }

  @Test
  void aRuleThatThrowsFailsItsRequestOnly() throws Exception {
    try (Loligo proxy =
        start(
            config ->
                config.deny(
                    request -> {
                      if (request.url().endsWith("/bad")) {
                        throw new IllegalStateException("on purpose");
                      }
                      return false;
                    }))) {
      assertThat(get(proxy, "/bad").statusCode()).isEqualTo(500);
      assertThat(get(proxy, "/good").statusCode()).isEqualTo(200);

      assertThat(received).hasSize(1);
      assertThat(nextFinished().outcome()).isEqualTo(Outcome.ERROR);
    }
  }

  // ---- requests

  @Test
  void changesRequestsThatAreSentOn() throws Exception {
    try (Loligo proxy =
        start(
            config ->
                config.onRequest(
                    (request, fields) ->
                        fields
                            .add("X-Key", "one")
                            .set("x-key", request.method())
                            .remove("User-Agent")))) {
      get(proxy, "/page");
      get(proxy, "/page");

      assertThat(received).containsExactly("/page[GET][]");
    }
  }

  @Test
  void aRequestHookWorksBehindTheLinesAboutFields() throws Exception {
    try (Loligo proxy =
        start(
            config ->
                config
                    .line("request_header_add X-Key \"line\" all")
                    .onRequest((request, fields) -> seen.add(fields.all("X-Key"))))) {
      get(proxy, "/page");

      assertThat(seen).containsExactly(List.of("line"));
      assertThat(received).containsExactly("/page[line][a client]");
    }
  }

  @Test
  void aRequestHookThatThrowsFailsItsRequestOnly() throws Exception {
    try (Loligo proxy =
        start(
            config ->
                config.onRequest(
                    (request, fields) -> {
                      if (request.url().endsWith("/bad")) {
                        fields.set("Content-Length", "7");
                      }
                    }))) {
      HttpResponse<String> bad = get(proxy, "/bad");
      assertThat(bad.statusCode()).isEqualTo(500);
      assertThat(bad.body())
          .as("a page, and not the end of an exchange with a defect")
          .contains("ERR_INTERNAL");
      assertThat(send(proxy, request("/bad").POST(BodyPublishers.ofByteArray(LARGE))).statusCode())
          .isEqualTo(500);
      assertThat(get(proxy, "/good").statusCode()).isEqualTo(200);

      assertThat(received).containsExactly("/good[][a client]");
      assertThat(nextFinished().outcome()).isEqualTo(Outcome.ERROR);
    }
  }

  // ---- responses

  @Test
  void changesResponsesButNotTheStoredOnes() throws Exception {
    try (Loligo proxy =
        start(
            config ->
                config.onResponse(
                    (request, status, fields) ->
                        fields
                            .remove("Server")
                            .add("X-Seen", status + request.field("X-Number"))))) {
      HttpResponse<String> miss = send(proxy, request("/page").header("X-Number", "1"));
      HttpResponse<String> hit = send(proxy, request("/page").header("X-Number", "2"));

      assertThat(received).hasSize(1);
      assertThat(miss.body()).isEqualTo("/page");
      assertThat(hit.body()).isEqualTo("/page");
      assertThat(miss.headers().allValues("x-seen")).containsExactly("2001");
      assertThat(hit.headers().allValues("x-seen")).containsExactly("2002");
      assertThat(hit.headers().allValues("server")).isEmpty();
      assertThat(nextFinished().outcome()).isEqualTo(Outcome.MISS);
      assertThat(nextFinished().outcome()).isEqualTo(Outcome.HIT);
    }
  }

  @Test
  void aResponseHookThatThrowsFailsItsRequestOnly() throws Exception {
    try (Loligo proxy =
        start(
            config ->
                config.onResponse(
                    (request, status, fields) -> {
                      if (request.field("X-Bad") != null) {
                        throw new AssertionError("on purpose");
                      }
                    }))) {
      for (String path : List.of("/page", "/large", "/page", "/large")) {
        HttpResponse<String> bad = send(proxy, request(path).header("X-Bad", "yes"));
        assertThat(bad.statusCode()).isEqualTo(500);
        assertThat(bad.body()).isEmpty();
        Exchange told = nextFinished();
        assertThat(told.status()).isEqualTo(500);
        assertThat(told.outcome()).isEqualTo(Outcome.ERROR);

        assertThat(get(proxy, path).statusCode()).isEqualTo(200);
        nextFinished();
      }
      assertThat(proxy.stats().errors()).isEqualTo(4);
    }
  }

  @Test
  void aFailedResponseHookEndsTheFetch() throws Exception {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    origin.createContext(
        "/endless",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          try {
            while (!ended.isDone()) {
              exchange.getResponseBody().write(LARGE);
            }
          } catch (IOException e) {
            ended.complete(true);
          }
        });
    try (Loligo proxy =
        start(
            config ->
                config.onResponse(
                    (request, status, fields) -> {
                      throw new IllegalStateException("on purpose");
                    }))) {
      assertThat(get(proxy, "/endless").statusCode()).isEqualTo(500);

      assertThat(ended.get(GUARD.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      ended.complete(false);
    }
  }

  // ---- observers

  @Test
  void observersSeeEachExchange() throws Exception {
    try (Loligo proxy = start(config -> {})) {
      get(proxy, "/page");
      get(proxy, "/page");

      Exchange miss = nextFinished();
      assertThat(miss.method()).isEqualTo("GET");
      assertThat(miss.url()).endsWith("/page");
      assertThat(miss.status()).isEqualTo(200);
      assertThat(miss.outcome()).isEqualTo(Outcome.MISS);
      assertThat(miss.bytesFromOrigin()).isPositive();
      assertThat(miss.bytesToClient()).isGreaterThan(miss.bytesFromOrigin());
      assertThat(miss.bytesFromClient()).isPositive();
      assertThat(miss.duration()).isPositive();
      assertThat(miss.start()).isNotNull();
      assertThat(miss.isCut()).isFalse();
      assertThat(miss.client()).isNotNull();
      Exchange hit = nextFinished();
      assertThat(hit.outcome()).isEqualTo(Outcome.HIT);
      assertThat(hit.bytesFromOrigin()).isZero();
      assertThat(hit).hasToString("GET " + hit.url() + " 200 HIT");
    }
  }

  @Test
  void anObserverThatThrowsHasNoEffect() throws Exception {
    try (Loligo proxy =
        Loligo.start(
            config ->
                config
                    .eventLoops(1)
                    .onFinished(
                        exchange -> {
                          finished.add(exchange);
                          throw new IllegalStateException("on purpose");
                        }))) {
      List<Integer> statuses = IntStream.range(0, 3).mapToObj(i -> status(proxy, "/page")).toList();

      assertThat(statuses).containsExactly(200, 200, 200);
      for (int i = 0; i < 3; i++) {
        nextFinished();
      }
    }
  }

  private int status(Loligo proxy, String path) {
    try {
      return get(proxy, path).statusCode();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
