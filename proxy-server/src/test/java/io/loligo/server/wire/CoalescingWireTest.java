package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Many clients request one object that is not stored yet. */
class CoalescingWireTest extends WireTest {
  private static final int CLIENTS = 20;
  private static final String FRESH = "Cache-Control: max-age=1000\r\n";

  @Override
  int eventLoops() {
    return 2;
  }

  private final CountDownLatch release = new CountDownLatch(1);

  /** Sends head and "first", waits, then sends "rest!". */
  private void inTwoParts(String path, String lines) {
    origin.on(
        path,
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n" + lines + "\r\nfirst");
          await(release);
          call.send("rest!");
        });
  }

  private List<RawClient> clientsAskingFor(String path, int count) throws IOException {
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      clients.add(client().get(origin.url(path)));
    }
    return clients;
  }

  @Test
  void fetchesOnceForManyClientsThatReadWhileItArrives() throws Exception {
    startProxy();
    inTwoParts("/one", FRESH);
    List<RawClient> clients = clientsAskingFor("/one", CLIENTS);
    for (RawClient client : clients) {
      String head = client.responseHead();
      assertThat(client.readContent(head, 5)).isEqualTo("first");
    }
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.read(5)).isEqualTo("rest!");
    }
    assertThat(origin.fetches("/one")).isEqualTo(1);
    WireMessage later = get("/one");
    assertHit(later);
    assertThat(later.text()).isEqualTo("firstrest!");
    List<String> log = stopAndReadLog();
    assertThat(log).hasSize(CLIENTS + 1);
    assertThat(log.stream().filter(line -> line.contains(" TCP_MISS/200 "))).hasSize(1);
    assertThat(log.stream().filter(line -> line.contains(" TCP_CF_"))).hasSize(CLIENTS - 1);
  }

  @Test
  void aCompletelyDeliveredResponseIsStored() throws Exception {
    startProxy();
    for (int i = 0; i < 50; i++) {
      String path = "/o" + i;
      origin.onOk(path, "0123456789", "Cache-Control: max-age=1000");
      assertThat(get(path).text()).isEqualTo("0123456789");
      assertThat(get(path, "Range: bytes=2-3").text()).isEqualTo("23");
      assertThat(origin.fetches(path)).isEqualTo(1);
    }
  }

  @Test
  void saysInCacheStatusThatItWasCollapsed() throws Exception {
    startProxy();
    inTwoParts("/one", FRESH);
    RawClient first = client().get(origin.url("/one"));
    first.readContent(first.responseHead(), 5);
    RawClient second = client().get(origin.url("/one"));
    assertThat(WireMessage.field(second.responseHead(), "Cache-Status")).contains("collapsed");
    release.countDown();
  }

  @Test
  void joinsBeforeTheHeadArrives() throws Exception {
    startProxy("loligo_event_loops 1");
    origin.on(
        "/head",
        call -> {
          await(release);
          call.ok("shared", "Cache-Control: max-age=1000");
        });
    origin.onOk("/barrier", "x");
    List<RawClient> clients = clientsAskingFor("/head", CLIENTS);
    // each client's request was read before an exchange that began after it has ended
    get("/barrier");
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().text()).isEqualTo("shared");
    }
    assertThat(origin.fetches("/head")).isEqualTo(1);
  }

  /** Without a validator it is fetched as if it had never been there. */
  @Test
  void fetchesAStaleResponseWithoutValidatorOnceForAll() throws Exception {
    PassingTime time = new PassingTime();
    proxy = ProxyUnderTest.start(configuration("loligo_event_loops 1"), time);
    origin.on(
        "/stale",
        call -> {
          if (call.number() > 1) {
            await(release);
          }
          call.ok("shared", "Cache-Control: max-age=10");
        });
    origin.onOk("/barrier", "x");
    get("/stale");
    time.pass(11);
    List<RawClient> clients = clientsAskingFor("/stale", CLIENTS);
    // as above
    get("/barrier");
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().text()).isEqualTo("shared");
    }
    assertThat(origin.fetches("/stale")).isEqualTo(2);
  }

  @Test
  void releasesWaitersAtOnceWhereTheAnswerIsNotShareable() throws Exception {
    startProxy("loligo_event_loops 1");
    CountDownLatch head = new CountDownLatch(1);
    origin.on(
        "/private",
        call -> {
          if (call.number() > 1) {
            call.ok("own", "Cache-Control: private");
            return;
          }
          await(head);
          call.send("HTTP/1.1 200 OK\r\nCache-Control: private\r\nContent-Length: 10\r\n\r\nfirst");
          await(release);
          call.send("rest!");
        });
    origin.onOk("/barrier", "x");
    RawClient first = client().get(origin.url("/private"));
    origin.awaitRequest("/private");
    List<RawClient> waiters = clientsAskingFor("/private", CLIENTS - 1);
    get("/barrier");
    head.countDown();
    for (RawClient waiter : waiters) {
      WireMessage own = waiter.response();
      assertThat(own.text()).isEqualTo("own");
      assertThat(own.field("Cache-Status")).endsWith("fwd-status=200; collapsed=?0");
    }
    release.countDown();
    assertThat(first.response().text()).isEqualTo("firstrest!");
    assertThat(origin.fetches("/private")).isEqualTo(CLIENTS);
  }

  @Test
  void releasesWaitersAtOnceIfAConfirmedResponseIsStaleAtOnce() throws Exception {
    PassingTime time = new PassingTime();
    proxy = ProxyUnderTest.start(configuration("loligo_event_loops 1"), time);
    CountDownLatch others = new CountDownLatch(CLIENTS - 1);
    origin.on(
        "/always",
        call -> {
          if (call.field("If-None-Match") == null) {
            call.ok("x", "Cache-Control: max-age=10", "ETag: \"e\"");
            return;
          }
          if (call.number() == 2) {
            await(release);
          } else {
            // each of them has asked before one is answered
            others.countDown();
            await(others);
          }
          call.send("HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=0\r\nETag: \"e\"\r\n\r\n");
        });
    origin.onOk("/barrier", "x");
    get("/always");
    time.pass(11);
    List<RawClient> clients = clientsAskingFor("/always", CLIENTS);
    get("/barrier");
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().text()).isEqualTo("x");
    }
    assertThat(origin.fetches("/always")).isEqualTo(CLIENTS + 1);
  }

  @Test
  void fetchesAnotherVariantForAWaiterItDoesNotFit() throws Exception {
    startProxy("loligo_event_loops 1");
    CountDownLatch head = new CountDownLatch(1);
    origin.on(
        "/v",
        call -> {
          String language = call.field("Accept-Language");
          if (language.equals("fr")) {
            call.ok("french", "Cache-Control: max-age=1000", "Vary: Accept-Language");
            return;
          }
          await(head);
          call.send(
              "HTTP/1.1 200 OK\r\nVary: Accept-Language\r\n" + FRESH + "Content-Length: 7\r\n\r\n");
          await(release);
          call.send("english");
        });
    origin.onOk("/barrier", "x");
    RawClient english = client().get(origin.url("/v"), "Accept-Language: en");
    origin.awaitRequest("/v");
    RawClient alike = client().get(origin.url("/v"), "Accept-Language: en");
    RawClient french = client().get(origin.url("/v"), "Accept-Language: fr");
    get("/barrier");
    head.countDown();
    assertThat(french.response().text()).isEqualTo("french");
    release.countDown();
    assertThat(english.response().text()).isEqualTo("english");
    assertThat(alike.response().text()).isEqualTo("english");
    assertThat(origin.fetches("/v")).isEqualTo(2);
  }

  @Test
  void aStalledReaderDelaysNobody() throws Exception {
    startProxy("maximum_object_size 64 MB", "maximum_object_size_in_memory 64 MB");
    int size = 24 << 20;
    origin.on(
        "/big",
        call -> {
          call.send("HTTP/1.1 200 OK\r\n" + FRESH + "Content-Length: " + size + "\r\n\r\n");
          byte[] block = new byte[1 << 20];
          for (int sent = 0; sent < size; sent += block.length) {
            call.send(block);
          }
        });
    RawClient stalled = closing(RawClient.connect(proxy.port(), 8192)).get(origin.url("/big"));
    stalled.responseHead();
    for (int i = 0; i < 3; i++) {
      assertThat(get("/big").body()).hasSize(size);
    }
    assertThat(origin.fetches("/big")).isLessThanOrEqualTo(2);
  }

  @Test
  void goesOnForOthersWhereTheFirstClientLeaves() throws Exception {
    startProxy("quick_abort_min 0 KB", "quick_abort_max 0 KB");
    inTwoParts("/leave", FRESH);
    RawClient first = client().get(origin.url("/leave"));
    first.readContent(first.responseHead(), 5);
    RawClient second = client().get(origin.url("/leave"));
    second.readContent(second.responseHead(), 5);
    first.reset();
    origin.onOk("/barrier", "x");
    get("/barrier");
    release.countDown();
    assertThat(second.read(5)).isEqualTo("rest!");
    assertThat(origin.fetches("/leave")).isEqualTo(1);
    List<String> log = stopAndReadLog();
    assertThat(log.stream().filter(line -> line.contains("_ABORTED/200 "))).hasSize(1);
  }

  /** The client that a validation was made for is gone when it comes: others wait for it. */
  @Test
  void validatesForOthersWhereTheFirstClientLeaves() throws Exception {
    PassingTime time = new PassingTime();
    proxy = ProxyUnderTest.start(configuration("loligo_event_loops 1"), time);
    CountDownLatch asked = new CountDownLatch(1);
    origin.on(
        "/tag",
        call -> {
          if (WireMessage.field(call.head(), "If-None-Match") == null) {
            call.ok("tagged", "Cache-Control: max-age=10", "ETag: \"1\"");
          } else {
            asked.countDown();
            await(release);
            call.send("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n");
          }
        });
    origin.onOk("/barrier", "x");
    get("/tag");
    time.pass(11);
    RawClient first = client().get(origin.url("/tag"));
    await(asked);
    RawClient second = client().get(origin.url("/tag"));
    get("/barrier");
    first.reset();
    get("/barrier");
    release.countDown();
    assertThat(second.response().text()).isEqualTo("tagged");
    assertThat(origin.fetches("/tag")).isEqualTo(2);
  }

  @Test
  void neverStoresATruncatedResponse() throws Exception {
    startProxy();
    origin.on(
        "/cut",
        call -> {
          if (call.number() > 1) {
            call.ok("whole", "Cache-Control: max-age=1000");
            return;
          }
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n" + FRESH + "\r\nfirst");
          await(release);
          call.reset();
        });
    RawClient first = client().get(origin.url("/cut"));
    String head = first.responseHead();
    first.readContent(head, 5);
    RawClient second = client().get(origin.url("/cut"));
    second.readContent(second.responseHead(), 5);
    release.countDown();
    assertThat(first.untilClose()).isEmpty();
    assertThat(second.untilClose()).isEmpty();
    assertThat(get("/cut").text()).isEqualTo("whole");
  }

  @Test
  void neverEndsATruncatedChunkedResponse() throws Exception {
    startProxy();
    origin.on(
        "/cut",
        call -> {
          call.send(
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n" + FRESH + "\r\n5\r\nfirst\r\n");
          await(release);
          call.close();
        });
    List<RawClient> clients = clientsAskingFor("/cut", 3);
    for (RawClient client : clients) {
      client.readContent(client.responseHead(), 5);
    }
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.untilClose()).doesNotContain("0\r\n");
    }
    assertThatThrownBy(() -> get("/cut")).isInstanceOf(IOException.class);
    assertThat(origin.fetches("/cut")).isEqualTo(2);
  }

  @Test
  void goesAloneWhereCollapsingIsOff() throws Exception {
    startProxy("collapsed_forwarding off");
    inTwoParts("/alone", FRESH);
    List<RawClient> clients = clientsAskingFor("/alone", 2);
    origin.awaitRequest("/alone");
    origin.awaitRequest("/alone");
    release.countDown();
    for (RawClient client : clients) {
      assertThat(client.response().text()).isEqualTo("firstrest!");
    }
  }

  @Test
  void neverJoinsRequestsWithCredentialsRangeOrNoCache() throws Exception {
    startProxy();
    inTwoParts("/x", FRESH);
    String[] lines = {
      "Authorization: Basic abc",
      "Range: bytes=8-9", // not there yet
      "Cache-Control: no-cache",
      "Cache-Control: no-store"
    };
    client().get(origin.url("/x"));
    origin.awaitRequest("/x");
    for (String line : lines) {
      client().get(origin.url("/x"), line);
      origin.awaitRequest("/x");
    }
    release.countDown();
  }

  @Test
  void finishesADesertedFetchIfQuickAbortSaysSo() throws Exception {
    startProxy("quick_abort_min -1 KB");
    inTwoParts("/finish", FRESH);
    RawClient first = client().get(origin.url("/finish"));
    first.readContent(first.responseHead(), 5);
    first.reset();
    origin.onOk("/barrier", "x");
    get("/barrier");
    release.countDown();
    assertThat(get("/finish").text()).isEqualTo("firstrest!");
    assertThat(origin.fetches("/finish")).isEqualTo(1);
  }

  @Test
  void endsADesertedFetchIfQuickAbortSaysSo() throws Exception {
    startProxy("quick_abort_min 0 KB", "quick_abort_max 0 KB");
    CompletableFuture<Integer> ended = new CompletableFuture<>();
    origin.on(
        "/end",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n" + FRESH + "\r\nfirst");
          try {
            ended.complete(call.in().read());
          } catch (IOException reset) {
            ended.complete(-1);
          }
          call.close();
        });
    RawClient first = client().get(origin.url("/end"));
    first.readContent(first.responseHead(), 5);
    first.reset();
    assertThat(ended.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS)).isEqualTo(-1);
  }
}
