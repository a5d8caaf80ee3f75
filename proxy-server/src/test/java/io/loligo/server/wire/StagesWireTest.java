package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.accesslog.StrictJson;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The classes of exchanges, and their stages, in the log. The simulation checks their sums. */
class StagesWireTest extends WireTest {
  private static final String FRESH = "Cache-Control: max-age=1000";

  /** Those that are no part of the total. */
  private static final Set<String> BESIDE =
      Set.of("clientConnect", "diskRest", "serverLastByte", "total");

  private void start(PassingTime time, String... more) throws Exception {
    List<String> lines =
        new ArrayList<>(
            List.of(
                "negative_ttl 60 seconds",
                "acl bad urlpath_regex ^/bad",
                "http_access deny bad",
                "http_access allow all",
                "access_log stdio:" + dir.resolve("access.log") + " logformat=loligo_json"));
    lines.addAll(List.of(more));
    startProxy(time, lines.toArray(String[]::new));
  }

  private List<Map<String, Object>> lines() throws Exception {
    return stopAndReadLog().stream()
        .map(line -> StrictJson.object(line.getBytes(ISO_8859_1)))
        .toList();
  }

  private static long micros(Object number) {
    return ((BigDecimal) number).longValueExact();
  }

  @Test
  void eachClassHasItsStages() throws Exception {
    PassingTime time = new PassingTime();
    start(time);
    origin.onOk("/fresh", "content", FRESH, "ETag: \"a\"");
    origin.onOk("/once", "content", "Cache-Control: no-store");
    origin.on("/none", "HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n");
    origin.onOk("/old", "content", "Cache-Control: max-age=10, stale-if-error=9000", "ETag: \"a\"");
    get("/fresh");
    get("/fresh");
    get("/fresh", "If-None-Match: \"b\"");
    get("/fresh", "If-None-Match: \"a\"");
    get("/once");
    get("/none");
    get("/none");
    get("/bad");
    get("/old");
    time.pass(20);
    origin.on(
        "/old",
        "HTTP/1.1 304 Same\r\n"
            + "ETag: \"a\"\r\n"
            + "Cache-Control: max-age=10, stale-if-error=9000\r\n\r\n");
    get("/old");
    time.pass(20);
    origin.on("/old", "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    get("/old");
    try (RawClient client = client()) {
      client.get("http://127.0.0.1:" + ProxyProcess.freePort() + "/").response();
    }
    List<Map<String, Object>> lines = lines();
    assertThat(lines)
        .extracting(line -> line.get("class"))
        .containsExactly(
            "miss",
            "memory_hit",
            "ims_hit",
            "not_modified_hit",
            "uncacheable",
            "miss",
            "negative_hit",
            "own_answer",
            "miss",
            "revalidated",
            "stale_hit",
            "error");
    assertThat(lines).extracting(line -> line.get("protocol")).containsOnly("1.1");
    assertThat(lines).allSatisfy(StagesWireTest::addsUp);
    assertThat(stages(lines.get(9))).as("revalidated").contains("serverLastByte");
  }

  private static Set<Object> stages(Map<String, Object> line) {
    return Set.copyOf(((Map<?, ?>) line.get("stages")).keySet());
  }

  /** The system has it in memory, so that the event loop reads it itself. */
  @Test
  void aHitFromDiskHasItsReadAlsoIfNobodyWaitsForIt() throws Exception {
    start(
        new PassingTime(),
        "cache_dir rock " + dir.resolve("cache") + " 64",
        "maximum_object_size_in_memory 1 KB");
    origin.onOk("/a", "content".repeat(1000), FRESH);
    get("/a");
    Waiting.until("it is on disk", () -> get("/a").field("Cache-Status").endsWith("; detail=disk"));
    List<Map<String, Object>> lines = lines();
    Map<String, Object> last = lines.get(lines.size() - 1);
    assertThat(last).containsEntry("class", "disk_hit");
    assertThat(stages(last)).contains("diskFirstRead");
    assertThat(lines).allSatisfy(StagesWireTest::addsUp);
  }

  private static void addsUp(Map<String, Object> line) {
    Map<?, ?> stages = (Map<?, ?>) line.get("stages");
    long sum = 0;
    for (Map.Entry<?, ?> stage : stages.entrySet()) {
      sum += BESIDE.contains(stage.getKey()) ? 0 : micros(stage.getValue());
    }
    long total = micros(line.get("micros"));
    assertThat(sum).as("%s", line).isBetween((total * 9 + 9) / 10, total);
  }

  @Test
  void eachProtocolIsNamed() throws Exception {
    start(new PassingTime());
    origin.onOk("/a", "content", FRESH);
    try (RawClient client = client()) {
      client.send("GET " + origin.url("/a") + " HTTP/1.0\r\nHost: h\r\n\r\n").response();
    }
    try (RawClient client = client()) {
      client.send("GET / HTTP/9.9.9\r\n\r\n").response();
    }
    try (RawClient client = client()) {
      String place = "127.0.0.1:" + origin.port();
      client.send("CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n\r\n");
      assertThat(client.responseHead()).startsWith("HTTP/1.1 200");
    }
    List<Map<String, Object>> lines = lines();
    assertThat(lines)
        .extracting(line -> line.get("protocol"))
        .containsExactlyInAnyOrder("1.0", "none", "tunnel");
    assertThat(lines).allSatisfy(StagesWireTest::addsUp);
  }
}
