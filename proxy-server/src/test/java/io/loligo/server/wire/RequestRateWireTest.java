package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Rates of requests, while the test lets time pass. */
class RequestRateWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  private final HeldNanos time = new HeldNanos();

  private void start(String... lines) throws Exception {
    startProxy(time, lines);
    origin.onOk("/a", "content", FRESH);
    origin.onOk("/b", "content");
  }

  private int status(String... fieldLines) throws Exception {
    return get("/a", fieldLines).status();
  }

  private int statusFrom(String address) throws Exception {
    try (RawClient client = RawClient.connectFrom(address, proxy.port())) {
      return client.get(origin.url("/a")).response().status();
    }
  }

  @Test
  void requestsBeyondTheBurstGet429AndLaterOnesPass() throws Exception {
    start("loligo_request_rate a rate=2/s burst=3 key=address");
    RawClient client = client();
    for (int i = 0; i < 3; i++) {
      assertThat(client.get(origin.url("/a")).response().status()).isEqualTo(200);
    }
    WireMessage refused = client.get(origin.url("/a")).response();
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.field("Retry-After")).isEqualTo("1");
    assertThat(refused.field("X-Loligo-Error")).isEqualTo("ERR_TOO_MANY_REQUESTS");
    assertThat(statusFrom("127.0.0.2")).isEqualTo(200);
    time.pass(400);
    assertThat(status()).isEqualTo(429);
    time.pass(100);
    assertThat(client.get(origin.url("/a")).response().status()).isEqualTo(200);
    assertThat(status()).isEqualTo(429);
    time.pass(60_000);
    for (int i = 0; i < 3; i++) {
      assertThat(status()).isEqualTo(200);
    }
    assertThat(status()).isEqualTo(429);
    assertThat(origin.fetches("/a")).isEqualTo(1);
    assertThat(stopAndReadLog()).anyMatch(line -> line.contains("TCP_DENIED/429"));
  }

  @Test
  void rateOfMinutesAndHoursTellWhenToComeAgain() throws Exception {
    start("loligo_request_rate a rate=4/m key=address", "acl h req_header X-H .");
    assertThat(status()).isEqualTo(200);
    assertThat(get("/a").field("Retry-After")).isEqualTo("15");
    time.pass(5_000);
    assertThat(get("/a").field("Retry-After")).isEqualTo("10");
    time.pass(10_000);
    assertThat(status()).isEqualTo(200);
  }

  @Test
  void tunnelsCountToo() throws Exception {
    start("loligo_request_rate a rate=1/h key=address");
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.request("CONNECT", origin.authority());
      assertThat(client.responseHead()).contains(" 200 ");
    }
    WireMessage refused = client().request("CONNECT", origin.authority()).response();
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.field("Retry-After")).isEqualTo("3600");
  }

  @Test
  void deniedRequestsDoNotCount() throws Exception {
    start(
        "loligo_request_rate a rate=1/s key=address",
        "acl bad req_header X-Bad .",
        "http_access deny bad",
        "http_access allow all");
    for (int i = 0; i < 3; i++) {
      assertThat(status("X-Bad: 1")).isEqualTo(403);
    }
    assertThat(status()).isEqualTo(200);
    assertThat(status()).isEqualTo(429);
  }

  @Test
  void aNetworkSharesABucket() throws Exception {
    start("loligo_request_rate a rate=1/s key=network/24", "follow_x_forwarded_for allow all");
    assertThat(status("X-Forwarded-For: 192.0.2.1")).isEqualTo(200);
    assertThat(status("X-Forwarded-For: 192.0.2.200")).isEqualTo(429);
    assertThat(status("X-Forwarded-For: 192.0.3.1")).isEqualTo(200);
    assertThat(status("X-Forwarded-For: 2001:db8:1::1")).isEqualTo(200);
    assertThat(status("X-Forwarded-For: 2001:db8:1:2::1")).isEqualTo(429);
    assertThat(status("X-Forwarded-For: 2001:db8:2::1")).isEqualTo(200);
  }

  @Test
  void anAddressOfIpv6IsItsFirst64Bits() throws Exception {
    start("loligo_request_rate a rate=1/s key=address", "follow_x_forwarded_for allow all");
    assertThat(status("X-Forwarded-For: 2001:db8:1:2::1")).isEqualTo(200);
    assertThat(status("X-Forwarded-For: 2001:db8:1:2:3::9")).isEqualTo(429);
    assertThat(status("X-Forwarded-For: 2001:db8:1:3::1")).isEqualTo(200);
  }

  @Test
  void aFieldIsAKeyAndRequestsWithoutItHaveNoLimit() throws Exception {
    start("loligo_request_rate a rate=1/s key=header:X-Key");
    assertThat(status("X-Key: one")).isEqualTo(200);
    assertThat(status("X-Key: one")).isEqualTo(429);
    assertThat(status("X-Key: two")).isEqualTo(200);
    String first = "y".repeat(256);
    assertThat(status("X-Key: " + first + "1")).isEqualTo(200);
    assertThat(status("X-Key: " + first + "2")).as("the same 256 characters").isEqualTo(429);
    for (int i = 0; i < 3; i++) {
      assertThat(status()).isEqualTo(200);
    }
  }

  @Test
  void aUserIsAKeyOnWhateverMachine() throws Exception {
    Path users = LoginFile.write(dir.resolve("users"), "bob:secret", "alice:wonder");
    start(
        "auth_param basic program /usr/lib/squid/basic_ncsa_auth " + users,
        "acl known proxy_auth REQUIRED",
        "http_access allow known",
        "loligo_request_rate a rate=1/s key=user");
    assertThat(status(LoginFile.line("bob:secret"))).isEqualTo(200);
    try (RawClient other = RawClient.connectFrom("127.0.0.2", proxy.port())) {
      other.get(origin.url("/a"), LoginFile.line("bob:secret"));
      assertThat(other.response().status()).isEqualTo(429);
    }
    assertThat(status(LoginFile.line("alice:wonder"))).isEqualTo(200);
    assertThat(status()).isEqualTo(407);
  }

  @Test
  void aRateLimitsTheRequestsOfItsList() throws Exception {
    start(
        "acl b urlpath_regex ^/b",
        "loligo_request_rate a rate=1/s key=address",
        "loligo_request_rate_access a allow b");
    for (int i = 0; i < 3; i++) {
      assertThat(status()).isEqualTo(200);
    }
    assertThat(get("/b").status()).isEqualTo(200);
    assertThat(get("/b").status()).isEqualTo(429);
  }

  @Test
  void allRatesHold() throws Exception {
    start(
        "loligo_request_rate a rate=5/s key=address",
        "loligo_request_rate b rate=1/s key=header:X-Key");
    assertThat(status("X-Key: one")).isEqualTo(200);
    assertThat(status("X-Key: one")).isEqualTo(429);
    for (int i = 0; i < 3; i++) {
      assertThat(status()).isEqualTo(200);
    }
    assertThat(status()).isEqualTo(429);
  }

  @Test
  void streamsOfHttp2CountToo() throws Exception {
    start(
        "loligo_request_rate a rate=2/s key=address",
        "http_port 127.0.0.1:0 accel h2c",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver");
    try (Http2Client client = Http2Client.connect(proxy.port())) {
      for (int stream = 1; stream <= 5; stream += 2) {
        client.get(stream, "site.example", "/b");
        assertThat(client.response(stream).status()).isEqualTo(stream < 5 ? 200 : 429);
      }
    }
  }
}
