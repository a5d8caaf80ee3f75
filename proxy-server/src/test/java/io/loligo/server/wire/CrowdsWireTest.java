package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.loligo.server.Waiting;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.record.Shed;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/**
 * Too many connections, requests, fetches or descriptors: which ones are refused, and which are
 * not.
 */
class CrowdsWireTest extends WireTest {
  private final CountDownLatch answered = new CountDownLatch(1);

  /** The origin answers {@code path} when {@link #answered} is counted down. */
  private void onLater(String path) {
    origin.on(
        path,
        call -> {
          await(answered);
          call.ok(path);
        });
  }

  private long shed(Shed why) {
    return proxy.counted(CounterFamily.SHED, why.ordinal());
  }

  private RawClient waiting(String path) throws Exception {
    RawClient client = client().get(origin.url(path));
    origin.awaitRequest(path);
    return client;
  }

  private void assertShed(WireMessage answer, int status, Shed why) {
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.field("Retry-After")).isEqualTo("1");
    awaitCount(() -> shed(why), 1);
  }

  @Test
  void closesConnectionsBeyondThoseOfAnAddress() throws Exception {
    startProxy("client_ip_max_connections 2");
    origin.onOk("/a", "a");
    RawClient first = client();
    RawClient second = client();
    assertThat(first.get(origin.url("/a")).response().status()).isEqualTo(200);
    assertThat(second.get(origin.url("/a")).response().status()).isEqualTo(200);
    client().expectClose();
    awaitCount(() -> shed(Shed.CLIENT_CONNECTIONS), 1);
    assertThat(first.get(origin.url("/a")).response().status()).isEqualTo(200);
    second.close();
    assertThat(servedSooner()).as("one closed, one served").isTrue();
  }

  /** Connects until the proxy has seen that another connection was closed. */
  private boolean servedSooner() throws IOException {
    for (int i = 0; i < 1_000; i++) {
      try (RawClient client = RawClient.connect(proxy.port())) {
        String head = RawClient.head("GET", origin.url("/a"), "Connection: close");
        client.sendIgnoringReset(head.getBytes(US_ASCII));
        if (client.untilClose().startsWith("HTTP/1.1 200 ")) {
          return true;
        }
      }
    }
    return false;
  }

  @Test
  void answers429BeyondTheRequestsOfAnAddress() throws Exception {
    startProxy("loligo_client_ip_max_requests 2");
    onLater("/1");
    onLater("/2");
    origin.onOk("/3", "3");
    RawClient first = waiting("/1");
    RawClient second = waiting("/2");
    RawClient third = client();
    assertShed(third.get(origin.url("/3")).response(), 429, Shed.CLIENT_REQUESTS);
    answered.countDown();
    assertThat(first.response().text()).isEqualTo("/1");
    assertThat(second.response().text()).isEqualTo("/2");
    assertThat(third.get(origin.url("/3")).response().status()).isEqualTo(200);
  }

  @Test
  void answers503ToWhatMemoryCannotAnswerBeyondTheRequestsOfAll() throws Exception {
    startProxy("loligo_max_requests_in_progress 2");
    origin.onOk("/hit", "hit", "Cache-Control: max-age=100");
    get("/hit");
    onLater("/1");
    onLater("/2");
    RawClient first = waiting("/1");
    RawClient second = waiting("/2");
    assertShed(get("/3"), 503, Shed.REQUESTS);
    assertHit(get("/hit"));
    answered.countDown();
    assertThat(first.response().text()).isEqualTo("/1");
    assertThat(second.response().text()).isEqualTo("/2");
  }

  @Test
  void beginsNoFetchWhereMemoryIsNeededForThoseThatRun() throws Exception {
    startProxy("loligo_transit_memory 1 MB");
    String content = "x".repeat(300_000);
    origin.otherwise(
        call -> {
          await(answered);
          call.ok(content);
        });
    List<RawClient> accepted = new ArrayList<>();
    WireMessage refused = null;
    for (int i = 0; refused == null; i++) {
      assertThat(i).as("fetches within 1 MB").isLessThan(130);
      RawClient client = client().get(origin.url("/" + i));
      refused = arrivedOrRefused(client, "/" + i);
      if (refused == null) {
        accepted.add(client);
      }
    }
    assertShed(refused, 503, Shed.MEMORY);
    answered.countDown();
    assertThat(accepted).hasSizeGreaterThan(100);
    for (RawClient client : accepted) {
      assertThat(client.response().text()).isEqualTo(content);
    }
  }

  /** Null where the request got to the origin; else the answer. */
  private WireMessage arrivedOrRefused(RawClient client, String path) throws Exception {
    Waiting.until(
        path + " is fetched or refused",
        () -> origin.fetches(path) > 0 || client.in().available() > 0);
    return origin.fetches(path) > 0 ? null : client.response();
  }

  @Test
  void letsConnectionsWaitWhereDescriptorsRunOut() throws Exception {
    int connections = 40;
    long open =
        ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getOpenFileDescriptorCount();
    // an eighth is kept back
    startProxy("max_filedescriptors " + (open + connections) * 8 / 7);
    origin.onOk("/a", "a", "Cache-Control: max-age=100");
    get("/a");
    List<RawClient> clients = new ArrayList<>();
    while (proxy.listeningPauses() == 0) {
      assertThat(clients).as("connections accepted").hasSizeLessThan(3 * connections);
      RawClient client = client().get(origin.url("/a"));
      clients.add(client);
      answeredOrPaused(client);
    }
    assertThat(clients).hasSizeGreaterThan(5);
    // a connected client is served, and the admin port has descriptors of its own
    assertThat(clients.get(0).get(origin.url("/a")).response().status()).isEqualTo(200);
    RawClient late = client().get(origin.url("/a"));
    try (RawClient admin = RawClient.connect(proxy.adminPort())) {
      admin.send("GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
      assertThat(admin.response().status()).isEqualTo(200);
    }
    for (RawClient client : clients) {
      client.close();
    }
    assertThat(late.response().status()).isEqualTo(200);
  }

  private void answeredOrPaused(RawClient client) throws Exception {
    Waiting.until(
        "an answer or a pause", () -> client.in().available() > 0 || proxy.listeningPauses() > 0);
    if (client.in().available() > 0) {
      assertThat(client.response().status()).isEqualTo(200);
    }
  }
}
