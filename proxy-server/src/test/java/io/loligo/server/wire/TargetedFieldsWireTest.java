package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Fields for this cache: the ports that obey them, and the peers that never see them (RFC 9213).
 */
@DisplayName("RFC 9213: targeted cache control")
class TargetedFieldsWireTest extends WireTest {
  private static final String[] KEYS = {
    "Surrogate-Key: a b", "xkey: c", "Loligo-Cache-Control: max-age=1000"
  };

  private RawClient accelerator() throws Exception {
    startProxy(
        "http_port 127.0.0.1:0 accel defaultsite=a.example",
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=site");
    return client();
  }

  private static WireMessage ask(RawClient client, String path, String... fieldLines)
      throws Exception {
    return begin(client, path, fieldLines).response();
  }

  private static RawClient begin(RawClient client, String path, String... fieldLines)
      throws Exception {
    StringBuilder request = new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: a.example\r\n");
    for (String line : fieldLines) {
      request.append(line).append("\r\n");
    }
    return client.send(request + "\r\n");
  }

  /** The same site by a port that stands for the origin, the first, and by one that does not. */
  private void both(String... lines) throws Exception {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("http_port 127.0.0.1:0 accel defaultsite=a.example");
    all.add("http_port 127.0.0.1:0");
    all.add("cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=site");
    all.add("never_direct allow all");
    startProxy(all.toArray(String[]::new));
  }

  private WireMessage forward(String path) throws Exception {
    return ask(client(1), "http://a.example" + path);
  }

  @Test
  void aGatewayObeysAndPassesOnTheFieldForAllGateways() throws Exception {
    RawClient client = accelerator();
    origin.onOk("/a", "x", "CDN-Cache-Control: max-age=1000", "Cache-Control: no-store");
    ask(client, "/a");
    WireMessage hit = ask(client, "/a");
    assertHit(hit);
    assertThat(hit.field("CDN-Cache-Control")).isEqualTo("max-age=1000");
    assertThat(hit.field("Cache-Control")).isEqualTo("no-store");
  }

  @Test
  void aForwardProxyObeysItsOwnNameOnly() throws Exception {
    startProxy();
    origin.onOk("/cdn", "x", "CDN-Cache-Control: max-age=1000", "Cache-Control: no-store");
    origin.onOk("/own", "x", "Loligo-Cache-Control: max-age=1000", "Cache-Control: no-store");
    get("/cdn");
    assertForwarded(get("/cdn"), "uri-miss");
    get("/own");
    assertHit(get("/own"));
  }

  /** Cache-Control beside it means nothing, neither when it is stored nor when it is updated. */
  @Test
  void fieldsThatCacheControlNamesStayBesideIt() throws Exception {
    RawClient client = accelerator();
    String named = "Cache-Control: no-cache=\"X-Foo\"";
    origin.on(
        "/a",
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok(
                "x", "CDN-Cache-Control: max-age=10", named, "ETag: \"a\"", "X-Foo: 1", "Age: 100");
          } else {
            call.send(
                "HTTP/1.1 304 Not Modified\r\nCDN-Cache-Control: max-age=1000\r\n"
                    + named
                    + "\r\nX-Foo: 2\r\n\r\n");
          }
        });
    assertThat(ask(client, "/a").field("X-Foo")).isEqualTo("1");
    assertThat(ask(client, "/a").field("X-Foo")).isEqualTo("2");
    WireMessage hit = ask(client, "/a");
    assertHit(hit);
    assertThat(hit.field("X-Foo")).isEqualTo("2");
  }

  @Test
  void aSharedResponseIsValidatedInTheBackgroundOfAnAuthorizedRequest() throws Exception {
    RawClient client = accelerator();
    origin.on(
        "/a",
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok(
                "x",
                "CDN-Cache-Control: public, max-age=1, stale-while-revalidate=1000",
                "Age: 100",
                "ETag: \"a\"");
          } else {
            call.send("HTTP/1.1 304 Not Modified\r\n\r\n");
          }
        });
    ask(client, "/a");
    assertHit(ask(client, "/a", "Authorization: Basic YTpi"));
    awaitCount(() -> origin.fetches("/a"), 2);
  }

  @Test
  void fieldsForThisCacheNeverLeaveIt() throws Exception {
    RawClient client = accelerator();
    origin.onOk("/a", "0123456789", KEYS);
    origin.onOk("/private", "x", "Surrogate-Key: a", "Cache-Control: private");
    assertBare(ask(client, "/private"));
    assertBare(ask(client, "/a"));
    WireMessage hit = ask(client, "/a");
    assertHit(hit);
    assertBare(hit);
    WireMessage part = ask(client, "/a", "Range: bytes=2-4");
    assertThat(part.text()).isEqualTo("234");
    assertBare(part);
    WireMessage parts = ask(client, "/a", "Range: bytes=0-0,9-9");
    assertThat(parts.status()).isEqualTo(206);
    assertBare(parts);
    assertThat(parts.text()).doesNotContain("xkey");
  }

  @Test
  void fieldsForThisCacheNeverLeaveItBesideExtendedLists() throws Exception {
    startProxy();
    origin.onOk("/a", "x", "xkey: c", "Via: 1.1 behind", "Cache-Control: max-age=1000");
    assertBare(get("/a"));
    WireMessage hit = get("/a");
    assertHit(hit);
    assertBare(hit);
    assertThat(hit.fields("Via")).hasSize(2);
  }

  @Test
  void aValidationKeepsFieldsForThisCache() throws Exception {
    RawClient client = accelerator();
    origin.on(
        "/a",
        call -> {
          call.whole();
          if (call.number() == 1) {
            call.ok("x", "ETag: \"1\"", "Loligo-Cache-Control: max-age=1000", "Age: 5000");
          } else {
            call.send("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");
          }
        });
    ask(client, "/a");
    assertBare(ask(client, "/a"));
    WireMessage hit = ask(client, "/a");
    assertHit(hit);
    assertBare(hit);
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  /** A concurrent request at the other port does not get it either. */
  @Test
  void aWaiterOfAnotherKindOfPortFetchesAlone() throws Exception {
    both();
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    origin.on(
        "/a",
        call -> {
          call.whole();
          int number = call.number();
          asked.countDown();
          if (number == 1) {
            await(answer);
          }
          call.ok("v" + number, "CDN-Cache-Control: max-age=1000", "Cache-Control: private");
        });
    RawClient gateway = begin(client(0), "/a");
    await(asked);
    RawClient forward = begin(client(1), "http://a.example/a");
    RawClient along = begin(client(0), "/a");
    // both wait when a later request is answered
    origin.onOk("/b", "b");
    ask(client(0), "/b");
    answer.countDown();
    assertThat(gateway.response().text()).isEqualTo("v1");
    assertThat(along.response().text()).isEqualTo("v1");
    assertThat(forward.response().text()).isEqualTo("v2");
  }

  @Test
  void aResponseForOneKindOfPortsIsSoAfterARestart() throws Exception {
    String disk = "cache_dir rock " + dir.resolve("cache") + " 64";
    both(disk);
    proxy.diskOpened().join();
    origin.onOk("/a", "one", "CDN-Cache-Control: max-age=1000", "Cache-Control: no-store");
    ask(client(0), "/a");
    proxy.close();
    both(disk);
    proxy.diskOpened().join();
    origin.onOk("/a", "two", "CDN-Cache-Control: max-age=1000", "Cache-Control: no-store");
    WireMessage fetched = forward("/a");
    assertThat(fetched.text()).isEqualTo("two");
    assertForwarded(fetched, "uri-miss");
    WireMessage hit = ask(client(0), "/a");
    assertHit(hit);
    assertThat(hit.text()).isEqualTo("one");
  }

  private static void assertBare(WireMessage message) {
    assertThat(message.head())
        .doesNotContainIgnoringCase("surrogate-key")
        .doesNotContainIgnoringCase("xkey")
        .doesNotContainIgnoringCase("loligo-cache-control");
  }
}
