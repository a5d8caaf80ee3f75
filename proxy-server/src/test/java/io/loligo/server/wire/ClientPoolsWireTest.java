package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http2.ErrorCode;
import io.loligo.server.metrics.Counter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Pools of clients and of responses: the bytes that were sent when a test has let time pass. A
 * bucket of 8,000 bytes a second may be late by 2,400 bytes.
 */
class ClientPoolsWireTest extends WireTest {
  private static final int RATE = 8_000;
  private static final int LATE = 2_400;
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String CONTENT = "x".repeat(40_000);
  private static final String ADMIN_GET = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private static final String[] CLIENTS = {
    "client_delay_pools 1", "client_delay_parameters 1 8000 8000", "client_delay_access 1 allow all"
  };

  private final HeldNanos time = new HeldNanos();

  private long passed() throws IOException {
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      return admin
          .send(ADMIN_GET)
          .response()
          .text()
          .lines()
          .filter(line -> line.startsWith("loligo_pool_passed"))
          .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    }
  }

  /** Reads the whole content as time passes, of which {@code first} bytes came at once. */
  private void assertPaced(RawClient client, String head, int first) throws Exception {
    long begun = passed();
    assertThat(begun).isLessThanOrEqualTo(RATE / 2 + head.length());
    assertThat(client.read(first)).isEqualTo("x".repeat(first));
    time.pass(2_000);
    assertThat(passed()).isBetween(begun + 2 * RATE - LATE, begun + 2 * RATE + LATE);
    time.pass(4_000);
    assertThat(client.read(CONTENT.length() - first)).hasSize(CONTENT.length() - first);
  }

  @Test
  void aMissIsPaced() throws Exception {
    startProxy(time, CLIENTS);
    origin.onOk("/a", CONTENT);
    RawClient client = client().get(origin.url("/a"));
    assertPaced(client, client.responseHead(), RATE / 2 - 600);
    origin.onOk("/b", "after");
    assertThat(client.get(origin.url("/b")).response().text()).isEqualTo("after");
  }

  @Test
  void aHitIsPacedToo() throws Exception {
    startProxy(
        time,
        "acl one src 127.0.0.1",
        "client_delay_pools 1",
        "client_delay_parameters 1 8000 8000",
        "client_delay_access 1 allow one");
    origin.onOk("/a", CONTENT, FRESH);
    RawClient other = closing(RawClient.connectFrom("127.0.0.2", proxy.port()));
    assertThat(other.get(origin.url("/a")).response().text()).isEqualTo(CONTENT);
    assertThat(passed()).isZero();
    RawClient client = client().get(origin.url("/a"));
    String head = client.responseHead();
    assertThat(WireMessage.field(head, "cache-status")).contains("hit");
    assertPaced(client, head, RATE / 2 - 600);
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  /** Its content is in the block of its head, and waits all the same. */
  @Test
  void manySmallHitsArePaced() throws Exception {
    startProxy(time, CLIENTS);
    String small = "x".repeat(1_000);
    origin.onOk("/a", small, FRESH);
    assertThat(get("/a").text()).isEqualTo(small);
    assertHit(get("/a"));
    RawClient client = client();
    for (int i = 0; i < 20; i++) {
      client.get(origin.url("/a"));
    }
    client.responseHead();
    assertThat(passed()).isLessThan(2 * (RATE / 2));
    time.pass(10_000);
    client.read(1_000);
    for (int i = 1; i < 20; i++) {
      WireMessage hit = client.response();
      assertHit(hit);
      assertThat(hit.text()).isEqualTo(small);
      time.pass(1_000);
    }
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  @Test
  void connectionsOfAClientShareItsBucket() throws Exception {
    startProxy(time, CLIENTS);
    origin.onOk("/a", CONTENT);
    RawClient one = client().get(origin.url("/a"));
    one.responseHead();
    RawClient two = client().get(origin.url("/a"));
    two.responseHead();
    time.pass(3_000);
    long most = RATE / 2 + 3 * RATE + 2 * 1_000;
    assertThat(passed()).isBetween(most - 2 * LATE - 2_000, most);
    RawClient other = closing(RawClient.connectFrom("127.0.0.2", proxy.port()));
    other.get(origin.url("/a")).responseHead();
    other.read(RATE / 2 - 600);
  }

  @Test
  void aNewBucketMayBeFull() throws Exception {
    String[] lines = Arrays.copyOf(CLIENTS, CLIENTS.length + 1);
    lines[CLIENTS.length] = "client_delay_initial_bucket_level 100";
    startProxy(time, lines);
    origin.onOk("/a", CONTENT);
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    assertThat(client.read(RATE - 600)).isEqualTo("x".repeat(RATE - 600));
    assertThat(passed()).isLessThan(RATE + 1_000);
  }

  @Test
  void aTunnelIsPaced() throws Exception {
    startProxy(time, CLIENTS);
    origin.onOk("/a", CONTENT);
    RawClient client = client().request("CONNECT", origin.authority());
    client.responseHead();
    client.send("GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    String head = client.responseHead();
    assertPaced(client, head, RATE / 2 - 600);
  }

  @Test
  void theTrailersOfAPacedResponseComeLast() throws Exception {
    startProxy(
        time,
        "acl two src 127.0.0.2",
        "client_delay_pools 1",
        "client_delay_parameters 1 8000 8000",
        "client_delay_access 1 allow two");
    origin.on(
        "/a",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n1388\r\n"
            + "x".repeat(5_000)
            + "\r\n0\r\nT: last\r\n\r\n");
    RawClient client = closing(RawClient.connectFrom("127.0.0.2", proxy.port()));
    client.get(origin.url("/a"), "TE: trailers");
    String head = client.responseHead();
    awaitLoop();
    time.pass(2_000);
    WireMessage whole = client.bodyBehind(head);
    assertThat(whole.text()).isEqualTo("x".repeat(5_000));
    assertThat(whole.trailers()).containsExactly("T: last");
  }

  @Test
  void aClientThatLeavesWhileContentWaits() throws Exception {
    startProxy(time, CLIENTS);
    origin.onOk("/a", CONTENT, FRESH);
    RawClient client = client().get(origin.url("/a"));
    client.responseHead();
    client.read(1_000);
    client.reset();
    awaitCount(() -> proxy.counted(Counter.ABORTED), 1);
    time.pass(5_000);
    assertThat(passed()).isLessThan(RATE);
  }

  // ---- responses

  @Test
  void eachResponseHasItsOwnBucket() throws Exception {
    startProxy(
        time,
        "acl big rep_header X-Big .",
        "response_delay_pool slow individual-restore=8000 individual-maximum=8000",
        "response_delay_pool_access slow allow big");
    origin.onOk("/a", CONTENT, "X-Big: 1", FRESH);
    origin.onOk("/b", CONTENT);
    assertThat(get("/b").text()).isEqualTo(CONTENT);
    assertThat(passed()).isZero();
    RawClient one = client().get(origin.url("/a"));
    one.responseHead();
    one.read(RATE / 2 - 600);
    RawClient two = client().get(origin.url("/a"));
    two.responseHead();
    two.read(RATE / 2 - 600);
    time.pass(6_000);
    one.read(CONTENT.length() - RATE / 2 + 600);
    two.read(CONTENT.length() - RATE / 2 + 600);
    assertThat(origin.fetches("/a")).isEqualTo(1);
    RawClient hit = client().get(origin.url("/a"));
    assertThat(WireMessage.field(hit.responseHead(), "cache-status")).contains("hit");
    hit.read(RATE / 2 - 600);
    long begun = passed();
    assertThat(begun).isLessThanOrEqualTo(2L * CONTENT.length() + RATE / 2 + 2_000);
  }

  @Test
  void allResponsesShareTheAggregateBucket() throws Exception {
    startProxy(
        time,
        "response_delay_pool all aggregate-restore=8000 aggregate-maximum=8000",
        "response_delay_pool_access all allow all");
    origin.onOk("/a", CONTENT);
    RawClient one = client().get(origin.url("/a"));
    one.responseHead();
    one.read(RATE - 1_000);
    RawClient two = closing(RawClient.connectFrom("127.0.0.2", proxy.port()));
    two.get(origin.url("/a")).responseHead();
    time.pass(3_000);
    long most = RATE + 3 * RATE + 2_000;
    assertThat(passed()).isBetween(most - 2 * LATE - 2_000, most);
  }

  // ---- HTTP/2

  private Http2Client startHttp2(String... pools) throws Exception {
    List<String> lines = new ArrayList<>(List.of(pools));
    lines.add("http_port 127.0.0.1:0 accel h2c");
    lines.add("cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    startProxy(time, lines.toArray(String[]::new));
    origin.onOk("/a", CONTENT);
    return closing(Http2Client.connect(proxy.port()));
  }

  @Test
  void streamsOfAClientShareItsBucket() throws Exception {
    Http2Client client = startHttp2(CLIENTS);
    client.get(1, "site.test", "/a");
    client.get(3, "site.test", "/a");
    client.headOf(1);
    client.headOf(3);
    long begun = passed();
    assertThat(begun).isLessThan(RATE / 2 + 1_000);
    time.pass(3_000);
    assertThat(passed()).isBetween(begun + 3 * RATE - 2 * LATE, begun + 3 * RATE + LATE);
    time.pass(10_000);
    assertThat(client.response(1).text()).isEqualTo(CONTENT);
    assertThat(client.response(3).text()).isEqualTo(CONTENT);
  }

  @Test
  void streamsHaveBucketsOfTheirResponses() throws Exception {
    Http2Client client =
        startHttp2(
            "response_delay_pool slow individual-restore=8000 individual-maximum=8000",
            "response_delay_pool_access slow allow all");
    client.get(1, "site.test", "/a");
    client.get(3, "site.test", "/a");
    client.contentOf(1, RATE / 2 - 600);
    client.contentOf(3, RATE / 2 - 600);
    long begun = passed();
    assertThat(begun).isLessThan(RATE + 2_000);
    time.pass(3_000);
    assertThat(passed()).isBetween(begun + 6 * RATE - 2 * LATE, begun + 6 * RATE + 2 * LATE);
    time.pass(3_000);
    assertThat(client.response(1).text()).isEqualTo(CONTENT);
    assertThat(client.response(3).text()).isEqualTo(CONTENT);
  }

  /** The connection goes on: its other streams get their part. */
  @Test
  void aStreamThatIsResetWhileItWaitsTakesNothing() throws Exception {
    Http2Client client = startHttp2(CLIENTS);
    client.get(1, "site.test", "/a");
    client.contentOf(1, 1_000);
    client.reset(1, ErrorCode.CANCEL);
    awaitCount(() -> proxy.counted(Counter.ABORTED), 1);
    long begun = passed();
    time.pass(5_000);
    assertThat(passed()).isEqualTo(begun);
    client.get(3, "site.test", "/a");
    client.contentOf(3, RATE - 1_000);
    time.pass(6_000);
    assertThat(client.response(3).text()).isEqualTo(CONTENT);
  }
}
