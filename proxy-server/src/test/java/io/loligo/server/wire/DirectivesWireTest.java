package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.ParseFailure;
import io.loligo.server.Waiting;
import io.loligo.server.metrics.ConnectionGauge;
import io.loligo.server.metrics.Counter;
import io.loligo.server.wire.LyingDns.Entry;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What single directives do on the wire that have no test class of their own. */
class DirectivesWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String WINDOW = "loligo_rate_window 1 second";
  private static final int WINDOW_MILLIS = 1_000;
  private static final int LARGE = 24 << 20;

  private static final byte[] IPV6_LOOPBACK = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

  private final HeldTime time = new HeldTime();

  private void startAsking(LyingDns dns, String... lines) throws Exception {
    proxy = ProxyUnderTest.startAsking(dns.address(), configuration(lines), time);
  }

  private WireMessage ask(String url) throws Exception {
    try (RawClient client = RawClient.connect(proxy.port())) {
      return client.get(url).response();
    }
  }

  // ---- the file

  @ParameterizedTest
  @CsvSource({"two words, 403", "two, 200", "words, 200"})
  void quotesJoinWords(String agent, int status) throws Exception {
    startProxy(
        "configuration_includes_quoted_values on",
        "acl agent req_header User-Agent \"two words\"",
        "http_access deny agent",
        "http_access allow all");
    origin.onOk("/a", "x");
    assertThat(get("/a", "User-Agent: " + agent).status()).isEqualTo(status);
  }

  // ---- identity

  /** Nothing tells the version, whatever the value. */
  @ParameterizedTest
  @ValueSource(strings = {"on", "off"})
  void theVersionIsHidden(String value) throws Exception {
    startProxy("httpd_suppress_version_string " + value);
    WireMessage error = get("/nowhere", "Cache-Control: only-if-cached");
    assertThat(error.status()).isEqualTo(504);
    assertThat(error.head() + error.text()).doesNotContainPattern("(?i)loligo[ /]+[0-9]+[.]");
    origin.onOk("/a", "x");
    get("/a");
    assertThat(origin.lastRequest().head()).doesNotContainPattern("(?i)loligo[ /]+[0-9]+[.]");
  }

  // ---- caching

  @ParameterizedTest
  @CsvSource({"on, 2", "off, 1"})
  void conditionalRequestsGoToTheOrigin(String value, int fetches) throws Exception {
    startProxy("refresh_all_ims " + value);
    String date = "Tue, 02 Jun 2026 10:00:00 GMT";
    origin.onOk("/a", "x", FRESH, "Last-Modified: " + date);
    get("/a");
    get("/a", "If-Modified-Since: " + date);
    assertThat(origin.fetches("/a")).isEqualTo(fetches);
  }

  // ---- times of clients

  /** Returns when the proxy has sent all that the client's system takes. */
  private RawClient stalledReader() throws Exception {
    origin.onOk("/large", "x".repeat(LARGE), FRESH);
    assertThat(get("/large").text()).hasSize(LARGE);
    RawClient client = closing(RawClient.connect(proxy.port(), 4_096));
    client.get(origin.url("/large")).responseHead();
    awaitLoop();
    return client;
  }

  private static String[] large(String... lines) {
    List<String> all = new ArrayList<>(List.of(lines));
    all.addAll(
        List.of(
            "cache_mem 64 MB", "maximum_object_size 32 MB", "maximum_object_size_in_memory 32 MB"));
    return all.toArray(String[]::new);
  }

  @Test
  void aClientThatTakesNothingIsCutAfterWriteTimeout() throws Exception {
    startProxy(time, large("write_timeout 1 second", "loligo_min_answer_rate 0 KB"));
    RawClient client = stalledReader();
    Waiting.until(
        "the client is cut",
        () -> {
          awaitLoop();
          time.passTimeouts(1_200);
          return proxy.counted(Counter.CLIENT_TOO_SLOW) + proxy.open(ConnectionGauge.CLIENT_OPEN)
              <= 1;
        });
    assertThat(client.untilClose().length()).isLessThan(LARGE);
  }

  @Test
  void aClientMayTakeNothing() throws Exception {
    startProxy(time, large(WINDOW, "loligo_min_answer_rate 0 KB"));
    RawClient client = stalledReader();
    time.passTimeouts(5 * WINDOW_MILLIS);
    awaitLoop();
    assertThat(client.read(LARGE)).hasSize(LARGE);
  }

  @Test
  void aClientMaySendNothing() throws Exception {
    startProxy(time, WINDOW, "loligo_min_request_rate 0 KB");
    origin.onOk("/a", "x");
    RawClient client = client().send("GET " + origin.url("/a") + " HTTP/1.1\r\nHo");
    awaitLoop();
    time.passTimeouts(5 * WINDOW_MILLIS);
    assertThat(proxy.refusals().get(ParseFailure.TOO_SLOW)).isZero();
    client.send("st: " + origin.authority() + "\r\n\r\n");
    assertThat(client.response().status()).isEqualTo(200);
  }

  @Test
  void aRequestLastsNoLongerThanItsLifetime() throws Exception {
    startProxy(time, "client_lifetime 1 second");
    CountDownLatch closed = new CountDownLatch(1);
    origin.on(
        "/stall",
        call -> {
          assertThat(call.in().read()).isEqualTo(-1);
          closed.countDown();
        });
    RawClient client = client().get(origin.url("/stall"));
    origin.awaitRequest("/stall");
    awaitLoop();
    time.passTimeouts(1_200);
    client.untilClose();
    await(closed);
  }

  @Test
  void anOriginMaySendNothing() throws Exception {
    startProxy(time, WINDOW, "loligo_min_origin_rate 0 KB");
    CountDownLatch passed = new CountDownLatch(1);
    origin.on(
        "/slow",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
          await(passed);
          call.send("half");
        });
    RawClient client = client().get(origin.url("/slow"));
    String head = client.responseHead();
    awaitLoop();
    time.passTimeouts(5 * WINDOW_MILLIS);
    passed.countDown();
    assertThat(client.bodyBehind(head).text()).isEqualTo("halfhalf");
  }

  // ---- login

  @Test
  void aLoginIsCheckedAgainAfterItsTime() throws Exception {
    LeapingTime clock = new LeapingTime();
    HelperScript helper =
        HelperScript.write(dir, "checker", /* channels= */ false, "'bob secret') echo OK ;;");
    startProxy(
        clock,
        "auth_param basic program " + helper.path(),
        "authenticate_ttl 60 seconds",
        "acl users proxy_auth REQUIRED",
        "http_access allow users");
    origin.onOk("/a", "x");
    String login = LoginFile.line("bob:secret");
    assertThat(get("/a", login).status()).isEqualTo(200);
    clock.pass(30);
    assertThat(get("/a", login).status()).isEqualTo(200);
    assertThat(helper.asked()).hasSize(1);
    clock.pass(61);
    assertThat(get("/a", login).status()).isEqualTo(200);
    assertThat(helper.asked()).hasSize(2);
  }

  // ---- routes

  @ParameterizedTest
  @CsvSource({"1, 503", "2, 503", "3, 200"})
  void soManyAddressesAreTried(int tries, int status) throws Exception {
    LyingDns dns = closing(new LyingDns());
    dns.on(
        "many.test",
        q ->
            q.send(
                q.message(
                    0,
                    0,
                    Entry.a("many.test", 127, 0, 0, 2),
                    Entry.a("many.test", 127, 0, 0, 3),
                    Entry.a("many.test", 127, 0, 0, 1))));
    origin.onOk("/a", "x");
    startAsking(dns, "forward_max_tries " + tries);
    assertThat(ask(origin.url("many.test", "/a")).status()).isEqualTo(status);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void soManyIdleConnectionsAreKept(int most) throws Exception {
    startProxy("loligo_max_idle_per_origin " + most);
    CountDownLatch all = new CountDownLatch(3);
    origin.on(
        "/wait",
        call -> {
          all.countDown();
          await(all);
          call.ok("x", "Cache-Control: no-store");
        });
    List<RawClient> clients = List.of(client(), client(), client());
    for (RawClient client : clients) {
      client.get(origin.url("/wait"), "Cache-Control: no-store");
    }
    for (RawClient client : clients) {
      assertThat(client.response().status()).isEqualTo(200);
    }
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_OPEN), most);
    awaitCount(() -> proxy.open(ConnectionGauge.SERVER_IDLE), most);
  }

  // ---- names

  private LyingDns localName(String name) throws Exception {
    return closing(new LyingDns())
        .on(name, q -> q.send(q.message(0, 0, Entry.a(name, 127, 0, 0, 1))));
  }

  @Test
  void aNameWithoutADotGetsTheDomain() throws Exception {
    LyingDns dns = localName("single.example.test");
    origin.onOk("/a", "x");
    startAsking(dns, "append_domain .example.test");
    assertThat(ask(origin.url("single", "/a")).status()).isEqualTo(200);
    assertThat(dns.asked()).contains("single.example.test").doesNotContain("single");
  }

  @ParameterizedTest
  @CsvSource({"on, of IPv4", "off, of IPv6"})
  void theFamilyIsTriedFirst(String value, String content) throws Exception {
    ScriptedOrigin six =
        closing(ScriptedOrigin.start(InetAddress.getByAddress(IPV6_LOOPBACK), origin.port()));
    six.onOk("/a", "of IPv6");
    origin.onOk("/a", "of IPv4");
    LyingDns dns = closing(new LyingDns());
    dns.on(
        "both.test",
        q ->
            q.send(
                q.message(
                    0,
                    0,
                    Entry.a("both.test", 127, 0, 0, 1),
                    Entry.a("both.test", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))));
    startAsking(dns, "loligo_dns_v4_first " + value);
    assertThat(ask(origin.url("both.test", "/a")).text()).isEqualTo(content);
  }

  // ---- the disk

  private String[] withDisk(String... lines) {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("cache_dir rock " + dir.resolve("cache") + " 64");
    return all.toArray(String[]::new);
  }

  @Test
  void theSecondRequestWritesToDisk() throws Exception {
    startProxy(withDisk("loligo_cache_dir_second_request on"));
    proxy.diskOpened().join();
    origin.onOk("/once", "x", FRESH).onOk("/twice", "x", FRESH);
    get("/once");
    get("/twice");
    assertHit(get("/twice"));
    awaitCount(() -> proxy.diskStats().get(0).writes(), 1);
    awaitCount(proxy::fetches, 0);
    assertThat(proxy.diskStats().get(0).objects()).isEqualTo(1);
  }

  @Test
  void soManyThreadsServeTheDisk() throws Exception {
    long before = threads("loligo-disk");
    startProxy(withDisk("loligo_disk_threads 3"));
    proxy.diskOpened().join();
    assertThat(threads("loligo-disk") - before).isEqualTo(3);
  }

  // ---- logs

  @ParameterizedTest
  @CsvSource({"on, b1", "off, b0"})
  void aProgramWritesTheLog(String buffered, String command) throws Exception {
    Path program = dir.resolve("daemon");
    Files.writeString(program, "#!/bin/sh\nexec cat > \"$1.commands\"\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    startProxy(
        "logfile_daemon " + program,
        "buffered_logs " + buffered,
        "access_log daemon:" + dir.resolve("log") + " squid");
    origin.onOk("/a", "x");
    assertThat(get("/a").status()).isEqualTo(200);
    List<String> commands = stopAndReadLog("log.commands");
    assertThat(commands).contains(command);
    assertThat(commands).anyMatch(line -> line.matches("L.* TCP_MISS/200 .*/a - .*"));
  }

  // ---- the process

  private static long threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(prefix))
        .count();
  }

  @Test
  void soManyWorkersServeConnections() throws Exception {
    String text = configuration("workers 3").replace("loligo_event_loops 1\n", "");
    long before = threads("loligo-loop");
    proxy = ProxyUnderTest.start(text);
    origin.onOk("/a", "x");
    for (int i = 0; i < 6; i++) {
      assertThat(client().get(origin.url("/a")).response().status()).isEqualTo(200);
    }
    assertThat(threads("loligo-loop") - before).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"pooled", "adaptive"})
  void eachAllocatorServes(String allocator) throws Exception {
    startProxy("loligo_allocator " + allocator);
    origin.onOk("/a", "x".repeat(100_000), FRESH);
    assertThat(get("/a").text()).hasSize(100_000);
    assertHit(get("/a"));
  }
}
