package io.loligo.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ValueChange;
import io.loligo.store.purge.Ban;
import io.loligo.store.purge.UrlPattern;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** How the pages lay out their JSON. */
final class AdminJsonTest {
  @Test
  void rowsStandOnLinesOfTheirOwn() {
    assertThat(BanJson.of(List.of())).isEqualTo("[\n]\n");
    assertThat(BanJson.of(List.of(new Ban(0, UrlPattern.of("h", "x")), ban(1000))))
        .isEqualTo(
            "[\n"
                + "  {\"since\": \"1970-01-01T00:00:00Z\", \"host\": \"h\", \"pattern\": \"x\","
                + " \"soft\": false},\n"
                + "  {\"since\": \"1970-01-01T00:00:01Z\", \"host\": \"i\", \"pattern\": \"y\","
                + " \"soft\": false}\n"
                + "]\n");
  }

  @Test
  void rowsMayBeMembers() {
    Map<String, Map<String, Long>> misses = new TreeMap<>();
    misses.put("a:80", new TreeMap<>(Map.of("x", 1L, "y", 2L)));
    misses.put("b:80", Map.of());
    assertThat(MissesJson.of(misses))
        .isEqualTo("{\n  \"a:80\": {\"x\": 1, \"y\": 2},\n  \"b:80\": {}\n}\n");
  }

  @Test
  void repliesHaveNoBlanks() {
    ValueChange live = new ValueChange("via", "on", null, "f:1", "");
    ValueChange later = new ValueChange("workers", null, "2\"", "", "why");
    assertThat(Reloaded.done(List.of(live), List.of(later)).json())
        .isEqualTo(
            "{\"reloaded\":true,\"lines\":[\"- via on (was f:1)\",\"+ workers 2\\\" (default):"
                + " needs a restart:"
                + " why\"],\"applied\":[{\"directive\":\"via\",\"before\":\"on\",\"source\":\"f:1\"}],"
                + "\"needs_restart\":[{\"directive\":\"workers\",\"after\":\"2\\\"\",\"source\":\"default\","
                + "\"reason\":\"why\"}]}");
    assertThat(Reloaded.failed(List.of("a", "b\"")).json())
        .isEqualTo(
            "{\"reloaded\":false,\"lines\":[\"a\",\"b\\\"\"],\"applied\":[],\"needs_restart\":[]}");
  }

  @Test
  void aReloadSaysThatNothingChangedAndIsBounded() {
    assertThat(Reloaded.done(List.of(), List.of()).text())
        .isEqualTo("reloaded:\nno line has changed; the files that lines name were read again");
    ValueChange one = new ValueChange("acl", null, "x".repeat(1000), "f:1", "");
    List<String> lines = Reloaded.done(Collections.nCopies(1000, one), List.of()).lines();
    assertThat(lines).hasSize(101).last().isEqualTo("and 900 changes more");
    assertThat(lines.get(0)).hasSizeLessThan(250).endsWith("... (f:1)");
  }

  private static Ban ban(long millis) {
    return new Ban(millis, UrlPattern.of("i", "y"));
  }
}
