package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.CapturedLog;
import io.loligo.server.Waiting;
import io.loligo.server.metrics.Counter;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Delay pools: the bytes that clients have when a test has let time pass. A bucket of 8,000 bytes a
 * second is looked at ten times a second, so that 2,400 bytes of it may be late.
 */
class DelayPoolsWireTest extends WireTest {
  private static final int RATE = 8_000;
  private static final int LATE = 2_400;
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String CONTENT = "x".repeat(40_000);

  private static final String ADMIN_GET = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private final HeldNanos time = new HeldNanos();

  private void startPool(String kind, String parameters, String... lines) throws Exception {
    String[] all = new String[lines.length + 4];
    all[0] = "delay_pools 1";
    all[1] = "delay_class 1 " + kind;
    all[2] = "delay_parameters 1 " + parameters;
    all[3] = "delay_access 1 allow all";
    System.arraycopy(lines, 0, all, 4, lines.length);
    startProxy(time, all);
  }

  private String metrics() throws IOException {
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      return admin.send(ADMIN_GET).response().text();
    }
  }

  private long metric(String name) throws IOException {
    return metrics()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private long passed() throws IOException {
    return metric("loligo_pool_passed");
  }

  /** What has passed is between the bytes of {@code seconds} at the rate, and 2,400 fewer. */
  private void assertPassed(long first, long perSecond, long seconds) throws Exception {
    long most = first + perSecond * seconds;
    awaitLoop();
    assertThat(passed()).isBetween(most - LATE, most);
  }

  // ---- classes

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 8000/8000",
        "2 none 8000/8000",
        "2 8000/8000 -1/-1",
        "3 none none 8000/8000",
        "3 -1/-1 8000/8000 none",
        "4 none none 8000/8000 none"
      })
  void aResponseComesAtTheRateOfItsBucket(String pool) throws Exception {
    startPool(pool.substring(0, 1), pool.substring(2));
    origin.onOk("/a", CONTENT);
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    assertThat(client.read(RATE / 2)).isEqualTo("x".repeat(RATE / 2));
    assertThat(passed()).isEqualTo(RATE / 2);
    time.pass(2_000);
    assertPassed(RATE / 2, RATE, 2);
    assertThat(metric("loligo_pool_waits")).isPositive();
    assertThat(metric("loligo_pool_waiting")).isEqualTo(1);
    time.pass(3_000);
    assertThat(client.read(CONTENT.length() - RATE / 2)).hasSize(CONTENT.length() - RATE / 2);
    assertThat(passed()).isEqualTo(CONTENT.length());
    assertThat(metric("loligo_pool_waiting")).isZero();
  }

  @Test
  void theLevelsOfItsBucketsAreShown() throws Exception {
    startPool("3", "20000/20000 none 8000/8000");
    origin.onOk("/a", CONTENT);
    assertThat(metric("loligo_pool_buckets")).isZero();
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    client.read(RATE / 2);
    awaitLoop();
    // the bytes that wait are taken already: an eighth of a second
    assertThat(metric("loligo_pool_level")).isBetween(10_000L - RATE / 2 - RATE / 8, 6_000L);
    assertThat(metric("loligo_pool_maximum")).isEqualTo(20_000);
    assertThat(metric("loligo_pool_buckets")).isEqualTo(1);
    assertThat(metric("loligo_pool_lowest_level")).isBetween(-RATE / 8L, 0L);
    time.pass(10_000);
    client.read(CONTENT.length() - RATE / 2);
    time.pass(10_000);
    assertThat(metric("loligo_pool_level")).isEqualTo(20_000);
    assertThat(metrics())
        .contains("loligo_pool_buckets{pool=\"delay_pools 1\"} 0.0\n")
        .doesNotContain("loligo_pool_lowest_level{");
  }

  @Test
  void theFirstPoolThatAllowsARequestHolds() throws Exception {
    startProxy(
        time,
        "acl slow req_header X-Slow .",
        "acl error http_status 404",
        "delay_pools 2",
        "delay_class 1 1",
        "delay_parameters 1 8000/8000",
        "delay_access 1 allow slow",
        "delay_access 1 deny all",
        "delay_class 2 1",
        "delay_parameters 2 0/1000",
        "delay_access 2 allow error",
        "delay_initial_bucket_level 100");
    origin.onOk("/a", CONTENT);
    origin.on("/none", ScriptedOrigin.response("404 Not Found", CONTENT));
    assertThat(get("/a").text()).isEqualTo(CONTENT);
    assertThat(passed()).isZero();
    RawClient slow = client().get(origin.url("/none"), "X-Slow: 1");
    slow.responseHead();
    slow.read(RATE);
    assertThat(passed()).isEqualTo(RATE);
    RawClient never = client().get(origin.url("/none"));
    never.responseHead();
    never.read(1_000);
    time.pass(5_000);
    slow.read(CONTENT.length() - RATE);
    assertThat(passed()).isEqualTo(CONTENT.length() + 1_000);
  }

  @Test
  void clientsOfOneAddressShareABucket() throws Exception {
    startPool("2", "none 8000/8000");
    origin.onOk("/a", CONTENT);
    RawClient one = client().get(origin.url("/a"));
    one.responseHead();
    one.read(RATE / 2);
    RawClient same = client().get(origin.url("/a"));
    same.responseHead();
    RawClient other = closing(RawClient.connectFrom("127.0.0.2", proxy.port()));
    other.get(origin.url("/a")).responseHead();
    other.read(RATE / 2);
    time.pass(3_000);
    awaitLoop();
    long sum = 2 * (RATE / 2 + 3 * RATE);
    assertThat(passed()).isBetween(sum - 3 * LATE, sum);
  }

  @Test
  void theAddressBehindATrustedProxyCounts() throws Exception {
    startPool("2", "none 8000/8000", "follow_x_forwarded_for allow all");
    origin.onOk("/a", CONTENT);
    for (int i = 1; i <= 3; i++) {
      RawClient one = client().get(origin.url("/a"), "X-Forwarded-For: 192.0.2." + i);
      one.responseHead();
      one.read(RATE / 2);
    }
    assertThat(passed()).isEqualTo(3 * RATE / 2);
    RawClient again = client().get(origin.url("/a"), "X-Forwarded-For: 198.51.100.1");
    again.responseHead(); // Squid looks at the last byte only
    awaitLoop();
    assertThat(passed()).isEqualTo(3 * RATE / 2);
  }

  @Test
  void theAddressOfTheConnectionCountsIfAskedTo() throws Exception {
    startPool(
        "2",
        "none 8000/8000",
        "follow_x_forwarded_for allow all",
        "delay_pool_uses_indirect_client off");
    origin.onOk("/a", CONTENT);
    RawClient one = client().get(origin.url("/a"), "X-Forwarded-For: 192.0.2.1");
    one.responseHead();
    one.read(RATE / 2);
    RawClient two = client().get(origin.url("/a"), "X-Forwarded-For: 192.0.2.2");
    two.responseHead();
    awaitLoop();
    assertThat(passed()).isEqualTo(RATE / 2);
  }

  @Test
  void aClientOfIpv6HasOnlyTheBucketForAll() throws Exception {
    startPool("2", "none 1/1", "follow_x_forwarded_for allow all");
    origin.onOk("/a", CONTENT);
    assertThat(get("/a", "X-Forwarded-For: 2001:db8::1").text()).isEqualTo(CONTENT);
    assertThat(passed()).isZero();
  }

  @Test
  void aUserHasABucketOnWhateverMachine() throws Exception {
    Path users = LoginFile.write(dir.resolve("users"), "bob:secret", "alice:wonder");
    startPool(
        "4",
        "none none none 8000/8000",
        "auth_param basic program /usr/lib/squid/basic_ncsa_auth " + users,
        "acl known proxy_auth REQUIRED",
        "http_access allow known");
    origin.onOk("/a", CONTENT);
    RawClient bob = client().get(origin.url("/a"), LoginFile.line("bob:secret"));
    bob.responseHead();
    bob.read(RATE / 2);
    RawClient elsewhere = closing(RawClient.connectFrom("127.0.0.2", proxy.port()));
    elsewhere.get(origin.url("/a"), LoginFile.line("bob:secret")).responseHead();
    RawClient alice = client().get(origin.url("/a"), LoginFile.line("alice:wonder"));
    alice.responseHead();
    alice.read(RATE / 2);
    assertThat(passed()).isEqualTo(2 * (RATE / 2));
  }

  @Test
  void aTagHasABucketForWhoeverHasIt() throws Exception {
    HelperScript helper =
        HelperScript.write(
            dir,
            "tagger",
            /* channels= */ false,
            "*/one*) echo 'OK tag=one' ;;",
            "*/two*) echo 'OK tag=TWO' ;;",
            "*) echo OK ;;");
    startPool(
        "5",
        "8000/8000",
        "external_acl_type tags %URI " + helper.path(),
        "acl tagged external tags",
        "http_access allow tagged");
    origin.otherwise(call -> call.ok(CONTENT));
    assertThat(get("/none").text()).isEqualTo(CONTENT);
    assertThat(passed()).isZero();
    RawClient one = client().get(origin.url("/one"));
    one.responseHead();
    one.read(RATE / 2);
    RawClient same = closing(RawClient.connectFrom("127.0.0.2", proxy.port()));
    same.get(origin.url("/one?same")).responseHead();
    RawClient two = client().get(origin.url("/two"));
    two.responseHead();
    two.read(RATE / 2);
    awaitLoop();
    assertThat(passed()).isEqualTo(2 * (RATE / 2));
    time.pass(2_000);
    awaitLoop();
    long most = 2 * (RATE / 2 + 2 * RATE);
    assertThat(passed()).isBetween(most - 3 * LATE, most);
  }

  // ---- what is delayed

  @Test
  void hitsAreNotDelayed() throws Exception {
    startPool("1", "8000/8000", "acl first req_header X-First .", "delay_access 1 deny first");
    origin.onOk("/a", CONTENT, FRESH);
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    client.read(RATE / 2);
    time.pass(6_000);
    client.read(CONTENT.length() - RATE / 2);
    awaitCount(proxy::storedResponses, 1);
    WireMessage hit = get("/a");
    assertHit(hit);
    assertThat(hit.text()).isEqualTo(CONTENT);
  }

  @Test
  void aSharedFetchHasTheSpeedOfTheFastest() throws Exception {
    startProxy(
        time,
        "acl slow req_header X-Slow .",
        "delay_pools 1",
        "delay_class 1 1",
        "delay_parameters 1 100/100",
        "delay_access 1 allow slow");
    origin.onOk("/a", CONTENT, FRESH);
    RawClient slow = client().get(origin.url("/a"), "X-Slow: 1");
    slow.responseHead();
    slow.read(50);
    RawClient fast = client().get(origin.url("/a"));
    fast.responseHead();
    awaitLoop();
    time.pass(1_200);
    assertThat(fast.read(CONTENT.length())).isEqualTo(CONTENT);
    slow.read(CONTENT.length() - 50);
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void aTunnelIsDelayed() throws Exception {
    startPool("1", "8000/8000");
    origin.onOk("/a", CONTENT);
    RawClient client = client().request("CONNECT", origin.authority());
    client.responseHead();
    client.send("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    client.read(RATE / 2);
    assertThat(passed()).isEqualTo(RATE / 2);
    time.pass(1_000);
    awaitLoop();
    assertThat(passed()).isBetween(RATE / 2 + (long) RATE - LATE, RATE / 2 + (long) RATE);
    time.pass(5_000);
    assertThat(client.read(CONTENT.length() - RATE / 2)).endsWith("x");
  }

  @Test
  void theEndOfATunnelWaitsForItsBytes() throws Exception {
    startPool("1", "8000/8000");
    origin.on(
        "/a",
        call -> {
          call.send("y".repeat(RATE));
          call.close();
        });
    RawClient client = client().request("CONNECT", origin.authority());
    client.responseHead();
    client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    client.read(RATE / 2);
    awaitLoop();
    time.pass(1_000);
    assertThat(client.untilClose()).isEqualTo("y".repeat(RATE / 2));
  }

  // ---- ends

  @Test
  void aClientThatLeavesCostsNothingFurther() throws Exception {
    startPool("1", "8000/8000", "quick_abort_min 0 KB", "quick_abort_max 0 KB");
    origin.onOk("/a", CONTENT);
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    client.read(RATE / 2);
    client.reset();
    awaitCount(() -> proxy.counted(Counter.ABORTED), 1);
    Waiting.until("nothing is held", () -> proxy.transitBytes() == 0);
    assertThat(metric("loligo_pool_waiting")).isZero();
    time.pass(5_000);
    assertThat(passed()).isEqualTo(RATE / 2);
  }

  @Test
  void aResponseThatIsCutIsCutAfterItsBytes() throws Exception {
    startPool("1", "8000/8000");
    origin.on(
        "/a",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n" + "y".repeat(RATE));
          call.close();
        });
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    client.read(RATE / 2);
    awaitLoop();
    time.pass(1_000);
    assertThat(client.untilClose()).isEqualTo("y".repeat(RATE / 2));
  }

  @Test
  void theProxyStopsWhileBytesWait() throws Exception {
    startPool("1", "8000/8000");
    origin.onOk("/a", CONTENT);
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    client.read(RATE / 2);
    try (CapturedLog store = new CapturedLog("io.loligo.store.TieredStore")) {
      proxy.close();
      assertThat(store.lines()).isEmpty();
    }
  }
}
