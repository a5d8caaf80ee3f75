package io.loligo.server.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.Waiting;
import io.loligo.server.accesslog.StrictJson;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Prometheus scrapes the proxy, and evaluates our rules and the expressions of our board. Skipped,
 * visibly, where it is absent.
 */
class PrometheusInteropTest extends PeersTest {
  private static final Path CONFIG = Path.of("").toAbsolutePath().getParent().resolve("config");
  private static final Path RULES = CONFIG.resolve("prometheus/loligo-rules.yml");

  private int port;

  private void startPrometheus() throws Exception {
    port = ProxyProcess.freePort();
    Path file =
        Files.writeString(
            dir.resolve("prometheus.yml"),
            """
            global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 250ms}
            rule_files: ['%s']
            scrape_configs:
              - job_name: loligo
                static_configs: [{targets: ['127.0.0.1:%d']}]
            """
                .formatted(RULES, proxy.adminPort()));
    closing(
            ProxyProcess.start(
                dir,
                InstalledProgram.path("prometheus"),
                "--config.file=" + file,
                "--enable-feature=exemplar-storage",
                "--storage.tsdb.path=" + dir.resolve("tsdb"),
                "--web.listen-address=127.0.0.1:" + port))
        .awaitPort(port);
    Waiting.until("it is ready", () -> answer("/-/ready").status() == 200);
  }

  private WireMessage answer(String path) throws IOException {
    try (RawClient client = RawClient.connect(port)) {
      String lines = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      return client.send("GET " + path + lines).response();
    }
  }

  @SuppressWarnings("unchecked") // names in JSON are strings
  private Map<String, Object> ask(String path) throws IOException {
    Map<String, Object> answer = StrictJson.object(answer("/api/v1/" + path).body());
    assertThat(answer).as(path).containsEntry("status", "success");
    return (Map<String, Object>) answer.get("data");
  }

  @SuppressWarnings("unchecked") // names in JSON are strings
  private List<Map<String, Object>> rules() throws IOException {
    return ((List<Map<String, Object>>) ask("rules").get("groups"))
        .stream()
            .flatMap(group -> ((List<Map<String, Object>>) group.get("rules")).stream())
            .toList();
  }

  private static Set<Object> all(List<Map<String, Object>> rules, String member) {
    return rules.stream().map(rule -> rule.get(member)).collect(Collectors.toSet());
  }

  private static Map<String, Object> named(List<Map<String, Object>> rules, String name) {
    return rules.stream().filter(rule -> name.equals(rule.get("name"))).findFirst().orElseThrow();
  }

  private List<?> query(String expression) throws IOException {
    return (List<?>) ask("query?query=" + URLEncoder.encode(expression, UTF_8)).get("result");
  }

  /** The id of the last request that Prometheus knows as an exemplar. */
  private String exemplarId() throws Exception {
    String query = URLEncoder.encode("loligo_stage_duration_seconds_bucket", UTF_8);
    long now = System.currentTimeMillis() / 1000;
    String path = "query_exemplars?query=" + query + "&start=" + (now - 60) + "&end=" + (now + 60);
    Pattern id = Pattern.compile("\"request_id\":\"([^\"]+)\"");
    Waiting.until(
        "an exemplar is there", () -> id.matcher(answer("/api/v1/" + path).text()).find());
    return id.matcher(answer("/api/v1/" + path).text())
        .results()
        .map(one -> one.group(1))
        .reduce("", (one, next) -> next);
  }

  @Test
  void promtoolAcceptsTheRules() throws Exception {
    assertThat(run("promtool", "check", "rules", RULES.toString())).contains("SUCCESS");
  }

  @Test
  void everyRuleIsEvaluatedAndAFailedReloadFires() throws Exception {
    InstalledProgram.path("prometheus");
    startProxy("logformat ids %request_id", "access_log stdio:" + dir.resolve("ids.log") + " ids");
    origin.onOk("/a", "x", "Cache-Control: max-age=1000");
    get("/a");
    startPrometheus();
    Waiting.until("the proxy is scraped", () -> query("loligo_reload_failures_total").size() == 1);
    assertThat(proxy.reload("http_port 127.0.0.1:0\nhttp_access allow nobody\n").done()).isFalse();
    get("/a");
    Waiting.until(
        "the alert fires",
        () -> named(rules(), "LoligoReloadFailed").get("state").equals("firing"));
    Waiting.until("every rule was evaluated", () -> !all(rules(), "health").contains("unknown"));
    List<Map<String, Object>> rules = rules();
    assertThat(rules).hasSizeGreaterThan(20);
    assertThat(all(rules, "health")).as("%s", rules).containsExactly("ok");
    assertThat(named(rules, "LoligoDown")).containsEntry("state", "inactive");
    Waiting.until("the sums are there", () -> query("loligo:requests:rate5m").size() == 1);
    String exemplar = exemplarId();
    String board = Files.readString(CONFIG.resolve("grafana/loligo.json"));
    Matcher expression = Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"").matcher(board);
    int answered = 0;
    int expressions = 0;
    for (; expression.find(); expressions++) {
      String text =
          expression
              .group(1)
              .replace("\\\"", "\"")
              .replace("$__rate_interval", "1m")
              .replace("$job", "loligo")
              .replace("$instance", ".*");
      answered += query(text).isEmpty() ? 0 : 1;
    }
    assertThat(expressions).isGreaterThan(50);
    assertThat(answered).as("of " + expressions).isGreaterThan(expressions / 2);
    assertThat(stopAndReadLog("ids.log")).hasSize(2).contains(exemplar);
  }
}
