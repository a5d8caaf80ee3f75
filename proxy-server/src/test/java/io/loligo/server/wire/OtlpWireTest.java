package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.CapturedLog;
import io.loligo.server.Waiting;
import io.loligo.server.accesslog.StrictJson;
import io.loligo.server.time.TimeSource;
import io.loligo.server.trace.SpanSender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces: traceparent to the next hop, and spans to a collector of OpenTelemetry. */
class OtlpWireTest extends WireTest {
  private static final String OTLP = "loligo_otlp http://127.0.0.1:";
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";
  private static final String SAMPLED = "traceparent: 00-" + TRACE + "-" + SPAN + "-01";

  /** The machine's clocks; spans are sent, however long that takes. */
  private static final TimeSource UNHURRIED =
      new TimeSource() {
        @Override
        public long nanos() {
          return SYSTEM.nanos();
        }

        @Override
        public long millis() {
          return SYSTEM.millis();
        }

        @Override
        public long blockingMillis(long millis) {
          return RawClient.GUARD_MILLIS;
        }
      };

  private final LinkedBlockingQueue<WireMessage> received = new LinkedBlockingQueue<>();
  private final CapturedLog log = closing(new CapturedLog(SpanSender.class));
  private ScriptedOrigin collector;
  private final HeldTime time = new HeldTime();
  private volatile String status = "200 OK";

  /** Answers in place of {@link #status}; null: that is sent. */
  private volatile ScriptedOrigin.Script script;

  @BeforeEach
  void startCollector() throws IOException {
    collector = closing(ScriptedOrigin.start());
    collector.otherwise(
        call -> {
          received.add(call.whole());
          ScriptedOrigin.Script now = script;
          if (now != null) {
            now.answer(call);
          } else {
            call.send(ScriptedOrigin.response(status, "{}", "Content-Type: application/json"));
          }
        });
  }

  private void start(String... lines) throws Exception {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add(OTLP + collector.port());
    startProxy(UNHURRIED, all.toArray(String[]::new));
  }

  /** The same, by {@code clock}. */
  private void start(HeldTime clock) throws Exception {
    startProxy(clock, OTLP + collector.port());
  }

  /** Stops the proxy, which sends what waits: all spans, by their names and kinds. */
  private List<Map<String, Object>> spans() throws Exception {
    proxy.close();
    List<Map<String, Object>> spans = new ArrayList<>();
    for (WireMessage message : received) {
      assertThat(message.head()).startsWith("POST /v1/traces HTTP/1.1\r\n");
      assertThat(message.field("Content-Type")).isEqualTo("application/json");
      Map<String, Object> whole = StrictJson.object(message.text().getBytes(ISO_8859_1));
      Map<String, Object> resource = only(whole, "resourceSpans");
      assertThat(attributes(object(resource, "resource")))
          .containsEntry("service.name", "loligo")
          .containsEntry("host.name", "proxy.test");
      Map<String, Object> scope = only(resource, "scopeSpans");
      assertThat(object(scope, "scope")).containsEntry("name", "io.loligo");
      spans.addAll(list(scope, "spans"));
    }
    return spans;
  }

  @SuppressWarnings("unchecked") // names in JSON are strings
  private static List<Map<String, Object>> list(Map<String, Object> in, String name) {
    return (List<Map<String, Object>>) in.get(name);
  }

  private static Map<String, Object> only(Map<String, Object> in, String name) {
    assertThat(list(in, name)).hasSize(1);
    return list(in, name).get(0);
  }

  @SuppressWarnings("unchecked") // names in JSON are strings
  private static Map<String, Object> object(Map<String, Object> in, String name) {
    return (Map<String, Object>) in.get(name);
  }

  /** The attributes of a span or a resource; each value has one member, a string. */
  private static Map<String, String> attributes(Map<String, Object> of) {
    Map<String, String> all = new LinkedHashMap<>();
    for (Map<String, Object> one : list(of, "attributes")) {
      assertThat(one).containsOnlyKeys("key", "value");
      Map<String, Object> value = object(one, "value");
      assertThat(value).hasSize(1);
      assertThat(value.keySet()).isSubsetOf("stringValue", "intValue");
      all.put((String) one.get("key"), (String) value.values().iterator().next());
    }
    return all;
  }

  private static long nanos(Map<String, Object> span, String name) {
    return Long.parseLong((String) span.get(name));
  }

  private static int number(Map<String, Object> span, String name) {
    return ((Number) span.get(name)).intValue();
  }

  // ---- spans

  @Test
  void aSampledMissHasSpansOfExchangeAndFetch() throws Exception {
    start();
    origin.onOk("/page?secret=1", "content", FRESH);
    assertThat(get("/page?secret=1", SAMPLED, "tracestate: a=1").status()).isEqualTo(200);
    String sent = origin.lastRequest().field("traceparent");
    assertThat(origin.lastRequest().field("tracestate")).isEqualTo("a=1");
    assertThat(origin.lastRequest().head()).containsOnlyOnce("traceparent");
    List<Map<String, Object>> spans = spans();
    assertThat(spans).hasSize(2);
    Map<String, Object> exchange = spans.get(0);
    Map<String, Object> fetch = spans.get(1);
    assertThat(spans)
        .allSatisfy(
            span ->
                assertThat(span)
                    .containsOnlyKeys(
                        "traceId",
                        "spanId",
                        "parentSpanId",
                        "flags",
                        "name",
                        "kind",
                        "startTimeUnixNano",
                        "endTimeUnixNano",
                        "attributes",
                        "status")
                    .containsEntry("traceId", TRACE)
                    .containsEntry("name", "GET"));
    assertThat(exchange).containsEntry("parentSpanId", SPAN);
    assertThat(fetch).containsEntry("parentSpanId", exchange.get("spanId"));
    assertThat(sent).isEqualTo("00-" + TRACE + "-" + fetch.get("spanId") + "-01");
    assertThat(number(exchange, "kind")).as("SERVER").isEqualTo(2);
    assertThat(number(fetch, "kind")).as("CLIENT").isEqualTo(3);
    assertThat(object(exchange, "status")).isEmpty();
    assertThat(attributes(exchange))
        .containsEntry("http.request.method", "GET")
        .containsEntry("url.scheme", "http")
        .containsEntry("url.path", "/page")
        .containsEntry("server.address", "127.0.0.1")
        .containsEntry("server.port", "" + origin.port())
        .containsEntry("http.response.status_code", "200")
        .containsEntry("client.address", "127.0.0.1")
        .containsEntry("network.protocol.version", "1.1")
        .containsEntry("loligo.class", "miss")
        .containsKey("loligo.request_id")
        .doesNotContainKey("error.type");
    assertThat(attributes(fetch))
        .containsEntry("url.full", origin.url("/page"))
        .containsEntry("network.peer.address", "127.0.0.1")
        .containsEntry("network.peer.port", "" + origin.port())
        .containsEntry("http.response.status_code", "200");
    long begin = nanos(exchange, "startTimeUnixNano");
    assertThat(nanos(fetch, "startTimeUnixNano")).isGreaterThanOrEqualTo(begin);
    assertThat(nanos(fetch, "endTimeUnixNano")).isGreaterThan(nanos(fetch, "startTimeUnixNano"));
    assertThat(nanos(exchange, "endTimeUnixNano")).isGreaterThan(begin);
    assertThat(System.currentTimeMillis() * 1_000_000 - begin).isBetween(0L, 60_000_000_000L);
  }

  @Test
  void aHitHasASpanOfTheExchangeOnly() throws Exception {
    start();
    origin.onOk("/page", "content", FRESH);
    get("/page");
    assertHit(get("/page", SAMPLED));
    List<Map<String, Object>> spans = spans();
    assertThat(spans).hasSize(1);
    assertThat(attributes(spans.get(0))).containsEntry("loligo.class", "memory_hit");
  }

  @Test
  void aRequestThatSharesAFetchHasNoSpanOfIt() throws Exception {
    start();
    CountDownLatch release = new CountDownLatch(1);
    origin.on(
        "/page",
        call -> {
          call.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n" + FRESH + "\r\n\r\nfirst");
          await(release);
          call.send("rest!");
        });
    RawClient first = client().get(origin.url("/page"));
    assertThat(first.readContent(first.responseHead(), 5)).isEqualTo("first");
    RawClient second = client().get(origin.url("/page"), SAMPLED);
    assertThat(second.readContent(second.responseHead(), 5)).isEqualTo("first");
    release.countDown();
    assertThat(second.read(5)).isEqualTo("rest!");
    assertThat(origin.fetches("/page")).isEqualTo(1);
    assertThat(spans()).hasSize(1);
  }

  @Test
  void aReadFromDiskHasASpan() throws Exception {
    List<FakeDisk> disks = new ArrayList<>();
    proxy =
        ProxyUnderTest.startSeen(
            configuration(OTLP + collector.port()),
            store -> {
              disks.add(new FakeDisk(store));
              return disks.get(0);
            },
            UNHURRIED);
    origin.onOk("/page", "content", FRESH);
    get("/page");
    disks.get(0).onDisk = true;
    assertHit(get("/page", SAMPLED));
    Map<Object, Map<String, Object>> spans =
        spans().stream().collect(Collectors.toMap(span -> span.get("name"), span -> span));
    assertThat(spans).containsKeys("GET", "disk read");
    assertThat(number(spans.get("disk read"), "kind")).as("INTERNAL").isEqualTo(1);
    assertThat(spans.get("disk read"))
        .containsEntry("parentSpanId", spans.get("GET").get("spanId"));
  }

  @Test
  void aFailedFetchIsAnError() throws Exception {
    start();
    int nowhere = ProxyProcess.freePort();
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.get("http://127.0.0.1:" + nowhere + "/", SAMPLED).response();
    }
    List<Map<String, Object>> spans = spans();
    assertThat(spans)
        .hasSize(2)
        .allSatisfy(span -> assertThat(number(object(span, "status"), "code")).isEqualTo(2))
        .allSatisfy(
            span -> assertThat(attributes(span)).containsEntry("error.type", "ERR_CONNECT_FAIL"));
  }

  // ---- no spans

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00-" + TRACE + "-" + SPAN + "-00",
        "00-" + TRACE + "-0000000000000000-01",
        "ff-" + TRACE + "-" + SPAN + "-01",
        "nothing"
      })
  void otherRequestsPassUnchangedAndHaveNoSpan(String value) throws Exception {
    start();
    origin.onOk("/page", "content");
    get("/page", "traceparent: " + value);
    assertThat(origin.lastRequest().field("traceparent")).isEqualTo(value);
    assertThat(spans()).isEmpty();
  }

  @Test
  void aRequestWithoutATraceStartsNone() throws Exception {
    start();
    origin.onOk("/page", "content");
    get("/page");
    assertThat(origin.lastRequest().head()).doesNotContainIgnoringCase("traceparent");
    assertThat(spans()).isEmpty();
  }

  @Test
  void withoutTheDirectiveTheFieldIsNotTouched() throws Exception {
    startProxy();
    origin.onOk("/page", "content");
    get("/page", SAMPLED);
    assertThat("traceparent: " + origin.lastRequest().field("traceparent")).isEqualTo(SAMPLED);
    assertThat(spans()).isEmpty();
  }

  // ---- failures

  /** The next request that the collector got. */
  private WireMessage taken() throws InterruptedException {
    WireMessage next = received.poll(RawClient.GUARD_MILLIS, TimeUnit.MILLISECONDS);
    assertThat(next).as("a request to the collector").isNotNull();
    return next;
  }

  /** All exchanges so far are sent, and no more time has passed. */
  private void gather() throws Exception {
    awaitLoop();
    time.passTimeouts(1_000);
  }

  /** Each of these happens once; then the collector takes spans. */
  static Stream<ScriptedOrigin.Script> failures() {
    return Stream.of(
        call -> call.send(ScriptedOrigin.response("429 Too Many Requests", "")),
        call -> call.send(ScriptedOrigin.response("502 Bad Gateway", "")),
        call -> call.send(ScriptedOrigin.response("503 Service Unavailable", "")),
        call -> call.send(ScriptedOrigin.response("504 Gateway Timeout", "")),
        ScriptedOrigin.Call::close);
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aBatchThatFailsIsSentAgainAfterAWhile(ScriptedOrigin.Script failure) throws Exception {
    script = failure;
    start(time);
    origin.onOk("/page", "content", FRESH);
    get("/page", SAMPLED);
    gather();
    String first = taken().text();
    assertThat(metrics()).contains("dropped_total 0.0", "sent_total 0.0");
    assertThat(log.lines()).hasSize(1);
    assertThat(log.lines().get(0))
        .contains("those of 1 exchanges wait", "loligo_otlp off", "/v1/traces");
    script = null;
    time.passTimeouts(400);
    assertThat(received).as("half of the back-off at least").isEmpty();
    time.passTimeouts(600);
    assertThat(taken().text()).isEqualTo(first);
    assertThat(metrics()).contains("dropped_total 0.0", "sent_total 1.0");
  }

  @Test
  void retryAfterIsObeyed() throws Exception {
    script =
        call ->
            call.send(ScriptedOrigin.response("503 Service Unavailable", "", "Retry-After: 30"));
    start(time);
    origin.onOk("/page", "content", FRESH);
    get("/page", SAMPLED);
    gather();
    taken();
    script = null;
    time.passTimeouts(29_900);
    assertThat(received).isEmpty();
    time.passTimeouts(100);
    assertThat(received).hasSize(1);
  }

  @Test
  void spansThatTheCollectorRefusesAreDropped() throws Exception {
    status = "400 Bad Request";
    start(time);
    origin.onOk("/page", "content", FRESH);
    get("/page", SAMPLED);
    gather();
    taken();
    assertThat(metrics()).contains("dropped_total 1.0", "sent_total 0.0");
    time.passTimeouts(3_000);
    assertThat(received).as("never sent again").isEmpty();
    assertThat(log.lines()).hasSize(1);
    assertThat(log.lines().get(0)).contains("status 400", "loligo_otlp off");
  }

  // ---- reload

  private void reload(String... lines) {
    assertThat(proxy.reload(configuration(lines)).later()).isEmpty();
  }

  @Test
  void aReloadTurnsSpansOnAndElsewhereAndOff() throws Exception {
    startProxy(time);
    origin.onOk("/page", "content", FRESH);
    get("/page", SAMPLED);
    reload(OTLP + collector.port());
    get("/page", SAMPLED);
    gather();
    assertThat(received).hasSize(1);
    get("/page", SAMPLED);
    awaitLoop(); // the spans are offered: they are sent before the sender ends
    ScriptedOrigin other = closing(ScriptedOrigin.start());
    other.onOk("/v1/traces", "{}");
    reload(OTLP + other.port());
    assertThat(received).hasSize(2);
    get("/page", SAMPLED);
    gather();
    assertThat(other.fetches("/v1/traces")).isEqualTo(1);
    reload();
    get("/page", SAMPLED);
    origin.onOk("/other", "content");
    get("/other", SAMPLED);
    assertThat("traceparent: " + origin.lastRequest().field("traceparent")).isEqualTo(SAMPLED);
    assertThat(metrics()).contains("dropped_total 0.0", "sent_total 3.0");
    assertThat(spans()).hasSize(2);
    assertThat(other.fetches("/v1/traces")).isEqualTo(1);
  }

  @Test
  void aReloadThatKeepsTheCollectorKeepsWhatWaits() throws Exception {
    start(time);
    origin.onOk("/page", "content", FRESH);
    get("/page", SAMPLED);
    awaitLoop();
    reload(OTLP + collector.port(), "forwarded_for delete");
    assertThat(received).isEmpty();
    get("/page", SAMPLED);
    gather();
    assertThat(received).hasSize(1);
    assertThat(metrics()).contains("sent_total 2.0");
  }

  // ---- fetches in the background

  private static final String STALE = "Cache-Control: max-age=10, stale-while-revalidate=60";

  /** A stored response, which is stale by now. */
  private void storeStale() throws Exception {
    start(time);
    origin.onOk("/page", "content", STALE, "ETag: \"v1\"");
    get("/page");
    time.pass(20);
  }

  /** Asks for it as a sampled request: all spans once the validation is over. */
  private List<Map<String, Object>> validate(String... lines) throws Exception {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add(SAMPLED);
    assertThat(get("/page", all.toArray(String[]::new)).field("Cache-Status")).contains("hit");
    origin.awaitRequest("/page");
    origin.awaitRequest("/page");
    Waiting.until("the validation is over", () -> waiting() == 2);
    return spans();
  }

  /** Exchanges and fetches whose spans a proxy would send now. */
  private long waiting() throws Exception {
    time.passTimeouts(1_200);
    return (long) metric("sent_total");
  }

  private double metric(String name) throws IOException {
    return Double.parseDouble(
        metrics().replaceAll("(?s).*\nloligo_otlp_exchanges_" + name + " (\\S+).*", "$1"));
  }

  private static Map<String, Object> background(List<Map<String, Object>> spans) {
    return spans.stream().filter(span -> span.containsKey("links")).findFirst().orElseThrow();
  }

  @Test
  void aValidationInTheBackgroundHasATraceOfItsOwnWithALink() throws Exception {
    storeStale();
    List<Map<String, Object>> spans = validate("tracestate: a=1");
    assertThat(spans).hasSize(2);
    Map<String, Object> fetch = background(spans);
    Map<String, Object> exchange = spans.get(1 - spans.indexOf(fetch));
    assertThat(exchange).containsEntry("traceId", TRACE);
    assertThat(attributes(exchange)).containsEntry("loligo.class", "stale_hit");
    assertThat(fetch)
        .containsOnlyKeys(
            "traceId",
            "spanId",
            "flags",
            "links",
            "name",
            "kind",
            "startTimeUnixNano",
            "endTimeUnixNano",
            "attributes",
            "status")
        .containsEntry("name", "GET");
    assertThat(number(fetch, "kind")).as("CLIENT").isEqualTo(3);
    assertThat((String) fetch.get("traceId")).matches("[0-9a-f]{32}").isNotEqualTo(TRACE);
    assertThat(only(fetch, "links"))
        .containsOnlyKeys("traceId", "spanId", "flags")
        .containsEntry("traceId", TRACE)
        .containsEntry("spanId", exchange.get("spanId"));
    assertThat(object(fetch, "status")).isEmpty();
    assertThat(attributes(fetch))
        .containsEntry("url.full", origin.url("/page"))
        .containsEntry("network.peer.port", "" + origin.port())
        .containsEntry("http.response.status_code", "200")
        .containsEntry("loligo.request_id", attributes(exchange).get("loligo.request_id"));
    assertThat(nanos(fetch, "endTimeUnixNano")).isGreaterThan(nanos(fetch, "startTimeUnixNano"));
    WireMessage sent = origin.lastRequest();
    assertThat(sent.field("If-None-Match")).isEqualTo("\"v1\"");
    assertThat(sent.field("traceparent"))
        .isEqualTo("00-" + fetch.get("traceId") + "-" + fetch.get("spanId") + "-01");
    assertThat(sent.head()).containsOnlyOnce("traceparent").doesNotContain("tracestate");
  }

  @Test
  void aFailedValidationInTheBackgroundIsAnError() throws Exception {
    storeStale();
    origin.on("/page", ScriptedOrigin.Call::close);
    Map<String, Object> fetch = background(validate());
    assertThat(number(object(fetch, "status"), "code")).isEqualTo(2);
    assertThat(attributes(fetch)).containsEntry("error.type", "ERR_ZERO_SIZE_OBJECT");
  }

  @Test
  void aConfirmedResponseInTheBackgroundHasStatus304() throws Exception {
    storeStale();
    origin.on("/page", call -> call.send("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n"));
    assertThat(attributes(background(validate())))
        .containsEntry("http.response.status_code", "304");
  }

  @Test
  void aValidationForARequestThatIsNotSampledPassesItsFieldOn() throws Exception {
    storeStale();
    String other = SAMPLED.substring("traceparent: ".length()).replaceAll("1$", "0");
    get("/page", "traceparent: " + other, "tracestate: a=1");
    origin.awaitRequest("/page");
    origin.awaitRequest("/page");
    assertThat(origin.lastRequest().field("traceparent")).isEqualTo(other);
    assertThat(origin.lastRequest().field("tracestate")).isEqualTo("a=1");
    assertThat(spans()).isEmpty();
  }

  // ---- counts

  private String metrics() throws IOException {
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      return client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").response().text();
    }
  }

  @Test
  void aCollectorThatIsNotThereGetsOneLine() throws Exception {
    startProxy(UNHURRIED, OTLP + ProxyProcess.freePort() + "/own/path");
    origin.onOk("/page", "content", FRESH);
    assertThat(get("/page", SAMPLED).status()).isEqualTo(200);
    proxy.close();
    assertThat(log.lines()).hasSize(1);
    assertThat(log.lines().get(0)).contains("/own/path", "spans of 1 exchanges were dropped");
  }
}
