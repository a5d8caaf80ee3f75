package io.loligo.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.server.accesslog.StrictJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The board for Grafana and the rules for Prometheus name metrics that exist. */
class MonitoringFilesTest {
  private static final Path CONFIG = Path.of("").toAbsolutePath().getParent().resolve("config");
  private static final Pattern METRIC =
      Pattern.compile("\\b(?:loligo|jvm|process|system)_[a-z0-9_]+\\b");
  private static final Pattern RECORDED = Pattern.compile("\\bloligo:[a-z0-9_:]+");
  private static final Set<String> EXISTING = MetricsPage.ofAProcess().samples();

  private static Set<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(one -> one.group()).collect(Collectors.toSet());
  }

  /** Without the white space between the tokens. */
  private static String compact(String json) {
    return Pattern.compile("(\"(?:[^\"\\\\]|\\\\.)*\")|\\s+")
        .matcher(json)
        .replaceAll(one -> one.group(1) == null ? "" : Matcher.quoteReplacement(one.group(1)));
  }

  @Test
  void everyExpressionOfTheRulesNamesMetricsThatExist() throws IOException {
    String rules = Files.readString(CONFIG.resolve("prometheus/loligo-rules.yml"));
    String expressions = rules.replaceAll("(?m)^ *(summary|description): .*$", "");
    assertThat(found(METRIC, expressions)).hasSizeGreaterThan(20).isSubsetOf(EXISTING);
    Set<String> recorded = new HashSet<>();
    Pattern.compile("record: (\\S+)")
        .matcher(rules)
        .results()
        .forEach(one -> recorded.add(one.group(1)));
    assertThat(found(RECORDED, expressions)).isEqualTo(recorded);
    int alerts = found(Pattern.compile("alert: \\w+"), rules).size();
    assertThat(rules.split("summary: ", -1)).hasSize(alerts + 1);
    assertThat(rules.split("description: ", -1)).hasSize(alerts + 1);
    assertThat(rules.split("severity: (critical|warning)}", -1)).hasSize(alerts + 1);
  }

  @Test
  @SuppressWarnings("unchecked") // names in JSON are strings
  void everyPanelOfTheBoardNamesMetricsThatExist() throws IOException {
    String text = Files.readString(CONFIG.resolve("grafana/loligo.json"));
    Map<String, Object> board = StrictJson.object(compact(text).getBytes(StandardCharsets.UTF_8));
    Set<String> ids = new TreeSet<>();
    List<String> expressions = new ArrayList<>();
    for (Map<String, Object> panel : (List<Map<String, Object>>) board.get("panels")) {
      assertThat(ids.add(String.valueOf(panel.get("id")))).as("one panel for an id").isTrue();
      for (Map<String, Object> target :
          (List<Map<String, Object>>) panel.getOrDefault("targets", List.of())) {
        expressions.add((String) target.get("expr"));
      }
    }
    assertThat(expressions).hasSizeGreaterThan(50);
    for (String expression : expressions) {
      assertThat(found(METRIC, expression)).as(expression).isNotEmpty().isSubsetOf(EXISTING);
      assertThat(expression).contains("job=\"$job\",instance=~\"$instance\"");
    }
  }
}
