package io.loligo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Proxies inside this JVM, with an origin and a client of the JDK. */
class LoligoTest {
  /** The awaited work needs the core more than the next look does. */
  private static final long BETWEEN_LOOKS_NANOS = 100_000;

  private static final int STARTS = 50;
  private static final Duration GUARD = Duration.ofMinutes(2);

  private final AtomicInteger reached = new AtomicInteger();
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-06-02T12:00:00Z"));
  private HttpServer origin;

  @BeforeEach
  void startOrigin() throws IOException {
    origin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    origin.createContext(
        "/",
        exchange -> {
          reached.incrementAndGet();
          byte[] content = exchange.getRequestURI().getPath().getBytes(UTF_8);
          exchange.getResponseHeaders().set("Cache-Control", "max-age=60");
          exchange.getResponseHeaders().set("Surrogate-Key", "all");
          exchange
              .getResponseHeaders()
              .set(
                  "Date",
                  DateTimeFormatter.RFC_1123_DATE_TIME.format(now.get().atZone(ZoneOffset.UTC)));
          exchange.sendResponseHeaders(200, content.length);
          exchange.getResponseBody().write(content);
          exchange.close();
        });
    origin.start();
  }

  @AfterEach
  void stopOrigin() {
    origin.stop(0);
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + origin.getAddress().getPort() + path);
  }

  private HttpResponse<String> get(Loligo proxy, String path) throws Exception {
    HttpClient client = HttpClient.newBuilder().proxy(proxy.proxySelector()).build();
    HttpRequest request = HttpRequest.newBuilder(uri(path)).timeout(GUARD).build();
    return client.send(request, BodyHandlers.ofString());
  }

  private static void await(BooleanSupplier condition) {
    long guard = System.nanoTime() + GUARD.toNanos();
    while (!condition.getAsBoolean() && System.nanoTime() - guard < 0) {
      LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  @Test
  void servesStoredResponsesOnAFreePort() throws Exception {
    try (Loligo proxy = Loligo.start(config -> config.eventLoops(1))) {
      assertThat(proxy.address().getPort()).isPositive();
      assertThat(proxy.url()).hasPort(proxy.address().getPort()).hasHost("127.0.0.1");

      assertThat(get(proxy, "/page").body()).isEqualTo("/page");
      assertThat(get(proxy, "/page").body()).isEqualTo("/page");

      assertThat(reached).hasValue(1);
      await(() -> proxy.stats().exchanges() == 2);
      LoligoStats stats = proxy.stats();
      assertThat(stats.hits()).isEqualTo(1);
      assertThat(stats.misses()).isEqualTo(1);
      assertThat(stats.denials()).isZero();
      assertThat(stats.errors()).isZero();
      assertThat(stats.storedResponses()).isEqualTo(1);
      assertThat(stats.storedBytes()).isPositive();
      assertThat(stats.bytesFromOrigins()).isPositive();
      assertThat(stats.bytesToClients()).isGreaterThan(stats.bytesFromOrigins());
    }
  }

  @Test
  void responsesExpireByTheClockOfTheApplication() throws Exception {
    try (Loligo proxy = Loligo.start(config -> config.clock(now::get))) {
      get(proxy, "/page");
      now.set(now.get().plusSeconds(59));
      get(proxy, "/page");
      assertThat(reached).hasValue(1);

      now.set(now.get().plusSeconds(2));
      get(proxy, "/page");
      assertThat(reached).hasValue(2);
    }
  }

  @Test
  void purgesByUrlKeyAndPattern() throws Exception {
    try (Loligo proxy = Loligo.start(config -> {})) {
      get(proxy, "/a");
      PurgeResult one = proxy.purge(uri("/a").toString()).get(60, TimeUnit.SECONDS);
      assertThat(one.isDone()).isTrue();
      assertThat(one.count()).isEqualTo(1);
      assertThat(proxy.purge(uri("/a").toString()).get(60, TimeUnit.SECONDS).count()).isZero();

      get(proxy, "/a");
      assertThat(proxy.purgeKeys("all").get(60, TimeUnit.SECONDS).count()).isEqualTo(1);
      get(proxy, "/a");
      assertThat(proxy.purgeMatching("/a$").get(60, TimeUnit.SECONDS).isDone()).isTrue();
      get(proxy, "/a");

      assertThat(reached).hasValue(4);
      assertThatThrownBy(() -> proxy.purge("a b"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected: an http URL");
    }
  }

  @Test
  void takesLinesOfSquidConf() throws Exception {
    try (Loligo proxy =
        Loligo.start(
            config ->
                config
                    .line("acl secret urlpath_regex ^/secret")
                    .line("http_access deny secret")
                    .line("http_access allow all"))) {
      assertThat(get(proxy, "/secret").statusCode()).isEqualTo(403);
      assertThat(get(proxy, "/page").statusCode()).isEqualTo(200);

      assertThat(reached).hasValue(1);
      await(() -> proxy.stats().exchanges() == 2);
      assertThat(proxy.stats().denials()).isEqualTo(1);
    }
  }

  @Test
  void namesEachWrongLine() {
    assertThatThrownBy(
            () ->
                Loligo.start(
                    config -> config.line("http_access allow nobody").line("cache_mem lots")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nobody")
        .hasMessageContaining("lots");
    assertThatThrownBy(() -> Loligo.start(config -> config.line("a\nb")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Loligo.start(config -> config.port(65_536)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aTakenPortFailsTheStart() throws Exception {
    int taken = origin.getAddress().getPort();

    assertThatThrownBy(() -> Loligo.start(config -> config.port(taken)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(Integer.toString(taken));
  }

  @Test
  void severalProxiesKnowNothingOfEachOther() throws Exception {
    try (Loligo second = Loligo.start(config -> config.eventLoops(1))) {
      try (Loligo first = Loligo.start(config -> config.eventLoops(1))) {
        get(first, "/page");
        get(second, "/page");
        assertThat(reached).hasValue(2);
      }

      assertThat(get(second, "/page").statusCode()).isEqualTo(200);
      assertThat(reached).hasValue(2);
      assertThat(
              ManagementFactory.getPlatformMBeanServer()
                  .queryNames(new ObjectName("io.loligo:*"), null))
          .isEmpty();
    }
  }

  @Test
  void drainEndsWhenNoConnectionIsOpen() throws Exception {
    try (Loligo proxy =
        Loligo.start(config -> config.eventLoops(1).line("loligo_shutdown_delay 0 seconds"))) {
      int port = proxy.address().getPort();
      proxy.drain().get(60, TimeUnit.SECONDS);

      assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port))
          .isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void fiftyStartsLeaveNothingBehind() throws Exception {
    List<Integer> ports = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      startAndStop(ports);
    }
    await(() -> threads().isEmpty());
    long directBytes = directBytes();

    for (int i = 0; i < STARTS; i++) {
      startAndStop(ports);
    }

    await(() -> threads().isEmpty());
    // chunks of the allocator stay and are used again: a chunk for each start would be 200 MB
    assertThat(directBytes()).isLessThan(directBytes + (16L << 20));
    for (int port : ports) {
      assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port))
          .isInstanceOf(ConnectException.class);
    }
  }

  private void startAndStop(List<Integer> ports) throws Exception {
    try (Loligo proxy = Loligo.start(config -> config.eventLoops(2).cacheMemory(8 << 20))) {
      assertThat(get(proxy, "/page").statusCode()).isEqualTo(200);
      ports.add(proxy.address().getPort());
    }
  }

  /** The threads of proxies. */
  private static Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("loligo"))
        .collect(Collectors.toSet());
  }

  private static long directBytes() {
    long nio =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    return nio + Math.max(0, PlatformDependent.usedDirectMemory());
  }
}
