package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.accesslog.StrictJson;
import io.loligo.server.metrics.CounterFamily;
import io.loligo.server.record.HitClass;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code loligo_slow_log}: the requests that took long, each with its id, decision and stages. */
class SlowLogWireTest extends WireTest {
  private final HeldNanos time = new HeldNanos();

  private String slow(String form) {
    return "loligo_slow_log " + form.replace("PLACE", "stdio:" + dir.resolve("slow.log"));
  }

  private void start(String... lines) throws Exception {
    startProxy(time, lines);
    origin.otherwise(call -> call.ok("x", "Cache-Control: max-age=1000"));
    origin.on("/slow", call -> slowly(call, 2_000));
    origin.on("/other", call -> slowly(call, 2_000));
    origin.on("/almost", call -> slowly(call, 1_900));
  }

  private void slowly(ScriptedOrigin.Call call, long millis) throws Exception {
    time.pass(millis);
    call.ok("x", "Cache-Control: max-age=1000");
  }

  private List<String> lines() throws Exception {
    proxy.close();
    return Files.readAllLines(dir.resolve("slow.log"), ISO_8859_1);
  }

  @Test
  void aLineHasIdDecisionAndStages() throws Exception {
    start(slow("2 seconds PLACE"), "loligo_request_id_send allow all");
    get("/almost");
    get("/slow");
    String id = origin.lastRequest().field("X-Request-ID");
    get("/slow");
    assertThat(lines())
        .singleElement()
        .asString()
        .matches(
            "1780401600.000   2000 "
                + id
                + " 127.0.0.1 TCP_MISS/200 GET "
                + origin.url("/slow")
                + " miss fetch/uri_miss HIER_DIRECT/127.0.0.1"
                + " clientConnect:0,acl:0,.*serverFirstByte:\\d+,.*total:2000000");
  }

  @Test
  void aClassAndRulesChoose() throws Exception {
    start(
        "acl other urlpath_regex ^/other",
        slow("500 milliseconds memory_hit error PLACE"),
        slow("500 milliseconds uncacheable miss PLACE other"),
        slow("500 milliseconds PLACE logformat=loligo_json other"));
    get("/slow");
    get("/other");
    List<String> lines = lines();
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).contains(" GET " + origin.url("/other") + " miss ");
    Map<String, Object> json = StrictJson.object(lines.get(1).getBytes(ISO_8859_1));
    assertThat(json)
        .containsEntry("class", "miss")
        .containsEntry("micros", new BigDecimal(2000000));
  }

  @Test
  void aTunnelCountsOnlyIfItIsNamed() throws Exception {
    start(slow("1 second PLACE"), slow("1 second tunnel PLACE logformat=loligo_json"));
    try (RawClient client = RawClient.connect(proxy.port())) {
      client.send("CONNECT " + origin.authority() + " HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(client.responseHead()).contains(" 200 ");
      time.pass(1_000);
    }
    awaitCount(() -> proxy.counted(CounterFamily.CLASS, HitClass.TUNNEL.ordinal()), 1);
    assertThat(lines()).singleElement().asString().contains("\"class\":\"tunnel\"");
  }

  @Test
  void aReloadChangesIt() throws Exception {
    start(slow("1 hour PLACE"));
    get("/slow");
    assertThat(proxy.reload(configuration(slow("2 seconds PLACE"))).done()).isTrue();
    get("/other");
    assertThat(lines()).singleElement().asString().contains("/other");
  }

  @Test
  void tooManyLinesAreCounted() throws Exception {
    start(slow("0 seconds PLACE"));
    try (RawClient client = client()) {
      for (int i = 0; i < 60; i++) {
        assertThat(client.get(origin.url("/a")).response().status()).isEqualTo(200);
      }
      awaitLoop();
      String metrics;
      try (RawClient admin = RawClient.connect(proxy.adminPort())) {
        metrics =
            admin.send("GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n").responseTo("GET").text();
      }
      assertThat(metrics).contains("\nloligo_log_suppressed_total 11");
    }
    assertThat(lines()).hasSize(50);
  }
}
