package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.store.Store;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A response is fetched once, whether a further request comes while the response arrives, while it
 * is written to the disk, or between the two. The origin answers each further request with 503.
 */
class DiskOnlyWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String DATED = "Last-Modified: Sat, 01 Jan 2022 00:00:00 GMT";
  private static final String[] HEAD_LINES = {FRESH, "ETag: \"a\"", DATED};

  /** Where the response will be stored. */
  private enum Tier {
    MEMORY,
    DISK
  }

  /** A request that may be answered with the response that another has fetched, and its status. */
  private enum Kind {
    PLAIN("GET", 200),
    HEAD("HEAD", 200),
    MAX_AGE("GET", 200, "Cache-Control: max-age=100"),
    TAG("GET", 304, "If-None-Match: \"b\", \"a\""),
    OTHER_TAG("GET", 200, "If-None-Match: \"b\""),
    DATE("GET", 304, "If-Modified-Since: Sat, 01 Jan 2022 00:00:00 GMT"),
    EARLIER_DATE("GET", 200, "If-Modified-Since: Fri, 01 Jan 2021 00:00:00 GMT"),
    HEAD_WITH_TAG("HEAD", 304, "If-None-Match: \"a\""),
    RANGE("GET", 206, "Range: bytes=1-2"),
    LAST_BYTES("GET", 206, "Range: bytes=-2"),
    GUARDED_RANGE("GET", 206, "Range: bytes=1-2", "If-Range: \"a\""),
    GUARDED_BY_OTHER("GET", 200, "Range: bytes=1-2", "If-Range: \"b\""),
    BEYOND("GET", 416, "Range: bytes=100000000-"),
    RANGE_WITH_TAG("GET", 304, "Range: bytes=1-2", "If-None-Match: \"a\"");

    private final String method;
    private final int status;
    private final String lines;

    Kind(String method, int status, String... lines) {
      this.method = method;
      this.status = status;
      this.lines = String.join("\n", lines);
    }

    boolean hasRange() {
      return lines.startsWith("Range");
    }

    String[] fieldLines() {
      return lines.isEmpty() ? new String[0] : lines.split("\n", -1);
    }

    /** The part of {@code content} in the response. */
    String part(String content) {
      if (method.equals("HEAD") || status == 304) {
        return "";
      }
      return switch (this) {
        case RANGE, GUARDED_RANGE -> content.substring(1, 3);
        case LAST_BYTES -> content.substring(content.length() - 2);
        default -> content;
      };
    }
  }

  private final CountDownLatch release = new CountDownLatch(1);

  @Override
  int eventLoops() {
    return 2;
  }

  private String[] lines(Tier tier) {
    return tier == Tier.MEMORY
        ? new String[] {"maximum_object_size_in_memory 2 MB"}
        : new String[] {"cache_mem 0 MB", "cache_dir rock " + dir.resolve("cache") + " 256"};
  }

  private void start(Tier tier) throws Exception {
    startProxy(lines(tier));
    proxy.diskOpened().join();
  }

  private static String response(String content) {
    return ScriptedOrigin.response("200 OK", content, HEAD_LINES);
  }

  private CountDownLatch onOnce(String path, Script script) {
    AtomicBoolean asked = new AtomicBoolean();
    CountDownLatch begun = new CountDownLatch(1);
    origin.on(
        path,
        call -> {
          if (asked.compareAndSet(false, true)) {
            begun.countDown();
            script.answer(call);
          } else {
            call.send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
          }
        });
    return begun;
  }

  /** The first answer. */
  private interface Script {
    void answer(ScriptedOrigin.Call call) throws IOException, InterruptedException;
  }

  private static String content(int bytes) {
    StringBuilder content = new StringBuilder(bytes);
    for (int i = 0; i < bytes; i++) {
      content.append((char) ('a' + i % 23));
    }
    return content.toString();
  }

  private void assertAnswer(Kind kind, WireMessage answer, String content) {
    assertThat(answer.status()).as("%s: %s", kind, answer).isEqualTo(kind.status);
    if (kind != Kind.BEYOND) {
      assertThat(answer.text()).as("%s", kind).isEqualTo(kind.part(content));
    }
  }

  private WireMessage ask(RawClient client, Kind kind, String path) throws IOException {
    return client.request(kind.method, origin.url(path), kind.fieldLines()).responseTo(kind.method);
  }

  /** Requests that come before the response's head wait for it. */
  @ParameterizedTest
  @EnumSource(Tier.class)
  void requestsWaitForTheFetchUnderWay(Tier tier) throws Exception {
    start(tier);
    String content = content(100_000);
    CountDownLatch begun =
        onOnce(
            "/a",
            call -> {
              await(release);
              call.send(response(content));
            });
    RawClient first = client().get(origin.url("/a"));
    origin.awaitRequest("/a");
    await(begun);
    List<RawClient> clients = new ArrayList<>();
    List<Kind> kinds = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      if (!kind.hasRange()) {
        kinds.add(kind);
        clients.add(client().request(kind.method, origin.url("/a"), kind.fieldLines()));
      }
    }
    // all earlier requests have ended when this is answered, on each of the loops
    origin.onOk("/barrier", "x");
    for (int i = 0; i < 8; i++) {
      get("/barrier");
    }
    release.countDown();
    assertThat(first.response().text()).isEqualTo(content);
    for (int i = 0; i < kinds.size(); i++) {
      assertAnswer(kinds.get(i), clients.get(i).responseTo(kinds.get(i).method), content);
    }
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  /** A range that has begun to arrive is answered from the fetch, however long the rest takes. */
  @ParameterizedTest
  @EnumSource(Tier.class)
  void rangesReadWhatHasArrived(Tier tier) throws Exception {
    start(tier);
    String content = content(1_000_000);
    String head = response(content).substring(0, response(content).length() - content.length());
    onOnce(
        "/a",
        call -> {
          call.send(head + content.substring(0, 700_000));
          await(release);
          call.send(content.substring(700_000));
        });
    RawClient first = client().get(origin.url("/a"));
    String answered = first.responseHead();
    assertThat(first.read(700_000)).isEqualTo(content.substring(0, 700_000));
    for (int from : new int[] {0, 1, 65_535, 300_000, 699_990}) {
      WireMessage part = get("/a", "Range: bytes=" + from + "-" + (from + 9));
      assertThat(part.status()).as("from %s", from).isEqualTo(206);
      assertThat(part.text()).isEqualTo(content.substring(from, from + 10));
      assertThat(part.field("Content-Range"))
          .isEqualTo("bytes " + from + "-" + (from + 9) + "/1000000");
    }
    assertThat(get("/a", "Range: bytes=1000000-").status()).isEqualTo(416);
    assertThat(origin.fetches("/a")).isEqualTo(1);
    RawClient across = client().get(origin.url("/a"), "Range: bytes=699999-700008");
    String head206 = across.responseHead();
    assertThat(WireMessage.status(head206)).isEqualTo(206);
    assertThat(across.read(1)).isEqualTo(content.substring(699_999, 700_000));
    assertThat(origin.fetches("/a")).isEqualTo(1);
    // the origin gets requests for ranges that have not begun to arrive, and for several ranges
    assertThat(get("/a", "Range: bytes=700000-700001").status()).isEqualTo(503);
    assertThat(get("/a", "Range: bytes=0-1,5-6").status()).isEqualTo(503);
    release.countDown();
    assertThat(across.read(9)).isEqualTo(content.substring(700_000, 700_009));
    assertThat(WireMessage.status(answered)).isEqualTo(200);
    assertThat(first.read(300_000)).isEqualTo(content.substring(700_000));
  }

  /** Once one client has the whole response, every client finds it, on disk or not yet. */
  @ParameterizedTest
  @ValueSource(ints = {10, 1_000, 70_000, 1_000_000})
  void aCompletelyDeliveredResponseIsNotFetchedAgain(int bytes) throws Exception {
    start(Tier.DISK);
    String content = content(bytes);
    ExecutorService threads = Executors.newFixedThreadPool(Kind.values().length);
    closing(threads::shutdownNow);
    for (int round = 0; round < 30; round++) {
      String path = "/" + round;
      onOnce(path, call -> call.send(response(content)));
      List<RawClient> clients = new ArrayList<>();
      for (Kind kind : Kind.values()) {
        clients.add(RawClient.connect(proxy.port()));
        assertThat(kind.status).isPositive();
      }
      assertThat(get(path).text()).isEqualTo(content);
      List<Future<WireMessage>> answers = new ArrayList<>();
      for (Kind kind : Kind.values()) {
        RawClient client = clients.get(kind.ordinal());
        Callable<WireMessage> asking = () -> ask(client, kind, path);
        answers.add(threads.submit(asking));
      }
      for (Kind kind : Kind.values()) {
        assertAnswer(kind, answers.get(kind.ordinal()).get(), content);
        clients.get(kind.ordinal()).close();
      }
      assertThat(origin.fetches(path)).isEqualTo(1);
    }
  }

  /** A validated response is not fetched again while its head is on the way to the disk. */
  @ParameterizedTest
  @ValueSource(ints = {10, 1_000, 70_000, 1_000_000})
  void aValidatedResponseIsFoundWhileItsHeadIsWritten(int bytes) throws Exception {
    start(Tier.DISK);
    String content = content(bytes);
    RawClient client = client();
    for (int round = 0; round < 30; round++) {
      String path = "/" + round;
      origin.on(
          path,
          call -> {
            if (call.field("If-None-Match") == null) {
              call.send(response(content));
            } else {
              call.send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n" + FRESH + "\r\n\r\n");
            }
          });
      get(path);
      Waiting.until(
          path + " is on disk", () -> get(path).field("Cache-Status").endsWith("detail=disk"));
      WireMessage validated = client.get(origin.url(path), "Cache-Control: no-cache").response();
      assertThat(validated.field("Cache-Status")).as("%s", path).contains("fwd-status=304");
      WireMessage next = client.get(origin.url(path)).response();
      assertThat(next.field("Cache-Status")).as("%s", path).contains("; hit; ");
      assertThat(next.text()).isEqualTo(content);
      assertThat(origin.fetches(path)).as("%s", path).isEqualTo(2);
    }
  }

  /** The response came to the disk, and its fetch ended, between two looks of one request. */
  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"PLAIN", "HEAD", "TAG", "RANGE"})
  void aResponseStoredBetweenTwoLookupsIsNotFetchedAgain(Kind kind) throws Exception {
    AtomicBoolean blind = new AtomicBoolean();
    proxy =
        ProxyUnderTest.startSeen(configuration(lines(Tier.DISK)), store -> blindOnce(store, blind));
    proxy.diskOpened().join();
    String content = content(1_000);
    onOnce("/a", call -> call.send(response(content)));
    get("/a");
    proxy.close();
    proxy =
        ProxyUnderTest.startSeen(configuration(lines(Tier.DISK)), store -> blindOnce(store, blind));
    proxy.diskOpened().join();
    blind.set(true);
    WireMessage answer = ask(client(), kind, "/a");
    assertThat(blind).isFalse();
    assertAnswer(kind, answer, content);
    assertThat(origin.fetches("/a")).isEqualTo(1);
  }

  /** A store that overlooks a response on disk once. */
  private static Store blindOnce(Store store, AtomicBoolean blind) {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              try {
                Object answer = method.invoke(store, arguments);
                boolean hint = method.getName().equals("mayLoad") && (Boolean) answer;
                return hint && blind.getAndSet(false) ? false : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Conditions go to the origin where the awaited response is not shared. */
  @Test
  void conditionsAreSentWhereTheAnswerIsNotShared() throws Exception {
    start(Tier.DISK);
    origin.on(
        "/a",
        call -> {
          if (call.field("If-None-Match") == null) {
            await(release);
            call.ok("own", "Cache-Control: private", "ETag: \"a\"");
          } else {
            call.send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n");
          }
        });
    RawClient first = client().get(origin.url("/a"));
    origin.awaitRequest("/a");
    RawClient second = client().get(origin.url("/a"), "If-None-Match: \"a\"");
    origin.onOk("/barrier", "x");
    for (int i = 0; i < 8; i++) {
      get("/barrier");
    }
    assertThat(origin.fetches("/a")).isEqualTo(1);
    release.countDown();
    assertThat(first.response().text()).isEqualTo("own");
    assertThat(second.response().status()).isEqualTo(304);
    assertThat(origin.fetches("/a")).isEqualTo(2);
  }

  /** The origin gets conditions that only it may judge at once. */
  @ParameterizedTest
  @ValueSource(strings = {"If-Match: \"a\"", "If-Unmodified-Since: Sat, 01 Jan 2022 00:00:00 GMT"})
  void conditionsForTheOriginDoNotWait(String line) throws Exception {
    start(Tier.DISK);
    CountDownLatch begun =
        onOnce(
            "/a",
            call -> {
              await(release);
              call.send(response("abcd"));
            });
    RawClient first = client().get(origin.url("/a"));
    origin.awaitRequest("/a");
    await(begun);
    assertThat(get("/a", line).status()).isEqualTo(503);
    release.countDown();
    assertThat(first.response().text()).isEqualTo("abcd");
  }
}
