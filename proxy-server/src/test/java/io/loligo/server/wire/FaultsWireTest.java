package io.loligo.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.store.Store;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A fault around the proxy, or in it, ends only the requests that depend on it. */
class FaultsWireTest extends WireTest {
  private static final int CLIENTS = 4;
  private static final int RESTARTS = 3;

  /** In place of a status: the answer had begun when the origin went. */
  private static final int CUT = 0;

  private static final String STALE_IF_ERROR = "Cache-Control: max-age=100, stale-if-error=9000";
  private static final String AGED = "Age: 200";

  private ScriptedOrigin at(int port, ScriptedOrigin.Script script) throws IOException {
    return closing(ScriptedOrigin.start(InetAddress.getLoopbackAddress(), port, script));
  }

  // ---- the origin

  /**
   * Both sides of a restart see a POST once at most, and no client waits or gets half an answer.
   */
  @Test
  void anOriginIsRestartedUnderLoad() throws Exception {
    startProxy();
    Map<String, Integer> posts = new ConcurrentHashMap<>();
    ScriptedOrigin.Script script =
        call -> {
          if (call.head().startsWith("POST ")) {
            posts.merge(call.field("X-Number"), 1, Integer::sum);
          }
          call.whole();
          call.ok("whole", "Cache-Control: no-store");
        };
    int port = ProxyProcess.freePort();
    ScriptedOrigin now = at(port, script);
    AtomicInteger answered = new AtomicInteger();
    AtomicInteger over = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    Set<Integer> statuses = ConcurrentHashMap.newKeySet();
    List<Future<?>> running = new ArrayList<>();
    String url = now.url("/");
    try {
      for (int i = 0; i < CLIENTS; i++) {
        int client = i;
        running.add(threads.submit(() -> load(client, url, over, answered, statuses)));
      }
      for (int i = 0; i < RESTARTS; i++) {
        more(answered, running);
        now.stop();
        more(answered, running);
        now = at(port, script);
        more(answered, running);
      }
      over.set(1);
      for (Future<?> client : running) {
        client.get(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
      }
    } finally {
      over.set(1);
      threads.shutdown();
    }
    assertThat(statuses).contains(200, 503).isSubsetOf(200, 502, 503, CUT);
    assertThat(posts.values()).isNotEmpty().allMatch(times -> times == 1);
    try (RawClient client = RawClient.connect(proxy.port())) {
      assertThat(client.get(url).response().text()).isEqualTo("whole");
    }
    assertThat(stopAndReadLog()).hasSize(answered.get() + 1);
  }

  private static void more(AtomicInteger answered, List<Future<?>> running) {
    int enough = answered.get() + 5 * CLIENTS;
    long begin = System.nanoTime();
    while (answered.get() < enough && running.stream().noneMatch(Future::isDone)) {
      Waiting.pause(begin);
    }
  }

  private Void load(
      int number, String url, AtomicInteger over, AtomicInteger answered, Set<Integer> statuses)
      throws IOException {
    RawClient client = RawClient.connect(proxy.port());
    try {
      for (int i = 0; over.get() == 0; i++) {
        String method = i % 3 == 0 ? "POST" : "GET";
        List<String> lines = new ArrayList<>(List.of("X-Number: " + number + "." + i));
        if (method.equals("POST")) {
          lines.add("Content-Length: 0");
        }
        client.request(method, url, lines.toArray(String[]::new));
        boolean last = true;
        try {
          WireMessage answer = client.responseTo(method);
          statuses.add(answer.status());
          assertThat(answer.status() != 200 || answer.text().equals("whole")).isTrue();
          last = "close".equals(answer.field("Connection"));
        } catch (EOFException | SocketException cut) {
          statuses.add(CUT);
        }
        answered.incrementAndGet();
        if (last) {
          client.close();
          client = RawClient.connect(proxy.port());
        }
      }
    } finally {
      client.close();
    }
    return null;
  }

  @Test
  void anIdempotentRequestIsRepeatedIfAKeptConnectionWasGone() throws Exception {
    startProxy();
    origin.onOk("/first", "kept", "Cache-Control: no-store");
    origin.on("/gone", call -> call.close());
    for (String method : List.of("GET", "DELETE", "POST")) {
      int before = (int) origin.fetches("/gone");
      assertThat(get("/first").text()).isEqualTo("kept");
      try (RawClient client = RawClient.connect(proxy.port())) {
        String[] lines = method.equals("POST") ? new String[] {"Content-Length: 0"} : new String[0];
        WireMessage answer = client.request(method, origin.url("/gone"), lines).responseTo(method);
        assertThat(answer.status()).as(method).isEqualTo(502);
      }
      // on the kept connection and on a new one; POST on a new one only
      assertThat(origin.fetches("/gone") - before)
          .as(method)
          .isEqualTo(method.equals("POST") ? 1 : 2);
    }
  }

  // ---- the parent

  @Test
  void aDeadParentIsNoHarmAndComesBack() throws Exception {
    startProxy(
        "cache_peer 127.0.0.1 parent " + origin.port() + " 0 no-query originserver name=up",
        "never_direct allow all");
    origin.onOk("/kept", "old", STALE_IF_ERROR, AGED);
    origin.onOk("/none", "none", "Cache-Control: no-store");
    String kept = "http://site.test/kept";
    String none = "http://site.test/none";
    RawClient client = client();
    assertThat(client.get(kept).response().text()).isEqualTo("old");

    origin.stop();
    for (int i = 0; i < 3; i++) {
      assertThat(client.get(kept).response().text()).isEqualTo("old");
      assertThat(client.get(none).response().status()).isEqualTo(503);
    }
    at(origin.port(), call -> call.ok("back", "Cache-Control: no-store"));

    assertThat(client.get(none).response().text()).isEqualTo("back");
  }

  // ---- names

  @Test
  void withoutDnsWhatMayBeStaleIsServedAndTheRestIsRefused() throws Exception {
    LyingDns dns = closing(new LyingDns());
    LyingDns.Liar truth =
        question ->
            question.send(question.message(0, 0, LyingDns.Entry.a(question.name, 127, 0, 0, 1)));
    dns.on("kept.test", truth).on("strict.test", truth);
    HeldTime time = new HeldTime();
    proxy = ProxyUnderTest.startAsking(dns.address(), configuration(), time);
    origin.onOk("/kept", "old", STALE_IF_ERROR, AGED);
    origin.onOk("/strict", "old", "Cache-Control: max-age=100, must-revalidate", AGED);
    String kept = "http://kept.test:" + origin.port() + "/kept";
    String strict = "http://strict.test:" + origin.port() + "/strict";
    RawClient client = client();
    assertThat(client.get(kept).response().text()).isEqualTo("old");
    assertThat(client.get(strict).response().text()).isEqualTo("old");

    // a reload forgets the names, the connections with them, and no server answers any more
    dns.silent("kept.test").silent("strict.test");
    String changed =
        configuration(
            "dns_timeout 1 minute",
            "dns_retransmit_interval 1 minute",
            "server_persistent_connections off");
    assertThat(proxy.reloadAsking(dns.address(), changed).done()).isTrue();
    for (String url : List.of(strict, kept)) {
      client.get(url);
      dns.awaitUnanswered(url.equals(kept) ? "kept.test" : "strict.test");
      time.passTimeouts(60_200);
      WireMessage answer = client.response();
      if (url.equals(kept)) {
        assertThat(answer.text()).isEqualTo("old");
      } else {
        assertThat(answer.status()).isIn(503, 504);
      }
    }
  }

  // ---- the clock

  @ParameterizedTest
  @ValueSource(longs = {-3_600, 3_600, -86_400 * 400L, 86_400 * 400L})
  void aClockThatIsSetHarmsNobody(long seconds) throws Exception {
    PassingTime time = new PassingTime();
    proxy = ProxyUnderTest.start(configuration(), time);
    AtomicInteger version = new AtomicInteger();
    origin.on("/a", call -> call.ok("v" + version.incrementAndGet(), "Cache-Control: max-age=100"));
    RawClient client = client();
    assertThat(client.get(origin.url("/a")).response().text()).isEqualTo("v1");

    for (long step : List.of(seconds, -seconds, seconds, 50L, -seconds)) {
      time.pass(step);
      WireMessage answer = client.get(origin.url("/a")).response();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.text()).isEqualTo("v" + version.get());
      if (answer.field("Age") != null) {
        assertThat(Long.parseLong(answer.field("Age"))).isBetween(0L, 100L);
      }
    }
    time.pass(101);
    time.pass(Math.abs(seconds));
    assertThat(client.get(origin.url("/a")).response().text())
        .as("stale by any clock")
        .isEqualTo("v" + version.get());
    assertThat(version.get()).isGreaterThan(1);
    assertThat(stopAndReadLog()).hasSize(7);
  }

  // ---- ourselves

  /** A store of which one call fails once, whichever it is told to. */
  private static final class Failing {
    private final AtomicReference<String> armed = new AtomicReference<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    Store around(Store store) {
      return (Store)
          Proxy.newProxyInstance(
              Store.class.getClassLoader(),
              new Class<?>[] {Store.class},
              (self, method, arguments) -> {
                if (armed.compareAndSet(method.getName(), null)) {
                  throw failure.get();
                }
                try {
                  return method.invoke(store, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }

    void arm(String method, Throwable thrown) {
      failure.set(thrown);
      armed.set(method);
    }

    /** Whether the call came. */
    boolean disarm() {
      return armed.getAndSet(null) == null;
    }
  }

  private static Set<String> calls() {
    Set<String> calls = new TreeSet<>();
    for (Method method : Store.class.getMethods()) {
      calls.add(method.getName());
    }
    // not of an exchange
    calls.removeAll(Set.of("close", "tick", "stats", "diskStats", "resize", "clear", "bans"));
    return calls;
  }

  @ParameterizedTest
  @ValueSource(strings = {"fault", "memory"})
  void aFaultEndsOneExchangeAndNothingElse(String kind) throws Exception {
    Failing failing = new Failing();
    proxy = ProxyUnderTest.startSeen(configuration(), failing::around);
    CountDownLatch over = new CountDownLatch(1);
    origin.on(
        "/long",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\nCache-Control: no-store\r\n\r\nhalf");
          await(over);
          call.send("done");
        });
    origin.otherwise(
        call -> {
          call.whole();
          call.ok("body", "Cache-Control: max-age=1000", "Vary: X-V", "ETag: \"e\"");
        });
    RawClient other = client().get(origin.url("/long"));
    String head = other.responseHead();
    other.readContent(head, 4);

    Map<String, String> outcomes = new HashMap<>();
    int number = 0;
    for (String call : calls()) {
      for (String request : List.of("GET", "GET stale", "POST")) {
        String path = "/" + number++;
        if (!request.equals("GET")) {
          get(path);
        }
        failing.arm(
            call,
            kind.equals("fault")
                ? new IllegalStateException("injected")
                : new OutOfMemoryError("injected"));
        String outcome = outcome(request, path);
        if (failing.disarm()) {
          outcomes.merge(call, outcome, (a, b) -> a + " " + b);
        }
        assertThat(get(path).text()).as("after %s of %s", call, request).isEqualTo("body");
      }
    }
    over.countDown();
    assertThat(other.read(4)).isEqualTo("done");

    String answer = kind.equals("fault") ? "500" : "503";
    assertThat(outcomes).as("%s", outcomes).containsKeys("find", "begin", "joinOrBegin");
    assertThat(outcomes.get("find")).contains(answer);
    String counted = kind.equals("fault") ? "ERR_INTERNAL" : "ERR_OVERLOADED";
    assertThat(proxy.errors(counted)).isPositive();
    awaitCount(proxy::transitBytes, 0);
  }

  /** The status, or that the connection was cut; waiting without end fails. */
  private String outcome(String request, String path) throws IOException {
    try (RawClient client = RawClient.connect(proxy.port())) {
      if (request.equals("POST")) {
        client.request("POST", origin.url(path), "Content-Length: 0", "Connection: close");
      } else {
        String control =
            request.equals("GET") ? "Cache-Control: max-stale" : "Cache-Control: max-age=0";
        client.get(origin.url(path), control, "Connection: close");
      }
      String all = client.untilClose();
      return all.isEmpty() ? "cut" : Integer.toString(WireMessage.status(all));
    }
  }
}
