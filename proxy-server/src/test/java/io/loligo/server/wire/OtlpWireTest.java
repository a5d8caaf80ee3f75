package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.CapturedLog;
import io.loligo.server.Waiting;
import io.loligo.server.accesslog.StrictJson;
import io.loligo.server.trace.SpanSender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces: traceparent to the next hop, and spans to a collector of OpenTelemetry. */
class OtlpWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";
  private static final String SAMPLED = "traceparent: 00-" + TRACE + "-" + SPAN + "-01";

  private final LinkedBlockingQueue<WireMessage> received = new LinkedBlockingQueue<>();
  private final CapturedLog log = closing(new CapturedLog(SpanSender.class));
  private ScriptedOrigin collector;
  private String status = "200 OK";

  @BeforeEach
  void startCollector() throws IOException {
    collector = closing(ScriptedOrigin.start());
    collector.otherwise(
        call -> {
          received.add(call.whole());
          call.send(ScriptedOrigin.response(status, "{}", "Content-Type: application/json"));
        });
  }

  private void start(String... lines) throws Exception {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("loligo_otlp http://127.0.0.1:" + collector.port());
    startProxy(all.toArray(String[]::new));
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
            configuration("loligo_otlp http://127.0.0.1:" + collector.port()),
            store -> {
              disks.add(new FakeDisk(store));
              return disks.get(0);
            });
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

  @Test
  void aCollectorThatRefusesGetsOneLineAndIsCounted() throws Exception {
    status = "503 Service Unavailable";
    start();
    origin.onOk("/page", "content", FRESH);
    get("/page", SAMPLED);
    received.take();
    Waiting.until(
        "the loss is counted", () -> metrics().contains("loligo_otlp_exchanges_dropped_total 1.0"));
    get("/page", SAMPLED);
    proxy.close();
    assertThat(log.lines()).hasSize(1);
    assertThat(log.lines().get(0)).contains("status 503", "loligo_otlp off", "/v1/traces");
  }

  @Test
  void countsWhatTheCollectorHasTaken() throws Exception {
    start();
    origin.onOk("/page", "content", FRESH);
    get("/page", SAMPLED);
    received.take();
    Waiting.until(
        "the spans are counted", () -> metrics().contains("loligo_otlp_exchanges_sent_total 1.0"));
    assertThat(metrics()).contains("loligo_otlp_exchanges_dropped_total 0.0");
  }

  private String metrics() throws IOException {
    try (RawClient client = RawClient.connect(proxy.adminPort())) {
      return client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").response().text();
    }
  }

  @Test
  void aCollectorThatIsNotThereGetsOneLine() throws Exception {
    startProxy("loligo_otlp http://127.0.0.1:" + ProxyProcess.freePort() + "/own/path");
    origin.onOk("/page", "content", FRESH);
    assertThat(get("/page", SAMPLED).status()).isEqualTo(200);
    proxy.close();
    assertThat(log.lines()).hasSize(1);
    assertThat(log.lines().get(0)).contains("/own/path", "spans of 1 exchanges were dropped");
  }
}
